//! Which capture format an input has, recognised by its first bytes.

use super::block::Layout;
use super::pcap::{self, PcapHeader, PcapLayout};
use super::pcapng::{self, PcapngWalk};
use super::problem::FileFacts;
use super::walk::{End, Walk};

/// The format of one input and where its reader is.
pub(super) enum Format {
    /// Not yet recognised.
    Unknown,
    Pcap {
        layout: PcapLayout,
        name: &'static str,
        snaplen: u32,
    },
    Pcapng(PcapngWalk),
}

impl Format {
    /// Whether a header was read and understood.
    pub(super) fn is_known(&self) -> bool {
        !matches!(self, Self::Unknown)
    }

    /// Walks over the whole records at the start of `bytes`. `frames_before` were
    /// walked over and not yet handed out.
    pub(super) fn walk(&mut self, bytes: &[u8], frames_before: u64) -> Walk {
        match self {
            Self::Unknown => self.open(bytes).unwrap_or_else(|end| Walk {
                consumed: 0,
                frames: 0,
                end,
            }),
            Self::Pcap { layout, .. } => layout.walk(bytes),
            Self::Pcapng(walk) => walk.walk(bytes, frames_before),
        }
    }

    /// Reads the header an input begins with.
    fn open(&mut self, bytes: &[u8]) -> Result<Walk, End> {
        let magic = *bytes
            .first_chunk::<4>()
            .ok_or(End::Incomplete { need: 4 })?;
        let consumed = if pcap::is_pcap(magic) {
            let header = PcapHeader::parse(bytes)?;
            *self = Self::Pcap {
                layout: header.layout,
                name: header.format,
                snaplen: header.snaplen,
            };
            header.bytes
        } else if pcapng::is_pcapng(magic) {
            let (walk, consumed) = PcapngWalk::open(bytes)?;
            *self = Self::Pcapng(walk);
            consumed
        } else {
            return Err(End::Damage(foreign(magic)));
        };
        Ok(Walk {
            consumed,
            frames: 0,
            end: End::NewLayout,
        })
    }

    /// How to read the records walked over since this was last asked for.
    pub(super) fn layout(&mut self) -> Option<Layout> {
        match self {
            Self::Unknown => None,
            Self::Pcap { layout, .. } => Some(Layout::Pcap(*layout)),
            Self::Pcapng(walk) => {
                let (section, clock) = walk.hand_out();
                Some(Layout::Pcapng { section, clock })
            }
        }
    }

    /// States what the headers said.
    pub(super) fn describe(&self, facts: &mut FileFacts) {
        match self {
            Self::Unknown => {}
            Self::Pcap {
                layout,
                name,
                snaplen,
            } => {
                facts.format = Some(name);
                facts.link_types = vec![layout.link_type()];
                facts.snaplen = (*snaplen > 0).then_some(*snaplen);
            }
            Self::Pcapng(walk) => {
                facts.format = Some("pcapng");
                walk.describe(facts);
            }
        }
    }
}

/// Says what a file is that is no capture this crate reads.
fn foreign(magic: [u8; 4]) -> String {
    let [a, b, c, d] = magic;
    let looks_like = match &magic {
        b"\xfd7zX" => " (xz; decompress it first)",
        [b'B', b'Z', b'h', _] => " (bzip2; decompress it first)",
        b"PK\x03\x04" => " (zip; unpack it first)",
        b"snoo" => " (snoop; convert it with editcap -F pcapng)",
        b"GMBU" | b"RTSS" => " (Microsoft Network Monitor; convert it with editcap -F pcapng)",
        [0x1f, 0x8b, ..] | [0x28, 0xb5, 0x2f, 0xfd] | [0x04, 0x22, 0x4d, 0x18] => {
            " (compressed twice; decompress it once)"
        }
        _ => "",
    };
    format!(
        "no capture: it begins with {a:02x} {b:02x} {c:02x} {d:02x}{looks_like}, \
         expected pcap or pcapng, as it is or in gzip, zstd or lz4"
    )
}
