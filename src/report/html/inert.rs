//! What every value goes through on its way into the page.

use crate::report::escape;
use askama::filters::{Escaper, Html};
use std::fmt;

/// Makes text visible that would hide or reorder what is around it, and then escapes
/// it for HTML, attributes included.
#[derive(Clone, Copy, Debug)]
pub struct Inert;

impl Escaper for Inert {
    fn write_escaped_str<W: fmt::Write>(&self, out: W, text: &str) -> fmt::Result {
        Html.write_escaped_str(out, &escape::line(text))
    }
}

/// The same, as a value of its own.
pub(super) fn inert(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    // Writing to a String cannot fail.
    let _ = Inert.write_escaped_str(&mut out, text);
    out
}

#[cfg(test)]
mod tests {
    use super::inert;

    #[test]
    fn nothing_gets_out_of_text_or_attribute() {
        assert_eq!(
            inert("\"><script>alert('1')</script>"),
            "&#34;&#62;&#60;script&#62;alert(&#39;1&#39;)&#60;/script&#62;"
        );
        assert_eq!(inert("txt\u{202e}pacp\n"), "txt\\u{202e}pacp\\u{a}");
        assert_eq!(inert("köln 東京"), "köln 東京");
    }
}
