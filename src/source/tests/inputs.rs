//! Compression, pipes, sets of files, and inputs that are no captures.

use super::*;
use std::io::Write;
use std::path::PathBuf;

/// A capture of `frames` frames of 100 bytes, one a second from `start`.
fn capture(start: u32, frames: u32) -> Vec<u8> {
    let mut capture = hex("d4c3b2a1 0200 0400 00000000 00000000 00000400 01000000");
    for i in 0..frames {
        for word in [start + i, 0, 100, 100] {
            capture.extend(word.to_le_bytes());
        }
        // Bytes that do not compress to nothing.
        capture.extend((0..100_u32).map(|j| (i.wrapping_mul(2_654_435_761) >> (j % 24)) as u8));
    }
    capture
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).expect("in memory");
    encoder.finish().expect("in memory")
}

fn lz4(bytes: &[u8]) -> Vec<u8> {
    use lz4_flex::frame::{BlockSize, FrameEncoder, FrameInfo};
    let small = FrameInfo::new().block_size(BlockSize::Max64KB);
    let mut encoder = FrameEncoder::with_frame_info(small, Vec::new());
    encoder.write_all(bytes).expect("in memory");
    encoder.finish().expect("in memory")
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 1).expect("in memory")
}

type Compress = fn(&[u8]) -> Vec<u8>;
const COMPRESSORS: [(&str, Compress); 3] = [("gzip", gzip), ("zstd", zstd), ("lz4", lz4)];

#[test]
fn compressed_captures_are_recognised_by_content() {
    let plain = capture(5, 300);
    let (expected, _) = read_capture(&plain);
    for (name, compress) in COMPRESSORS {
        let (frames, facts) = read_capture(&compress(&plain));
        assert_eq!(frames, expected, "{name}");
        assert_eq!(facts.compression, Some(name));
        assert_eq!(facts.problems, []);
        assert_eq!(facts.bytes, compress(&plain).len() as u64);
    }
}

#[test]
fn several_members_are_one_stream() {
    let plain = capture(5, 300);
    let (first, second) = plain.split_at(1000);
    for (name, compress) in COMPRESSORS {
        let joined = [compress(first), compress(b""), compress(second)].concat();
        let (frames, facts) = read_capture(&joined);
        assert_eq!(frames.len(), 300, "{name}");
        assert_eq!(facts.problems, []);
    }
    let skippable = [hex("502a4d18 04000000 01020304"), zstd(&plain)].concat();
    let (frames, facts) = read_capture(&skippable);
    assert_eq!((frames.len(), facts.compression), (300, Some("zstd")));
}

#[test]
fn a_cut_stream_is_cut_off() {
    let plain = capture(5, 3000);
    for (name, compress) in COMPRESSORS {
        let whole = compress(&plain);
        let (frames, facts) = read(Memory::new(
            &whole[..whole.len() * 3 / 4],
            &SourceOptions::default(),
        ));
        assert!(!frames.is_empty() && frames.len() < 3000, "{name}");
        let [problem] = &facts[0].problems[..] else {
            panic!("{name}: {:?}", facts[0].problems);
        };
        assert_eq!(problem.severity, Severity::CutOff, "{name}: {problem:?}");
    }
}

#[test]
fn every_prefix_of_a_stream_is_read_without_panic() {
    let plain = capture(5, 20);
    for (_, compress) in COMPRESSORS {
        let whole = compress(&plain);
        for length in 0..whole.len() {
            let (_, facts) = read(Memory::new(&whole[..length], &blocks_of(64)));
            for problem in &facts[0].problems {
                assert_ne!(problem.severity, Severity::Damaged, "{length}: {problem:?}");
            }
        }
    }
}

#[test]
fn a_broken_stream_is_damaged() {
    let plain = capture(5, 3000);
    for (name, compress) in COMPRESSORS {
        let mut broken = compress(&plain);
        let middle = broken.len() * 3 / 4;
        for byte in &mut broken[middle..middle + 64] {
            *byte = !*byte;
        }
        let options = blocks_of(64 * 1024);
        let (frames, facts) = read(Memory::new(broken.clone(), &options));
        assert!(frames.len() < 3000, "{name}");
        let problem = &facts[0].problems[0];
        assert_eq!(problem.severity, Severity::Damaged, "{name}: {problem:?}");
        assert!(facts[0].sha256.is_some(), "{name}: read to the end for it");
    }
}

