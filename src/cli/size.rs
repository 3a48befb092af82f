//! Sizes with units, as people type them.

/// Units by what follows the number, in lower case.
const UNITS: [(&str, u64); 13] = [
    ("", 1),
    ("b", 1),
    ("kb", 1_000),
    ("mb", 1_000_000),
    ("gb", 1_000_000_000),
    ("k", 1 << 10),
    ("kib", 1 << 10),
    ("m", 1 << 20),
    ("mib", 1 << 20),
    ("g", 1 << 30),
    ("gib", 1 << 30),
    ("t", 1 << 40),
    ("tib", 1 << 40),
];

/// Bytes of a size: `67108864`, `64MiB` or `64M` (binary), `64MB` (decimal).
///
/// # Errors
///
/// Says what is wrong with it; the caller names the flag.
pub(super) fn parse(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let digits = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let number: u64 = number
        .parse()
        .map_err(|_| "expected a whole number with a unit, for example 64MiB".to_owned())?;
    let unit = unit.trim().to_ascii_lowercase();
    let known = UNITS.iter().find(|(name, _)| *name == unit);
    let (_, factor) =
        known.ok_or_else(|| format!("unknown unit `{unit}`: use kB, MB, GB, KiB, MiB or GiB"))?;
    number
        .checked_mul(*factor)
        .ok_or_else(|| "too large".to_owned())
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn units_are_binary_or_decimal() {
        assert_eq!(parse("64MiB"), Ok(64 << 20));
        assert_eq!(parse("64m"), Ok(64 << 20));
        assert_eq!(parse("64 MB"), Ok(64_000_000));
        assert_eq!(parse("1500"), Ok(1_500));
        assert_eq!(parse("2GiB"), Ok(2 << 30));
    }

    #[test]
    fn nonsense_is_explained() {
        assert!(parse("").is_err_and(|why| why.contains("64MiB")));
        assert!(parse("-1MiB").is_err_and(|why| why.contains("64MiB")));
        assert!(parse("64 parsecs").is_err_and(|why| why.contains("parsecs")));
        assert_eq!(parse("99999999999TiB"), Err("too large".to_owned()));
    }
}
