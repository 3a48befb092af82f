//! A bundle without who was captured: nothing in any of its files says who that was, and it
//! says the same.

use super::blocks::{COMMENT, INTERFACE, NAME, PACKET, SECTION, texts};
use super::{Bundle, FILES, Seen, faults_of, findings, frames};
use crate::anonymized::{Secrets, kept};
use crate::findings::capture::Capture;
use crate::findings::packet::{ethernet, icmp, v4, whole};
use crate::support::{Setup, all_captures, fraglens, name, none, pcap, value};
use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use serde_json::Value;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs;
use std::net::IpAddr;
use std::path::{Path, PathBuf};

/// What no file of a bundle may hold: it is in the path of every capture here.
const FOLDER: &str = "alices-folder";

/// The files that are text.
const TEXTS: [&str; 5] = [
    "report.html",
    "report.md",
    "report.json",
    "flows.csv",
    "MANIFEST.json",
];

/// What hides most.
const HIDE: [&str; 2] = ["--anonymize", "--anonymize-ids"];

/// A file with a key, which makes what is found by chance be found always or never.
fn key_file(folder: &Path) -> PathBuf {
    let key: [u8; 32] = std::array::from_fn(|place| place as u8 * 7 + 3);
    let path = folder.join("key");
    fs::write(&path, key).unwrap();
    path
}

#[test]
fn nothing_in_a_bundle_says_who_was_captured() {
    let home = tempfile::tempdir().unwrap();
    let key = key_file(home.path());
    let folder = home.path().join(FOLDER);
    fs::create_dir(&folder).unwrap();
    let examples = addresses_of_examples();
    let always_there = runs_of_an_empty_bundle();
    let captures = all_captures("nothing_in_a_bundle_says_who_was_captured");
    none(&faults_of(&captures, |capture| {
        let copy = folder.join(name(capture));
        fs::copy(capture, &copy).unwrap();
        let mut words = vec![copy.to_str().unwrap(), "--anonymize-key"];
        words.push(key.to_str().unwrap());
        let Some(bundle) = Bundle::if_any([&words[..], &HIDE].concat()) else {
            return Vec::new();
        };
        let original = kept(capture);
        let mut secrets = Secrets::of(&original).with_flows(&original);
        secrets.payload.retain(|run| !always_there.contains(run));
        let mut faults = told(&bundle, &secrets, &examples, &name(capture));
        faults.extend(shown(&bundle, &secrets));
        faults.extend(differences(&bundle, capture));
        let faults = faults.into_iter();
        faults
            .map(|fault| format!("{}: {fault}", name(capture)))
            .collect()
    }));
}

/// All that is written of a capture without frames.
fn runs_of_an_empty_bundle() -> HashSet<[u8; SHORT_RUN]> {
    let bundle = Bundle::fine([&["empty.pcap"][..], &HIDE].concat());
    let texts = TEXTS.map(|file| bundle.bytes(file));
    let runs = texts.iter().flat_map(|text| text.windows(SHORT_RUN));
    runs.map(|run| run.try_into().unwrap()).collect()
}

#[test]
fn what_is_not_hidden_is_found() {
    let capture = pcap("timeout-ipv6.pcap");
    let bundle = Bundle::fine([&capture]);
    let original = kept(&capture);
    let secrets = Secrets::of(&original).with_flows(&original);
    let told = told(&bundle, &secrets, &BTreeSet::new(), "timeout-ipv6.pcap");
    for file in FILES {
        let in_it = format!(" in {file}");
        let is_told = told.iter().any(|fault| fault.ends_with(&in_it));
        assert!(is_told, "nothing of {file} in {told:?}");
    }
    assert!(!shown(&bundle, &secrets).is_empty());
}