#[test]
fn what_is_no_capture_is_named() {
    let cases: [(&[u8], &str); 5] = [
        (
            b"",
            "empty: 0 bytes, where a capture begins with a header of 24 (pcap) or a section header (pcapng)",
        ),
        (
            b"\xd4",
            "ends after 1 bytes, the header of a capture takes 4",
        ),
        (
            b"hello world",
            "no capture: it begins with 68 65 6c 6c, expected pcap or pcapng, as it is or in gzip, zstd or lz4",
        ),
        (
            b"BZh91AY",
            "no capture: it begins with 42 5a 68 39 (bzip2; decompress it first), \
             expected pcap or pcapng, as it is or in gzip, zstd or lz4",
        ),
        (
            b"\x1f\x8b\x08\x00",
            "the gzip stream is cut off after 4 bytes",
        ),
    ];
    for (bytes, text) in cases {
        let (frames, facts) = read_capture(bytes);
        assert_eq!(frames, []);
        assert_eq!(facts.format, None);
        let problem = Problem::new(Severity::Unreadable, text);
        assert_eq!(facts.problems, [problem]);
    }
}

#[test]
fn a_capture_without_frames_is_no_problem() {
    let (frames, facts) = read_capture(&capture(5, 0));
    assert_eq!(frames, []);
    assert_eq!((facts.first_timestamp, facts.problems), (None, vec![]));
}

#[test]
fn several_captures_are_read_in_time_order() {
    let captures = [
        capture(300, 2),
        b"foreign".to_vec(),
        capture(100, 3),
        capture(200, 1),
    ];
    let (frames, facts) = read(Memory::several(captures, &blocks_of(64)));
    let seconds: Vec<i64> = frames.iter().map(|f| f.nanos / 1_000_000_000).collect();
    assert_eq!(seconds, [100, 101, 102, 200, 300, 301]);
    let places: Vec<(u32, u64)> = frames.iter().map(|f| (f.file, f.number)).collect();
    assert_eq!(places, [(0, 1), (0, 2), (0, 3), (1, 1), (2, 1), (2, 2)]);
    assert_eq!(facts[3].problems[0].severity, Severity::Unreadable);
}

#[test]
fn files_are_hashed_and_counted_as_stored() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("a\u{1b}.pcap");
    std::fs::write(&path, gzip(&capture(5, 10))).expect("written");
    let missing = directory.path().join("missing");
    let paths: Vec<PathBuf> = vec![missing, path.clone(), directory.path().to_owned()];
    let mut source = CaptureFiles::open(&paths, &blocks_of(512));
    let mut block = Block::default();
    while source.fill(&mut block) {}
    let files = source.files();
    assert_eq!(files.len(), 3);
    assert_eq!(files[0].frames, 10);
    assert_eq!(
        files[0].bytes,
        std::fs::metadata(&path).expect("there").len()
    );
    assert_eq!(files[0].sha256.as_ref().map(String::len), Some(64));
    assert!(files[0].path.ends_with("a\u{1b}.pcap"));
    for (file, text) in [
        (1, "cannot be read: No such file"),
        (2, "cannot be read: is a directory"),
    ] {
        let problem = &files[file].problems[0];
        assert_eq!(problem.severity, Severity::Unreadable);
        assert!(problem.text.starts_with(text), "{}", problem.text);
    }
}

#[test]
fn the_hash_is_of_the_stored_bytes() {
    let options = |hash| SourceOptions {
        hash,
        ..SourceOptions::default()
    };
    // sha256sum of the file header of `capture(5, 0)`.
    let bytes = capture(5, 0);
    let hash_of = |hash| {
        read(Memory::new(&bytes[..], &options(hash))).1[0]
            .sha256
            .clone()
    };
    let expected = {
        use sha2::Digest;
        let digest = sha2::Sha256::digest(&bytes);
        digest
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect::<String>()
    };
    assert_eq!(hash_of(HashPolicy::Always), Some(expected.clone()));
    assert_eq!(hash_of(HashPolicy::UpTo(24)), Some(expected));
    assert_eq!(hash_of(HashPolicy::UpTo(23)), None);
    assert_eq!(hash_of(HashPolicy::Never), None);
}

#[test]
fn a_pipe_that_is_still_written_to() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&path).status();
    assert!(made.expect("mkfifo runs").success());
    let bytes = capture(5, 50);
    let (expected, _) = read_capture(&bytes);
    let writer = std::thread::spawn({
        let path = path.clone();
        move || {
            let mut pipe = std::fs::File::create(path).expect("opened");
            for piece in bytes.chunks(37) {
                pipe.write_all(piece).expect("written");
                pipe.flush().expect("flushed");
            }
        }
    });
    let source = CaptureFiles::open(&[path], &blocks_of(1024));
    assert_eq!(source.progress().total_bytes, None);
    let (frames, facts) = read(source);
    writer.join().expect("wrote");
    assert_eq!(frames, expected);
    assert_eq!(facts[0].problems, []);
    assert!(facts[0].sha256.is_some());
}

#[test]
fn progress_counts_stored_bytes() {
    let bytes = gzip(&capture(5, 1000));
    let mut source = Memory::new(&bytes[..], &blocks_of(256));
    let mut block = Block::default();
    assert!(source.fill(&mut block));
    assert_eq!(source.progress().total_bytes, Some(bytes.len() as u64));
    while source.fill(&mut block) {}
    assert_eq!(source.progress().bytes, bytes.len() as u64);
}
