//! Captures without who was captured: they say the same, and nothing of the original is in
//! them.

use crate::capture_files::small_captures;
use crate::mutation::mutant_of;
use crate::support::{all_captures, name, none, text};
use fraglens::decode::{DecodeOptions, Decoder};
use fraglens::evidence::anonymize::{AnonymizeOptions, Anonymizer, prove};
use fraglens::evidence::pcapng::InterfaceFacts;
use fraglens::evidence::{Kept, KeptFrame};
use fraglens::model::LinkType;
use fraglens::model::facts::{Carries, Fragment, Layer, Packet, Transport};
use fraglens::pipeline::{self, Analysis};
use fraglens::report::{Parts, build, document};
use fraglens::source::{Block, CaptureFiles, Memory, Source, SourceOptions};
use std::collections::{BTreeSet, HashSet};
use std::net::IpAddr;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// Most bytes taken of a capture.
const MOST_BYTES: usize = 8 << 20;

/// A key whose halves differ, so that what is found by chance is found always or never.
fn key() -> [u8; 32] {
    std::array::from_fn(|place| place as u8 * 7 + 3)
}

fn options(macs: bool, ids: bool) -> AnonymizeOptions {
    AnonymizeOptions {
        key: Some(key()),
        macs,
        ids,
    }
}

fn anonymizer(options: AnonymizeOptions) -> Anonymizer {
    Anonymizer::new(&options).unwrap()
}

fn analyzed(source: &mut dyn Source) -> Analysis {
    let options = pipeline::Options {
        threads: 1,
        ..pipeline::Options::default()
    };
    pipeline::analyze(source, &options, &|_| ControlFlow::Continue(())).unwrap()
}

/// The frames of a file.
pub fn kept(path: &Path) -> Kept {
    let paths = [PathBuf::from(path)];
    kept_of(&mut CaptureFiles::open(&paths, &SourceOptions::default()))
}

/// The frames of a capture, as far as they are not too many.
fn kept_of(source: &mut dyn Source) -> Kept {
    let mut kept = Kept::default();
    let mut types: Vec<LinkType> = Vec::new();
    let mut block = Block::default();
    let mut bytes = 0;
    while bytes < MOST_BYTES && source.fill(&mut block) {
        for frame in block.frames() {
            bytes += frame.data.len();
            let known = types.iter().position(|known| *known == frame.link_type);
            let interface = known.unwrap_or_else(|| {
                types.push(frame.link_type);
                kept.interfaces.push(InterfaceFacts {
                    name: "alices-interface".to_owned(),
                    description: "alices-uplink".to_owned(),
                    link_type: frame.link_type,
                    snaplen: 0,
                });
                types.len() - 1
            });
            kept.frames.push(KeptFrame {
                origin: frame.id,
                interface: interface as u32,
                timestamp: frame.timestamp,
                wire_bytes: frame.wire_bytes,
                link_type: frame.link_type,
                data: frame.data.to_vec(),
                comment: Some("alices-comment".to_owned()),
            });
        }
    }
    kept.statistics = vec![None; kept.interfaces.len()];
    kept
}

/// What differs without names.
fn fault(of: &str, original: &Kept, options: AnonymizeOptions) -> Option<String> {
    let analysis = pipeline::Options {
        threads: 1,
        ..pipeline::Options::default()
    };
    let anonymizer = anonymizer(options);
    let disguised = anonymizer.frames(original, &DecodeOptions::default());
    let proof = prove(original, &disguised, &anonymizer, &analysis);
    proof.err().map(|difference| format!("{of}: {difference}"))
}

#[test]
fn anonymized_captures_say_the_same() {
    let mut faults = Vec::new();
    for path in all_captures("anonymized_captures_say_the_same") {
        let original = kept(&path);
        for options in [options(false, false), options(true, true)] {
            faults.extend(fault(&name(&path), &original, options));
        }
    }
    none(&faults);
}

#[test]
fn anonymized_captures_show_the_same_findings() {
    let faults = crate::findings::captures()
        .into_iter()
        .filter_map(|(of, capture)| {
            let original = kept_of(&mut Memory::new(capture, &SourceOptions::default()));
            fault(&of, &original, options(true, true))
        });
    none(&faults.collect::<Vec<_>>());
}

/// Captures changed at random that are anonymized.
const MUTANTS: u64 = 1_000;

#[test]
fn anonymized_mutants_say_the_same() {
    let captures = small_captures(20_000);
    let faults = (0..MUTANTS).filter_map(|seed| {
        let (of, capture) = mutant_of(seed, &captures);
        let original = kept_of(&mut Memory::new(capture, &SourceOptions::default()));
        fault(&of, &original, options(true, true))
    });
    none(&faults.collect::<Vec<_>>());
}

