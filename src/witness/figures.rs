//! Numbers as programs print them. Whatever is not plainly a number that is finite and
//! not negative is `None`.

/// `119410`: digits and nothing else.
pub(super) fn count(text: &str) -> Option<u64> {
    is_made_of(text, |byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

/// `1042.95`: digits and at most one point.
pub(super) fn figure(text: &str) -> Option<f64> {
    let is_plain = is_made_of(text, |byte| byte.is_ascii_digit() || byte == b'.');
    finite(is_plain.then(|| text.parse().ok())??)
}

/// As [`figure`], with commas between the thousands.
pub(super) fn grouped(text: &str) -> Option<f64> {
    figure(&text.replace(',', ""))
}

/// A figure in another unit.
pub(super) fn times(figure: f64, factor: f64) -> Option<f64> {
    finite(figure * factor)
}

/// The figure, if it is one.
pub(super) fn finite(figure: f64) -> Option<f64> {
    (figure.is_finite() && figure >= 0.0).then_some(figure)
}

/// The nearest whole number, if 64 bits hold it.
pub(super) fn rounded(figure: f64) -> Option<u64> {
    (finite(figure)? < u64::MAX as f64).then_some(figure.round() as u64)
}

/// The number that a prefix stands for in steps of `step`: nothing, `K`, `M`, `G` or
/// `T`.
pub(super) fn prefix(prefix: &str, step: f64) -> Option<f64> {
    let steps = match prefix {
        "" => 0,
        "K" => 1,
        "M" => 2,
        "G" => 3,
        "T" => 4,
        _ => return None,
    };
    Some(step.powi(steps))
}

fn is_made_of(text: &str, allowed: impl Fn(u8) -> bool) -> bool {
    !text.is_empty() && text.bytes().all(allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_numbers_are_numbers() {
        assert_eq!(count("119410"), Some(119_410));
        assert_eq!(figure("1042.95"), Some(1042.95));
        assert_eq!(figure(".5"), Some(0.5));
        assert_eq!(grouped("332,398,592"), Some(332_398_592.0));
        for text in [
            "", ".", "-1", "+1", "1e9", "nan", "inf", "0x1", "1.2.3", "١",
        ] {
            assert_eq!(count(text), None, "{text}");
            assert_eq!(figure(text), None, "{text}");
        }
    }

    #[test]
    fn what_is_too_large_is_no_number() {
        assert_eq!(count("18446744073709551616"), None);
        assert_eq!(figure(&"9".repeat(400)), None);
        assert_eq!(times(1e300, 1e9), None);
        assert_eq!(rounded(1e30), None);
        assert_eq!(rounded(u64::MAX as f64), None);
        assert_eq!(rounded(2.5), Some(3));
    }

    #[test]
    fn a_prefix_is_a_power_of_its_step() {
        assert_eq!(prefix("", 1000.0), Some(1.0));
        assert_eq!(prefix("G", 1000.0), Some(1e9));
        assert_eq!(prefix("M", 1024.0), Some(1_048_576.0));
        assert_eq!(prefix("k", 1000.0), None);
    }
}
