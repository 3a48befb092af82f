//! `MANIFEST.json` of a bundle: what is in it, what it was made of, and how.
//!
//! The names are a published interface (`schema_version` 1): fields may be added, none
//! is renamed or left out. Absent is `null`, never 0. Nothing here reads a clock, an
//! environment or a host: whoever knows hands it in.

use super::hashed::Hashed;
use crate::report::document::{Time, Tool};
use crate::report::json;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// Version of the manifest's shape; a change that breaks readers raises it.
pub const SCHEMA_VERSION: u32 = 1;

/// What is in a bundle, and what it was made of.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Manifest {
    /// Version of this document's shape: 1.
    pub schema_version: u32,
    /// What wrote it.
    pub tool: Tool,
    /// When the bundle was made.
    pub created: Time,
    /// The words that made it, the program's name included; `null` if anonymized.
    pub command_line: Option<Vec<String>>,
    /// The time that the captures span.
    pub capture: Span,
    /// What was read, in reading order.
    pub inputs: Vec<Input>,
    /// What is in the bundle beside this file, in the order it was written.
    pub outputs: Vec<Output>,
    /// What was replaced by something else; `null` if nothing was.
    pub anonymized: Option<Anonymized>,
    /// Ids of the findings that an analysis of the bundle's capture finds again; of a
    /// comparison, those of which all frames that they name are in it.
    pub findings_repeated: Vec<String>,
    /// Ids of those that it does not, as their frames had no room in it
    /// (`--evidence-bytes`).
    pub findings_not_repeated: Vec<String>,
    /// The finding that an analysis of the bundle's capture begins with, if that is another
    /// than the report's, or one of another severity there; `null` if it is the same.
    pub finding_that_leads_instead: Option<String>,
    /// fraglens's own bounds that were hit, by name, and how often; empty if none.
    pub limits: BTreeMap<String, u64>,
    /// The host that captured; `null` unless the bundle was made there while it did.
    pub host: Option<Host>,
}

/// The time that captures span.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Span {
    /// The earliest frame; `null` if there is none.
    pub first_timestamp: Option<Time>,
    /// The latest.
    pub last_timestamp: Option<Time>,
}

/// A capture that was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Input {
    /// The path as given; `-` for standard input.
    pub path: String,
    /// Length of the file as stored; of standard input, what was read from it.
    pub bytes: u64,
    /// SHA-256 of the file as stored, in lower-case hex; `null` if it could not be read or
    /// was not to be hashed.
    pub sha256: Option<String>,
    /// The point of the path where it was captured, as the report names it; `null` unless
    /// captures at several points were compared, and of one that is off their path.
    pub point: Option<String>,
}

/// A file of the bundle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Output {
    /// Its name in the folder of the bundle.
    pub name: String,
    /// Its length.
    pub bytes: u64,
    /// Its SHA-256 in lower-case hex.
    pub sha256: String,
}

impl Output {
    /// A file of that name and content.
    pub fn new(name: &str, content: Hashed) -> Self {
        Self {
            name: name.to_owned(),
            bytes: content.bytes,
            sha256: content.sha256,
        }
    }
}

/// What was replaced by something else.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Anonymized {
    /// Different addresses that were mapped, in the capture and in the reports.
    pub addresses: u64,
    /// Whether MAC addresses were mapped too.
    pub macs: bool,
    /// Whether VLAN and tunnel ids were mapped too.
    pub ids: bool,
}

/// The host that captured.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Host {
    /// Its name; `null` if anonymized.
    pub hostname: Option<String>,
    /// Release of its kernel, as `uname -r` prints it; `null` if it does not say.
    pub kernel_release: Option<String>,
    /// The interfaces that were captured on.
    pub interfaces: Vec<HostInterface>,
}

/// An interface that was captured on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct HostInterface {
    /// Its name; `null` if anonymized.
    pub name: Option<String>,
    /// What kind of device it is, in the words of `ip -d link`.
    pub kind: String,
    /// The largest packet it sends, in bytes; `null` if it does not say.
    pub mtu: Option<u32>,
}

impl Manifest {
    /// An empty bundle.
    pub fn new(created: Time) -> Self {
        Self {
            schema_version: SCHEMA_VERSION,
            tool: Tool::THIS,
            created,
            command_line: None,
            capture: Span::default(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            anonymized: None,
            findings_repeated: Vec::new(),
            findings_not_repeated: Vec::new(),
            finding_that_leads_instead: None,
            limits: BTreeMap::new(),
            host: None,
        }
    }

    /// The same without what names this host, its interfaces or what was typed on it.
    /// Paths are for whoever hands them in: reports in the bundle name them as well.
    pub fn anonymize(&mut self, anonymized: Anonymized) {
        self.anonymized = Some(anonymized);
        self.command_line = None;
        if let Some(host) = &mut self.host {
            host.hostname = None;
            for interface in &mut host.interfaces {
                interface.name = None;
            }
        }
    }

    /// Writes the document, indented, and a line break.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        json::write_document(self, out)
    }
}