#[test]
fn a_difference_is_told() {
    let analysis = pipeline::Options {
        threads: 1,
        ..pipeline::Options::default()
    };
    let original = kept(&crate::support::pcap("sample.pcap"));
    let anonymizer = anonymizer(options(false, false));
    let disguised = anonymizer.frames(&original, &DecodeOptions::default());
    let told = |change: &dyn Fn(&mut Kept)| {
        let mut changed = disguised.clone();
        change(&mut changed);
        let told = prove(&original, &changed, &anonymizer, &analysis);
        told.expect_err("a difference").to_string()
    };
    let first = told(&|kept| {
        kept.frames.remove(0);
    });
    assert!(first.contains("of the report"), "{first}");
    // An address, a checksum, the time.
    told(&|kept| kept.frames[0].data[30] ^= 1);
    told(&|kept| kept.frames[0].data[24] ^= 1);
    told(&|kept| kept.frames[0].timestamp.0 += 1);
}

/// Addresses that stand for somebody: those whose class is all of them do not.
fn is_ordinary(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => {
            !(v4.is_unspecified()
                || v4.is_broadcast()
                || v4.is_loopback()
                || v4.is_multicast()
                || v4.is_link_local())
        }
        IpAddr::V6(v6) => {
            !(v6.is_unspecified()
                || v6.is_loopback()
                || v6.is_multicast()
                || v6.is_unicast_link_local())
        }
    }
}

/// What must not be found: addresses of all headers that are read, and runs of payload.
#[derive(Default)]
pub struct Secrets {
    pub addresses: BTreeSet<IpAddr>,
    pub payload: HashSet<[u8; 8]>,
}

impl Secrets {
    pub fn of(kept: &Kept) -> Self {
        let mut decoder = Decoder::new(&DecodeOptions::default());
        let mut packet = Packet::default();
        let mut secrets = Self::default();
        for kept in &kept.frames {
            decoder.frame(&kept.as_frame(), &mut packet);
            for layer in &packet.layers {
                secrets.address(layer.addresses.source());
                secrets.address(layer.addresses.destination());
                if let Transport::Icmp(icmp) = &layer.transport
                    && let Some(quoted) = &icmp.quoted
                {
                    secrets.address(quoted.flow.addresses.source());
                    secrets.address(quoted.flow.addresses.destination());
                }
            }
            if let Some(layer) = packet.layers.last() {
                secrets.payload(layer, &kept.data);
            }
        }
        secrets
    }

    /// And those of flows, some of which are only seen once fragments are put together.
    pub fn with_flows(mut self, kept: &Kept) -> Self {
        let capture = kept.write(&[], Vec::new()).unwrap();
        let mut source = Memory::new(capture, &SourceOptions::default());
        let analysis = analyzed(&mut source);
        for (key, _) in analysis.ledger.flows.iter() {
            self.address(key.addresses.source());
            self.address(key.addresses.destination());
        }
        self
    }

    fn address(&mut self, address: IpAddr) {
        if is_ordinary(address) {
            self.addresses.insert(address);
        }
    }

    /// Eight bytes of payload in a row, of which four differ.
    fn payload(&mut self, layer: &Layer, data: &[u8]) {
        let start = layer.payload_start as usize;
        if matches!(layer.carries, Carries::Tunnel(_)) {
            return;
        }
        let header = match (&layer.transport, layer.fragment) {
            // It may begin with the headers of a tunnel, also further back.
            (_, Fragment::Piece(piece)) if piece.offset == 0 => 160,
            (_, Fragment::Piece(_)) => 40,
            (Transport::Udp(_), _) => 8,
            (Transport::Tcp(_), _) => usize::from(data[start + 12] >> 4) * 4,
            // A message holds headers of the packet it is about.
            (Transport::Icmp(_), _) => 96,
            (Transport::Sctp { .. }, _) => 12,
            _ => return,
        };
        let end = start + layer.payload_captured as usize;
        for run in data.get(start + header..end).unwrap_or_default().windows(8) {
            let run: [u8; 8] = run.try_into().unwrap();
            if BTreeSet::from(run).len() >= 4 {
                self.payload.insert(run);
            }
        }
    }

