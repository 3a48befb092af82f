//! Captures as bytes that tests cut and change.

use crate::support::{captures_in, name, pcaps};
use std::fs;
use std::io::Read;
use std::path::Path;

/// The bytes of a capture, decompressed by its name.
pub fn plain_bytes(path: &Path) -> Vec<u8> {
    let stored = fs::read(path).unwrap();
    let mut plain = Vec::new();
    match path.extension().and_then(|end| end.to_str()) {
        Some("gz") => flate2::read::MultiGzDecoder::new(&stored[..])
            .read_to_end(&mut plain)
            .unwrap(),
        Some("zst") => zstd::Decoder::new(&stored[..])
            .unwrap()
            .read_to_end(&mut plain)
            .unwrap(),
        Some("lz4") => lz4_flex::frame::FrameDecoder::new(&stored[..])
            .read_to_end(&mut plain)
            .unwrap(),
        _ => return stored,
    };
    plain
}

/// The project's captures of up to so many bytes, decompressed: name and bytes.
pub fn small_captures(most_bytes: usize) -> Vec<(String, Vec<u8>)> {
    let captures = captures_in(&pcaps());
    let all = captures.iter().map(|path| (name(path), plain_bytes(path)));
    all.filter(|(_, bytes)| bytes.len() <= most_bytes).collect()
}

const FILE_HEADER: usize = 24;
const RECORD_HEADER: usize = 16;
/// Where a record header has the number of bytes it holds.
const CAPLEN: usize = 8;

/// A file in pcap format, taken apart.
#[derive(Clone)]
pub struct Pcap {
    header: Vec<u8>,
    is_big_endian: bool,
    /// Record headers and what they head.
    records: Vec<(Vec<u8>, Vec<u8>)>,
}

impl Pcap {
    /// `None` if it is in another format, or its records do not fill it.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let is_big_endian = match bytes.get(..4)? {
            [0xa1, 0xb2, 0xc3, 0xd4] | [0xa1, 0xb2, 0x3c, 0x4d] => true,
            [0xd4, 0xc3, 0xb2, 0xa1] | [0x4d, 0x3c, 0xb2, 0xa1] => false,
            _ => return None,
        };
        let mut pcap = Self {
            header: bytes.get(..FILE_HEADER)?.to_vec(),
            is_big_endian,
            records: Vec::new(),
        };
        let mut rest = &bytes[FILE_HEADER..];
        while !rest.is_empty() {
            let header = rest.get(..RECORD_HEADER)?.to_vec();
            let caplen: [u8; 4] = header[CAPLEN..CAPLEN + 4].try_into().ok()?;
            let caplen = if is_big_endian {
                u32::from_be_bytes(caplen)
            } else {
                u32::from_le_bytes(caplen)
            };
            let end = RECORD_HEADER + caplen as usize;
            pcap.records
                .push((header, rest.get(RECORD_HEADER..end)?.to_vec()));
            rest = &rest[end..];
        }
        Some(pcap)
    }

    /// Bytes of the longest frame.
    pub fn longest(&self) -> usize {
        self.records
            .iter()
            .map(|(_, frame)| frame.len())
            .max()
            .unwrap_or(0)
    }

    /// The same as if it had been captured with a snaplen, in those frames whose
    /// index `is_cut` is true of.
    pub fn cut(&self, snaplen: usize, is_cut: impl Fn(usize) -> bool) -> Vec<u8> {
        let mut cut = self.clone();
        for (index, (_, frame)) in cut.records.iter_mut().enumerate() {
            if is_cut(index) {
                frame.truncate(snaplen);
            }
        }
        cut.to_bytes()
    }

    /// The frames, to be changed.
    pub fn frames_mut(&mut self) -> Vec<&mut Vec<u8>> {
        self.records.iter_mut().map(|(_, frame)| frame).collect()
    }

    /// The records, to be put in another order, left out or repeated.
    pub fn records_mut(&mut self) -> &mut Vec<(Vec<u8>, Vec<u8>)> {
        &mut self.records
    }

    /// The file again; lengths on the wire stay as they were.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.header.clone();
        for (header, frame) in &self.records {
            let caplen = u32::try_from(frame.len()).unwrap();
            let caplen = if self.is_big_endian {
                caplen.to_be_bytes()
            } else {
                caplen.to_le_bytes()
            };
            bytes.extend(&header[..CAPLEN]);
            bytes.extend(caplen);
            bytes.extend(&header[CAPLEN + 4..]);
            bytes.extend(frame);
        }
        bytes
    }
}

#[test]
fn a_capture_taken_apart_and_put_together_is_the_same() {
    let mut parsed = 0;
    for (name, bytes) in small_captures(usize::MAX) {
        if let Some(pcap) = Pcap::parse(&bytes) {
            assert_eq!(pcap.to_bytes(), bytes, "{name}");
            parsed += 1;
        }
    }
    assert!(parsed > 50, "only {parsed} captures were taken apart");
}
