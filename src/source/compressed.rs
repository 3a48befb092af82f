//! Bytes of a capture, decompressed if need be; recognised by content, not by name.

use super::input::Tap;
use flate2::bufread::MultiGzDecoder;
use lz4_flex::frame::FrameDecoder;
use std::io::{self, BufRead, BufReader, Cursor, Read};

/// Compressed bytes read at a time.
const CHUNK_BYTES: usize = 128 * 1024;

/// Decompressed bytes asked for at a time, whatever the caller asks for. Where a
/// stream is broken, a decompressor gives less the more it is asked for: what can
/// be read of it may not depend on the size of blocks.
const PIECE_BYTES: usize = 16 * 1024;

/// The input with the few bytes put back that were read to recognise it.
type Raw = io::Chain<Cursor<Vec<u8>>, Tap>;

/// How an input is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compression {
    None,
    Gzip,
    Zstd,
    Lz4,
}

impl Compression {
    fn of(start: &[u8]) -> Self {
        match *start {
            [0x1f, 0x8b, ..] => Self::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Self::Zstd,
            // A skippable frame: parallel compressors write one first. lz4 has the
            // same numbers, but no known writer begins with one.
            [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Self::Zstd,
            [0x04, 0x22, 0x4d, 0x18, ..] | [0x02, 0x21, 0x4c, 0x18, ..] => Self::Lz4,
            _ => Self::None,
        }
    }

    /// For the report.
    pub(super) fn name(self) -> Option<&'static str> {
        match self {
            Self::None => None,
            Self::Gzip => Some("gzip"),
            Self::Zstd => Some("zstd"),
            Self::Lz4 => Some("lz4"),
        }
    }
}

/// A reader of the capture itself.
pub(super) enum Plain {
    Stored(Raw),
    Gzip(BufReader<MultiGzDecoder<BufReader<Raw>>>),
    Zstd(BufReader<zstd::Decoder<'static, BufReader<Raw>>>),
    Lz4(BufReader<Lz4Frames>),
}

impl Plain {
    /// Reads the first bytes and decides.
    pub(super) fn new(mut tap: Tap) -> io::Result<Self> {
        let mut start = [0; 4];
        let mut have = 0;
        while let Some(space @ [_, ..]) = start.get_mut(have..) {
            match tap.read(space)? {
                0 => break,
                n => have += n,
            }
        }
        let start = start.get(..have).unwrap_or_default().to_vec();
        let compression = Compression::of(&start);
        let raw = Cursor::new(start).chain(tap);
        if compression == Compression::None {
            return Ok(Self::Stored(raw));
        }
        let buffered = BufReader::with_capacity(CHUNK_BYTES, raw);
        Ok(match compression {
            Compression::None | Compression::Gzip => {
                Self::Gzip(pieces(MultiGzDecoder::new(buffered)))
            }
            Compression::Zstd => Self::Zstd(pieces(zstd::Decoder::with_buffer(buffered)?)),
            Compression::Lz4 => Self::Lz4(pieces(Lz4Frames(FrameDecoder::new(buffered)))),
        })
    }

    /// What it decompresses.
    pub(super) fn compression(&self) -> Compression {
        match self {
            Self::Stored(_) => Compression::None,
            Self::Gzip(_) => Compression::Gzip,
            Self::Zstd(_) => Compression::Zstd,
            Self::Lz4(_) => Compression::Lz4,
        }
    }

    /// The input itself, if nothing has to be decompressed.
    pub(super) fn tap(&mut self) -> Option<&mut Tap> {
        match self {
            Self::Stored(raw) => Some(raw.get_mut().1),
            _ => None,
        }
    }

    /// Reads the stored bytes to their end, for their hash.
    pub(super) fn drain(&mut self) -> io::Result<()> {
        let raw: &mut dyn Read = match self {
            Self::Stored(raw) => raw,
            Self::Gzip(pieces) => pieces.get_mut().get_mut(),
            Self::Zstd(pieces) => pieces.get_mut().get_mut(),
            Self::Lz4(pieces) => pieces.get_mut().0.get_mut(),
        };
        io::copy(raw, &mut io::sink()).map(|_| ())
    }
}

impl Read for Plain {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Stored(raw) => raw.read(buffer),
            Self::Gzip(pieces) => read_piece(pieces, buffer),
            Self::Zstd(pieces) => read_piece(pieces, buffer),
            Self::Lz4(pieces) => read_piece(pieces, buffer),
        }
    }
}

fn pieces<R: Read>(decoder: R) -> BufReader<R> {
    BufReader::with_capacity(PIECE_BYTES, decoder)
}

/// Always asks the decompressor for a whole piece, which goes past the buffer only where
/// there is room for it; `BufReader::read` would pass a large request on as it is.
fn read_piece<R: Read>(pieces: &mut BufReader<R>, buffer: &mut [u8]) -> io::Result<usize> {
    if let Some(piece) = buffer.get_mut(..PIECE_BYTES)
        && pieces.buffer().is_empty()
    {
        return pieces.get_mut().read(piece);
    }
    let n = pieces.fill_buf()?.read(buffer)?;
    pieces.consume(n);
    Ok(n)
}

/// The frames of an lz4 stream. Its decoder says "end" after each of them, but
/// `cat a.lz4 b.lz4` is one stream.
pub(super) struct Lz4Frames(FrameDecoder<BufReader<Raw>>);

impl Read for Lz4Frames {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let n = self.0.read(buffer)?;
            // Every such "end" has consumed an end mark, so this terminates.
            if n > 0 || buffer.is_empty() || self.0.get_mut().fill_buf()?.is_empty() {
                return Ok(n);
            }
        }
    }
}
