//! What is handed over can be checked: by hash, by name, and packed.

use super::{Bundle, FILES, names};
use crate::support::{fraglens, pcap};
use fraglens::evidence::manifest;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

/// What sha256sum says of a file.
pub fn sha256sum(path: &Path) -> String {
    let output = Command::new("sha256sum").arg(path).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    text.split(' ').next().unwrap().to_owned()
}

#[test]
fn hashes_are_those_of_sha256sum() {
    let inputs = ["netperf-clean.pcap.gz", "sample.pcap", "rotated-1.pcap"];
    let bundle = Bundle::fine(inputs);
    let manifest = bundle.manifest();
    let mut seen = Vec::new();
    for input in manifest["inputs"].as_array().unwrap() {
        let path = input["path"].as_str().unwrap();
        seen.push(path.to_owned());
        assert_eq!(input["sha256"], sha256sum(&pcap(path)));
        assert_eq!(input["bytes"], fs::metadata(pcap(path)).unwrap().len());
    }
    seen.sort();
    assert_eq!(
        seen,
        ["netperf-clean.pcap.gz", "rotated-1.pcap", "sample.pcap"]
    );
    let mut written = vec!["MANIFEST.json".to_owned()];
    for output in manifest["outputs"].as_array().unwrap() {
        let name = output["name"].as_str().unwrap();
        written.push(name.to_owned());
        let path = bundle.path(name);
        assert_eq!(output["sha256"], sha256sum(&path), "{name}");
        assert_eq!(output["bytes"], fs::metadata(path).unwrap().len(), "{name}");
    }
    written.sort();
    assert_eq!(written, FILES);
    assert_eq!(names(&bundle.folder), FILES);
}

#[test]
fn it_satisfies_its_schema_and_says_how_it_was_made() {
    let bundle = Bundle::fine(["interfaces.pcapng", "--top", "3"]);
    let manifest = bundle.manifest();
    let schema = serde_json::to_value(manifest::schema()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<_> = validator.iter_errors(&manifest).collect();
    assert!(errors.is_empty(), "{errors:?}");
    let words = super::words(&manifest["command_line"]);
    assert_eq!(words[1..3], ["evidence", "--output"]);
    assert_eq!(words[4..], ["interfaces.pcapng", "--top", "3"]);
    let capture = &bundle.report()["capture"];
    for time in ["first_timestamp", "last_timestamp"] {
        assert_eq!(manifest["capture"][time], capture[time]);
    }
    assert_eq!(manifest["anonymized"], serde_json::Value::Null);
}

#[test]
fn it_is_readable_as_the_umask_says() {
    for (umask, folder_mode, file_mode) in [("022", 0o755, 0o644), ("027", 0o750, 0o640)] {
        let home = tempfile::tempdir().unwrap();
        let script = format!(
            "umask {umask}; exec '{}' evidence '{}' -o bundle --tar bundle.tar.zst",
            env!("CARGO_BIN_EXE_fraglens"),
            pcap("sample.pcap").display()
        );
        let status = Command::new("sh")
            .args(["-c", &script])
            .current_dir(home.path())
            .status()
            .unwrap();
        assert!(status.success());
        let mode = |path: &str| {
            let found = fs::metadata(home.path().join(path)).unwrap();
            found.permissions().mode() & 0o7777
        };
        assert_eq!(mode("bundle"), folder_mode);
        assert_eq!(mode("bundle.tar.zst"), file_mode);
        for name in FILES {
            assert_eq!(mode(&format!("bundle/{name}")), file_mode, "{name}");
        }
    }
}

#[test]
fn the_archive_holds_the_same() {
    let home = tempfile::tempdir().unwrap();
    let archive = home.path().join("case.tar.zst");
    let bundle = Bundle::fine(["netperf-loss3.pcap.zst", "--tar", archive.to_str().unwrap()]);
    let run = |program: &str, arguments: &[&str]| {
        let output = Command::new(program)
            .args(arguments)
            .current_dir(home.path())
            .output()
            .unwrap();
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.success(), errors.as_str()), (true, ""));
    };
    fs::create_dir(home.path().join("by-tar")).unwrap();
    fs::create_dir(home.path().join("by-zstd")).unwrap();
    run("tar", &["--zstd", "-xpf", "case.tar.zst", "-C", "by-tar"]);
    run("zstd", &["-q", "-d", "case.tar.zst"]);
    run("tar", &["-xpf", "case.tar", "-C", "by-zstd"]);
    for unpacked in ["by-tar/bundle", "by-zstd/bundle"] {
        let unpacked = home.path().join(unpacked);
        assert_eq!(names(&unpacked), FILES);
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o7777;
        assert_eq!(mode(&unpacked), 0o755);
        for name in FILES {
            let path = unpacked.join(name);
            assert!(fs::read(&path).unwrap() == bundle.bytes(name), "{name}");
            assert_eq!(mode(&path), 0o644, "{name}");
        }
    }
}

#[test]
fn the_same_input_gives_the_same_files() {
    let make = || Bundle::fine(["--threads", "2", "two-tenants.pcap"]);
    let (one, other) = (make(), make());
    for name in FILES.iter().filter(|name| **name != "MANIFEST.json") {
        assert!(one.bytes(name) == other.bytes(name), "{name}");
    }
    let analyzed = fraglens()
        .args(["analyze", "--format", "json", "two-tenants.pcap"])
        .args(["--timeline-bucket", "10ms"])
        .output()
        .unwrap();
    assert_eq!(
        String::from_utf8(analyzed.stdout).unwrap(),
        one.text("report.json")
    );
}