/// The JSON Schema (draft 2020-12) of the manifest.
pub fn schema() -> Schema {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let mut schema = settings.into_generator().into_root_schema_for::<Manifest>();
    schema.insert("title".to_owned(), "fraglens evidence manifest".into());
    schema.insert(
        "description".to_owned(),
        "What is in an evidence bundle (schema_version 1). Fields may be added; none is renamed. \
         Absent is null, never 0."
            .into(),
    );
    schema
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::model::Timestamp;
    use crate::report::escape;
    use serde_json::{Value, json};

    const CREATED: Time = Time(Timestamp(1_767_323_045_000_000_000));

    fn full() -> Manifest {
        let interface = HostInterface {
            name: Some("eth0".to_owned()),
            kind: "physical".to_owned(),
            mtu: Some(1500),
        };
        Manifest {
            command_line: Some(["fraglens", "evidence", "a.pcap"].map(str::to_owned).into()),
            capture: Span {
                first_timestamp: Some(CREATED),
                last_timestamp: Some(CREATED),
            },
            inputs: vec![
                Input {
                    path: "a\u{202e}\u{1b}[2J.pcap".to_owned(),
                    bytes: 3,
                    sha256: Some("00ff".to_owned()),
                    point: Some("A".to_owned()),
                },
                Input {
                    path: "-".to_owned(),
                    bytes: 7,
                    sha256: None,
                    point: None,
                },
            ],
            outputs: vec![Output::new(
                "report.html",
                Hashed {
                    bytes: 9,
                    sha256: "ff00".to_owned(),
                },
            )],
            findings_repeated: vec!["D09".to_owned()],
            findings_not_repeated: vec!["D01".to_owned()],
            limits: [("frames".to_owned(), 2)].into(),
            host: Some(Host {
                hostname: Some("node-7".to_owned()),
                kernel_release: Some("6.12.1".to_owned()),
                interfaces: vec![interface],
            }),
            ..Manifest::new(CREATED)
        }
    }

    fn anonymized() -> Manifest {
        let mut manifest = full();
        manifest.anonymize(Anonymized {
            addresses: 12,
            macs: true,
            ids: false,
        });
        manifest
    }

    fn text(manifest: &Manifest) -> String {
        let mut out = Vec::new();
        manifest.write(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    fn value(manifest: &Manifest) -> Value {
        serde_json::from_str(&text(manifest)).unwrap()
    }

    #[test]
    fn every_manifest_satisfies_the_schema() {
        let schema = serde_json::to_value(schema()).unwrap();
        let validator = jsonschema::validator_for(&schema).unwrap();
        for manifest in [Manifest::new(CREATED), full(), anonymized()] {
            let value = value(&manifest);
            let errors: Vec<_> = validator.iter_errors(&value).collect();
            assert!(errors.is_empty(), "{errors:?}");
        }
        let required = schema["required"].as_array().unwrap();
        for name in ["command_line", "anonymized", "host", "limits"] {
            assert!(required.contains(&name.into()), "{name}");
        }
    }

    #[test]
    fn what_is_known_is_in_it() {
        let value = value(&full());
        assert_eq!(value["created"], "2026-01-02T03:04:05.000000000Z");
        assert_eq!(value["schema_version"], 1);
        assert_eq!(value["tool"]["name"], "fraglens");
        assert_eq!(value["inputs"][0]["path"], "a\u{202e}\u{1b}[2J.pcap");
        assert_eq!(value["inputs"][0]["point"], "A");
        assert_eq!(value["inputs"][1]["sha256"], Value::Null);
        assert_eq!(value["inputs"][1]["point"], Value::Null);
        let report = json!({ "name": "report.html", "bytes": 9, "sha256": "ff00" });
        assert_eq!(value["outputs"], json!([report]));
        assert_eq!(value["anonymized"], Value::Null);
        assert_eq!(value["host"]["interfaces"][0]["mtu"], 1500);
    }

    #[test]
    fn names_of_the_host_do_not_get_out_anonymized() {
        let value = value(&anonymized());
        assert_eq!(value["command_line"], Value::Null);
        assert_eq!(value["host"]["hostname"], Value::Null);
        assert_eq!(value["host"]["interfaces"][0]["name"], Value::Null);
        assert_eq!(value["host"]["kernel_release"], "6.12.1");
        assert_eq!(value["anonymized"]["addresses"], 12);
    }

    #[test]
    fn hostile_paths_are_kept_and_not_shown() {
        assert!(!text(&full()).replace('\n', "").contains(escape::is_active));
    }
}
