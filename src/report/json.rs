//! The whole document as JSON, causes, and network interfaces.

use super::document::Report;
use super::escape::is_active;
use crate::diagnose::Cause;
use crate::host::Interface;
use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter};
use std::io::{self, Write};

/// Writes the document, indented, and a line break.
pub fn write(report: &Report, out: &mut impl Write) -> io::Result<()> {
    write_with(report, PrettyFormatter::new(), out)
}

/// Writes any document, indented, and a line break.
pub fn write_document(document: &impl Serialize, out: &mut impl Write) -> io::Result<()> {
    write_with(document, PrettyFormatter::new(), out)
}

/// Writes causes as an array, indented, and a line break.
pub fn write_causes(causes: &[&Cause], out: &mut impl Write) -> io::Result<()> {
    write_with(causes, PrettyFormatter::new(), out)
}

/// Writes network interfaces as an array, indented, and a line break.
pub fn write_interfaces(interfaces: &[Interface], out: &mut impl Write) -> io::Result<()> {
    write_with(interfaces, PrettyFormatter::new(), out)
}

/// Writes a document on one line, with a line break.
pub fn write_line(document: &impl Serialize, out: &mut impl Write) -> io::Result<()> {
    write_with(document, CompactFormatter, out)
}

fn write_with(
    document: &(impl Serialize + ?Sized),
    form: impl Formatter,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut serializer = Serializer::with_formatter(&mut *out, Inert(form));
    document.serialize(&mut serializer)?;
    out.write_all(b"\n")
}

/// Escapes in strings what JSON lets through but a terminal would act on.
struct Inert<F>(F);

/// Hands calls over to the formatter inside.
macro_rules! hand_over {
    ($($method:ident($($argument:ident: $kind:ty),*);)+) => {
        $(fn $method<W: ?Sized + Write>(&mut self, out: &mut W $(, $argument: $kind)*) -> io::Result<()> {
            self.0.$method(out $(, $argument)*)
        })+
    };
}

impl<F: Formatter> Formatter for Inert<F> {
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        out: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        // Nearly all text is names of fields: nothing in it needs a closer look.
        if fragment.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
            return out.write_all(fragment.as_bytes());
        }
        let mut harmless = fragment;
        while let Some((at, character)) = harmless.char_indices().find(|(_, c)| is_active(*c)) {
            out.write_all(&harmless.as_bytes()[..at])?;
            for unit in character.encode_utf16(&mut [0; 2]) {
                write!(out, "\\u{unit:04x}")?;
            }
            harmless = &harmless[at + character.len_utf8()..];
        }
        out.write_all(harmless.as_bytes())
    }

    hand_over! {
        begin_array();
        end_array();
        begin_array_value(first: bool);
        end_array_value();
        begin_object();
        end_object();
        begin_object_key(first: bool);
        end_object_key();
        begin_object_value();
        end_object_value();
    }
}