/// What the texts of a bundle tell.
fn told(
    bundle: &Bundle,
    secrets: &Secrets,
    examples: &BTreeSet<IpAddr>,
    capture: &str,
) -> Vec<String> {
    let mut faults = Vec::new();
    let capture_texts = texts_of_capture(bundle);
    let texts = TEXTS.map(|file| (file, bundle.text(file)));
    for (file, text) in texts.iter().chain([&("evidence.pcapng", capture_texts)]) {
        let found = addresses_in(text);
        let named = found.intersection(&secrets.addresses);
        let named = named.filter(|address| !examples.contains(address));
        faults.extend(named.map(|address| format!("{address} in {file}")));
        for word in [capture, FOLDER] {
            if text.contains(word) {
                faults.push(format!("{word} in {file}"));
            }
        }
        if let Some(run) = run_of_payload(text.as_bytes(), LONG_RUN, secrets) {
            faults.push(format!(
                "payload {:?} in {file}",
                String::from_utf8_lossy(run)
            ));
        }
        for bytes in decoded(text) {
            if let Some(run) = run_of_payload(&bytes, SHORT_RUN, secrets) {
                faults.push(format!("payload {run:02x?}, encoded, in {file}"));
            }
        }
    }
    if bundle.manifest()["command_line"] != Value::Null {
        faults.push("the command line is told".to_owned());
    }
    faults
}

/// Payload is not as long as this by chance.
const SHORT_RUN: usize = 8;

/// Nor is text, which has words in common with pages.
const LONG_RUN: usize = 24;

/// The first so many bytes of payload in a row.
fn run_of_payload<'b>(bytes: &'b [u8], length: usize, secrets: &Secrets) -> Option<&'b [u8]> {
    let is_payload = |run: &[u8]| {
        run.try_into()
            .is_ok_and(|run: &[u8; SHORT_RUN]| secrets.payload.contains(run))
    };
    let mut begin = 0;
    for (place, run) in bytes.windows(SHORT_RUN).enumerate() {
        if !is_payload(run) {
            begin = place + 1;
        } else if place + SHORT_RUN - begin >= length {
            return bytes.get(begin..begin + length);
        }
    }
    None
}

/// What the frames of a bundle show.
fn shown(bundle: &Bundle, secrets: &Secrets) -> Vec<String> {
    let disguised = kept(&bundle.path("evidence.pcapng"));
    let addresses = Secrets::of(&disguised).with_flows(&disguised).addresses;
    let named = addresses.intersection(&secrets.addresses);
    let named = named.map(|address| format!("{address} in a header"));
    let frames = disguised.frames.iter();
    let found = frames.flat_map(|frame| secrets.found_in(&frame.data));
    named.chain(found).collect()
}

/// What a bundle says otherwise than the capture.
fn differences(bundle: &Bundle, capture: &Path) -> Vec<String> {
    let original = value(&Setup::default().files(&[capture.to_owned()]));
    let report = bundle.report();
    let mut faults = Vec::new();
    if original["totals"] != report["totals"] {
        faults.push("other totals".to_owned());
    }
    let before = findings(&original);
    for (of, after) in [
        ("the report", findings(&report)),
        ("the evidence", bundle.found_again()),
    ] {
        if before != after {
            faults.push(format!("{after:?} instead of {before:?} in {of}"));
        }
    }
    faults
}

/// Comments and names in the capture of a bundle.
fn texts_of_capture(bundle: &Bundle) -> String {
    let file = bundle.bytes("evidence.pcapng");
    let mut all = texts(&file, SECTION, COMMENT);
    all.extend(texts(&file, PACKET, COMMENT));
    all.extend(texts(&file, INTERFACE, NAME));
    all.join("\n")
}

/// Every address in a text, however it is spelled.
fn addresses_in(text: &str) -> BTreeSet<IpAddr> {
    let is_of_address = |c: char| c.is_ascii_hexdigit() || c == '.' || c == ':';
    let words: BTreeSet<&str> = text.split(|c| !is_of_address(c)).collect();
    let spelled = words.into_iter().flat_map(|word| {
        let word = word.trim_matches('.');
        // With a port behind it, after a colon, or as tcpdump has it after a dot.
        let shorter = [word.rsplit_once(':'), word.rsplit_once('.')];
        let shorter = shorter.into_iter().flatten().map(|(address, _)| address);
        let hex = hex_of(word).and_then(|octets| address_of(&octets));
        let parsed = [word, word.trim_end_matches(':')]
            .into_iter()
            .chain(shorter);
        let parsed = parsed.filter_map(|word| word.parse().ok());
        parsed.chain(hex).collect::<Vec<IpAddr>>()
    });
    spelled
        .map(|address| match address {
            IpAddr::V6(v6) => v6.to_ipv4_mapped().map_or(address, IpAddr::V4),
            IpAddr::V4(_) => address,
        })
        .collect()
}