    /// What of it is in some bytes.
    pub fn found_in(&self, bytes: &[u8]) -> Vec<String> {
        let mut found = Vec::new();
        for run in bytes.windows(8) {
            if self.payload.contains(run) {
                found.push(format!("payload {run:02x?}"));
            }
        }
        let addresses: HashSet<[u8; 16]> = self
            .addresses
            .iter()
            .filter_map(|address| match address {
                IpAddr::V6(v6) => Some(v6.octets()),
                IpAddr::V4(_) => None,
            })
            .collect();
        let short: HashSet<[u8; 4]> = self
            .addresses
            .iter()
            .filter_map(|address| match address {
                IpAddr::V4(v4) => Some(v4.octets()),
                IpAddr::V6(_) => None,
            })
            .flat_map(|octets| [octets, [octets[3], octets[2], octets[1], octets[0]]])
            .collect();
        for run in bytes.windows(4) {
            if short.contains(run) {
                found.push(format!("address {run:02x?}"));
            }
        }
        for run in bytes.windows(16) {
            if addresses.contains(run) {
                found.push(format!("address {run:02x?}"));
            }
        }
        let text: String = bytes
            .iter()
            .map(|byte| match byte.is_ascii_graphic() {
                true => char::from(*byte),
                false => ' ',
            })
            .collect();
        for word in text.split(' ').filter(|word| word.len() >= 8) {
            let in_it = self.addresses.iter().filter(|address| {
                let hex: String = match address {
                    IpAddr::V4(v4) => v4.octets().map(|octet| format!("{octet:02x}")).concat(),
                    IpAddr::V6(v6) => v6.octets().map(|octet| format!("{octet:02x}")).concat(),
                };
                word.contains(&address.to_string()) || word.to_lowercase().contains(&hex)
            });
            found.extend(in_it.map(|address| format!("text {address}")));
        }
        found
    }
}

/// Text that is long enough to be an encoded run of payload.
fn texts(bytes: &[u8]) -> Vec<String> {
    let is_encoded = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/=".contains(byte);
    let runs = bytes.split(|byte| !is_encoded(byte));
    runs.filter(|run| run.len() >= 11)
        .map(|run| String::from_utf8_lossy(run).into_owned())
        .collect()
}

#[test]
fn anonymized_frames_hold_nothing_of_the_original() {
    let mut faults = Vec::new();
    let (mut addresses, mut runs, mut told) = (0, 0, 0);
    for path in all_captures("anonymized_frames_hold_nothing_of_the_original") {
        let original = kept(&path);
        let secrets = Secrets::of(&original).with_flows(&original);
        addresses += secrets.addresses.len();
        runs += secrets.payload.len();
        let anonymizer = anonymizer(options(true, true));
        let disguised = anonymizer.frames(&original, &DecodeOptions::default());
        let names = Secrets::of(&disguised).addresses;
        for address in names.intersection(&secrets.addresses) {
            faults.push(format!("{}: {address} is in a header", name(&path)));
        }
        let file = disguised.write(&[], Vec::new()).unwrap();
        let said = String::from_utf8_lossy(&file);
        assert!(!said.contains("alice"), "{}", name(&path));
        for (number, (before, after)) in (1..).zip(original.frames.iter().zip(&disguised.frames)) {
            let lengths = |frame: &KeptFrame| (frame.data.len(), frame.wire_bytes);
            assert_eq!(lengths(before), lengths(after));
            told += usize::from(!secrets.found_in(&before.data).is_empty());
            let found = secrets.found_in(&after.data).into_iter();
            let all = found.chain(texts(&after.data));
            faults.extend(all.map(|found| format!("{} {number}: {found}", name(&path))));
        }
    }
    none(&faults);
    assert!(addresses > 100 && runs > 10_000, "{addresses} {runs}");
    // The search does find what is there.
    assert!(told > 10_000, "{told}");
}

#[test]
fn anonymized_counts_hold_no_address() {
    let mut faults = Vec::new();
    for path in all_captures("anonymized_counts_hold_no_address") {
        let secrets = Secrets::of(&kept(&path)).with_flows(&kept(&path));
        let mut source = CaptureFiles::open(std::slice::from_ref(&path), &SourceOptions::default());
        let mut analysis = analyzed(&mut source);
        let anonymizer = anonymizer(options(true, true));
        anonymizer.analysis(&mut analysis);
        let mut files = source.files();
        anonymizer.files(&mut files);
        let parts = Parts {
            files: &files,
            ..Parts::of(&analysis.ledger, &analysis.forecasts, analysis.not_modelled)
        };
        let mut report = build(&parts, document::Options::default());
        // Examples of commands have addresses of their own.
        report
            .findings
            .iter_mut()
            .for_each(|finding| finding.fix.clear());
        let report = text(&report);
        let is_in_name = |c: char| c.is_ascii_hexdigit() || c == '.' || c == ':';
        let words: HashSet<&str> = report.split(|c| !is_in_name(c)).collect();
        let named = secrets.addresses.iter().map(IpAddr::to_string);
        let found = named.filter(|address| words.contains(address.as_str()));
        faults.extend(found.map(|address| format!("{}: {address}", name(&path))));
        assert!(!report.contains(&name(&path)), "{}", name(&path));
    }
    none(&faults);
}
