//! The JSON Schema of the document.

use super::Comparison;
use schemars::Schema;
use schemars::generate::SchemaSettings;
use std::io::{self, Write};

/// The JSON Schema (draft 2020-12) of what `compare --format json` prints.
pub fn schema() -> Schema {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let generator = settings.into_generator();
    let mut schema = generator.into_root_schema_for::<Comparison>();
    schema.insert("title".to_owned(), "fraglens comparison".into());
    schema.insert(
        "description".to_owned(),
        "What fraglens says of captures of the same traffic at several points of its path \
         (schema_version 1). Fields may be added; none is renamed. Absent is null, never 0."
            .into(),
    );
    schema
}

/// Writes the schema, indented, and a line break.
pub fn write(out: &mut impl Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, &schema())?;
    out.write_all(b"\n")
}