fn address_of(octets: &[u8]) -> Option<IpAddr> {
    let v6 = <[u8; 16]>::try_from(octets).map(IpAddr::from).ok();
    v6.or_else(|| <[u8; 4]>::try_from(octets).map(IpAddr::from).ok())
}

fn hex_of(digits: &str) -> Option<Vec<u8>> {
    let places = (0..digits.len()).step_by(2);
    let bytes = places.map(|place| u8::from_str_radix(digits.get(place..place + 2)?, 16).ok());
    bytes.collect()
}

/// Bytes that a text may hold in hex or base64, in which runs may begin anywhere.
fn decoded(text: &str) -> Vec<Vec<u8>> {
    let mut decoded = Vec::new();
    let hex = text.split(|c: char| !c.is_ascii_hexdigit());
    for digits in hex.filter(|digits| digits.len() >= 16) {
        for start in 0..2 {
            let end = start + (digits.len() - start) / 2 * 2;
            decoded.extend(hex_of(&digits[start..end]));
        }
    }
    let base64 = text.split(|c: char| !(c.is_ascii_alphanumeric() || "+/".contains(c)));
    for digits in base64.filter(|digits| digits.len() >= 11) {
        for start in 0..4 {
            let end = start + (digits.len() - start) / 4 * 4;
            decoded.extend(STANDARD_NO_PAD.decode(&digits[start..end]));
        }
    }
    decoded
}

/// Addresses that stand in every description of a cause.
fn addresses_of_examples() -> BTreeSet<IpAddr> {
    let explained = fraglens()
        .args(["explain", "--format", "json"])
        .output()
        .unwrap();
    addresses_in(&String::from_utf8(explained.stdout).unwrap())
}

#[test]
fn addresses_are_found_however_they_are_spelled() {
    let address: IpAddr = "2001:db8::c0a8:101".parse().unwrap();
    for spelled in [
        "2001:db8::c0a8:101",
        "[2001:DB8::C0A8:0101]:53",
        "2001:0db8:0000:0000:0000:0000:c0a8:0101.",
        "2001:db8::192.168.1.1",
        "20010db80000000000000000C0A80101",
    ] {
        let text = format!("to {spelled}, and on");
        assert!(addresses_in(&text).contains(&address), "{spelled}");
    }
    let address: IpAddr = "192.168.1.1".parse().unwrap();
    for spelled in [
        "192.168.1.1",
        "192.168.1.1:53",
        "192.168.1.1.53",
        "::ffff:192.168.1.1",
        "c0a80101",
    ] {
        let text = format!("(from {spelled})");
        assert!(addresses_in(&text).contains(&address), "{spelled}");
    }
    let runs = decoded("is c0a80101c0a80101, or d29ybGQgcGVhY2Uu here");
    assert!(runs.contains(&hex_of("c0a80101c0a80101").unwrap()));
    assert!(runs.contains(&b"world peace.".to_vec()));
}

#[test]
fn what_was_typed_is_left_out() {
    let words = ["corruption.pcap", "host", "10.0.0.1", "or", "ip6"];
    let bundle = Bundle::fine([&words[..], &["--anonymize"]].concat());
    assert_eq!(bundle.report()["options"]["filter"], "(left out)");
    for file in TEXTS {
        assert!(!bundle.text(file).contains("10.0.0.1"), "{file}");
    }
    assert_eq!(findings(&bundle.report()), bundle.found_again());
    let manifest = bundle.manifest();
    assert_eq!(manifest["command_line"], Value::Null);
    assert_eq!(manifest["host"], Value::Null);
    assert!(manifest["anonymized"]["addresses"].as_u64() > Some(0));
    assert_eq!(manifest["anonymized"]["macs"], true);
    assert_eq!(manifest["anonymized"]["ids"], false);
    assert_eq!(manifest["inputs"][0]["sha256"], Value::Null);
}

