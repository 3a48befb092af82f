//! The whole document as JSON, causes, and network interfaces.

use super::document::Report;
use super::escape::is_active;
use crate::diagnose::Cause;
use crate::host::Interface;
use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::{CompactFormatter, Formatter};
use std::io::{self, Write};

/// Writes the document, indented, and a line break.
pub fn write(report: &Report, out: &mut impl Write) -> io::Result<()> {
    write_with(report, Indented::default(), out)
}

/// Writes any document, indented, and a line break.
pub fn write_document(document: &impl Serialize, out: &mut impl Write) -> io::Result<()> {
    write_with(document, Indented::default(), out)
}

/// Writes causes as an array, indented, and a line break.
pub fn write_causes(causes: &[&Cause], out: &mut impl Write) -> io::Result<()> {
    write_with(causes, Indented::default(), out)
}

/// Writes network interfaces as an array, indented, and a line break.
pub fn write_interfaces(interfaces: &[Interface], out: &mut impl Write) -> io::Result<()> {
    write_with(interfaces, Indented::default(), out)
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

/// Two blanks for each level, as [`serde_json::ser::PrettyFormatter`] has them, but a line break
/// and all blanks behind it at once: those are a call for each level there.
#[derive(Default)]
struct Indented {
    levels: usize,
    /// Whether anything is in what was opened last.
    has_value: bool,
}

/// A line break, and blanks for more levels than any document has.
const BREAK: &str = "\n                                                                ";

impl Indented {
    fn open<W: ?Sized + Write>(&mut self, out: &mut W, bracket: &[u8]) -> io::Result<()> {
        self.levels += 1;
        self.has_value = false;
        out.write_all(bracket)
    }

    fn close<W: ?Sized + Write>(&mut self, out: &mut W, bracket: &[u8]) -> io::Result<()> {
        self.levels -= 1;
        if self.has_value {
            self.start_line(out)?;
        }
        out.write_all(bracket)
    }

    fn next<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        if !first {
            out.write_all(b",")?;
        }
        self.start_line(out)
    }

    fn start_line<W: ?Sized + Write>(&self, out: &mut W) -> io::Result<()> {
        let bytes = 1 + 2 * self.levels;
        match BREAK.as_bytes().get(..bytes) {
            Some(start) => out.write_all(start),
            None => write!(out, "\n{:1$}", "", bytes - 1),
        }
    }
}

impl Formatter for Indented {
    fn begin_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.open(out, b"[")
    }

    fn end_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.close(out, b"]")
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.next(out, first)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.has_value = true;
        Ok(())
    }

    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.open(out, b"{")
    }

    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.close(out, b"}")
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.next(out, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(b": ")
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.has_value = true;
        Ok(())
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    fn document() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<u32>().prop_map(Value::from),
            "[a-z]{0,3}".prop_map(Value::from),
        ];
        leaf.prop_recursive(6, 64, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map("[a-z]{1,3}", inner, 0..4)
                    .prop_map(|all| Value::Object(all.into_iter().collect())),
            ]
        })
    }

    fn is_written_as_ever(document: &Value) {
        let mut out = Vec::new();
        assert!(write_document(document, &mut out).is_ok());
        let mut expected = serde_json::to_vec_pretty(document).unwrap_or_default();
        expected.push(b'\n');
        assert_eq!(
            out.escape_ascii().to_string(),
            expected.escape_ascii().to_string()
        );
    }

    proptest! {
        #[test]
        fn documents_are_indented_as_usual(document in document()) {
            is_written_as_ever(&document);
        }
    }

    #[test]
    fn however_deep_they_are() {
        let nested = (0..60).fold(Value::from(1), |inner, _| Value::from(vec![inner]));
        is_written_as_ever(&nested);
    }
}
