//! The JSON Schema of the document.

use super::document::Report;
use schemars::Schema;
use schemars::generate::SchemaSettings;
use std::io::{self, Write};

/// The JSON Schema (draft 2020-12) of what `--format json` prints.
pub fn schema() -> Schema {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let mut schema = settings.into_generator().into_root_schema_for::<Report>();
    schema.insert("title".to_owned(), "fraglens report".into());
    schema.insert(
        "description".to_owned(),
        "What fraglens says of a packet capture (schema_version 1). Fields may be added; \
         none is renamed. Absent is null, never 0."
            .into(),
    );
    schema
}

/// Writes the schema, indented, and a line break.
pub fn write(out: &mut impl Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, &schema())?;
    out.write_all(b"\n")
}