/// The container's address is in its MAC address, and words are where none belong.
#[test]
fn what_gives_an_address_away_is_hidden_too() {
    let home = tempfile::tempdir().unwrap();
    let path = v4([172, 17, 0, 2], [172, 17, 0, 3]);
    let mut frame = ethernet(&whole(path, 1, &icmp(200, 0, b"SECRSECRETWORDS", true)));
    frame[..12].copy_from_slice(&[2, 0x42, 172, 17, 0, 3, 2, 0x42, 172, 17, 0, 2]);
    let input = home.path().join("docker.pcap");
    fs::write(&input, Capture::new().frame(frame).pcap()).unwrap();
    let key = key_file(home.path());
    let hidden = Bundle::fine([
        input.as_os_str(),
        "--anonymize".as_ref(),
        "--anonymize-key".as_ref(),
        key.as_os_str(),
    ]);
    let bytes = hidden.bytes("evidence.pcapng");
    for secret in [&[172, 17, 0, 2][..], &[172, 17, 0, 3], b"SECR"] {
        assert!(!bytes.windows(4).any(|run| run == secret), "{secret:?}");
    }
}

#[test]
fn what_a_capture_says_of_its_host_is_left_out() {
    let home = tempfile::tempdir().unwrap();
    let capture = super::hostile::capture(home.path(), "alices-host");
    let bundle = Bundle::fine([[capture.to_str().unwrap()].as_slice(), &HIDE].concat());
    for file in FILES {
        let bytes = bundle.bytes(file);
        let is_in = bytes.windows(6).any(|word| word == b"alices");
        assert!(!is_in, "{file}");
    }
}

/// Where frames went, and what the bundle would be called.
fn mapped(arguments: &[&str]) -> Vec<Seen> {
    let words = [&["two-tenants.pcap", "--anonymize"][..], arguments].concat();
    frames(&[Bundle::fine(words).path("evidence.pcapng")])
}

#[test]
fn the_same_key_maps_to_the_same_and_another_does_not() {
    let home = tempfile::tempdir().unwrap();
    let bytes = key_file(home.path());
    let hex = home.path().join("hex");
    let digits = fs::read(&bytes).unwrap();
    let digits = digits.iter().map(|byte| format!("{byte:02X}"));
    fs::write(&hex, digits.collect::<String>() + "\n").unwrap();
    let with = |key: &Path| mapped(&["--anonymize-key", key.to_str().unwrap()]);
    let once = with(&bytes);
    assert!(once == with(&bytes));
    assert!(once == with(&hex));
    let (one, other) = (mapped(&[]), mapped(&[]));
    assert!(one != other && one != once);
    let original = frames(&[pcap("two-tenants.pcap")]);
    let lengths = |frames: &[Seen]| -> HashMap<i64, u32> {
        let frames = frames.iter();
        frames.map(|seen| (seen.time, seen.wire_bytes)).collect()
    };
    let all = lengths(&original);
    let kept = lengths(&one);
    assert!(
        kept.iter()
            .all(|(time, bytes)| all.get(time) == Some(bytes))
    );
}

#[test]
fn a_key_that_is_none_is_wrong_usage() {
    let here = tempfile::tempdir().unwrap();
    fs::write(here.path().join("short"), "00".repeat(31)).unwrap();
    fs::write(here.path().join("words"), "z".repeat(64)).unwrap();
    let run = |arguments: &[&str]| {
        let output = fraglens()
            .current_dir(here.path())
            .args(["evidence", "-o", "bundle"])
            .arg(pcap("sample.pcap"))
            .args(arguments)
            .output()
            .unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        (output.status.code(), said)
    };
    for key in ["short", "words"] {
        let (status, said) = run(&["--anonymize", "--anonymize-key", key]);
        assert_eq!(status, Some(2), "{said}");
        assert!(
            said.starts_with(&format!("fraglens: {key}: no key")),
            "{said}"
        );
    }
    let (status, said) = run(&["--anonymize", "--anonymize-key", "missing"]);
    assert_eq!(status, Some(1), "{said}");
    assert!(said.contains("cannot read missing"), "{said}");
    let (status, said) = run(&["--anonymize-key", "short"]);
    assert_eq!(status, Some(2), "{said}");
    assert_eq!(super::names(here.path()), ["short", "words"]);
}
