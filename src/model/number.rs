//! Every number a person reads is formatted here, and so is "no data".

/// What stands where a figure is absent. Never 0: that would be a measurement.
pub const ABSENT: &str = "-";

/// `84701` as `84,701`.
pub fn count(value: u64) -> String {
    let digits = value.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A count in at most five characters, for where figures change while one looks:
/// `84.7k`, `1.20M`.
pub fn short(value: f64) -> String {
    let shown = scaled(value, 1000.0, &["", "k", "M", "G", "T", "P", "E"]);
    shown.replace(' ', "")
}

/// A count with its noun: `1 frame`, `2 frames`.
pub fn counted(value: u64, noun: &str) -> String {
    let (stem, ending) = match (value, noun.strip_suffix('y')) {
        (1, _) => (noun, ""),
        (_, Some(stem)) if !stem.ends_with(['a', 'e', 'o', 'u']) => (stem, "ies"),
        _ => (noun, "s"),
    };
    format!("{} {stem}{ending}", count(value))
}

/// `2nd`, `13th`.
pub fn ordinal(number: u64) -> String {
    let ending = match (number % 100, number % 10) {
        (11..=13, _) => "th",
        (_, 1) => "st",
        (_, 2) => "nd",
        (_, 3) => "rd",
        _ => "th",
    };
    format!("{}{ending}", count(number))
}

/// A figure that may be absent.
pub fn or_absent<T>(value: Option<T>, format: impl FnOnce(T) -> String) -> String {
    value.map_or_else(|| ABSENT.to_owned(), format)
}

/// A share in percent with one digit. Only all is `100 %` and only none is `0 %`:
/// what rounds to either is `>99.9 %` or `<0.1 %`.
pub fn percent(part: u64, whole: u64) -> String {
    if whole == 0 {
        return ABSENT.to_owned();
    }
    share(part as f64 / whole as f64)
}

/// As [`percent`], from a ratio.
pub fn share(ratio: f64) -> String {
    let percent = ratio * 100.0;
    if !percent.is_finite() {
        ABSENT.to_owned()
    } else if percent == 0.0 {
        "0 %".to_owned()
    } else if percent == 100.0 {
        "100 %".to_owned()
    } else if percent > 0.0 && percent < 0.1 {
        "<0.1 %".to_owned()
    } else if percent > 99.9 && percent < 100.0 {
        ">99.9 %".to_owned()
    } else {
        format!("{percent:.1} %")
    }
}

/// Bits per second in decimal units: `1.05 Gbit/s`.
pub fn bit_rate(bits_per_second: f64) -> String {
    scaled(
        bits_per_second,
        1000.0,
        &["bit/s", "kbit/s", "Mbit/s", "Gbit/s", "Tbit/s"],
    )
}

/// Bytes in binary units: `1.47 GiB`.
pub fn bytes(bytes: u64) -> String {
    if bytes == 1 {
        return "1 byte".to_owned();
    }
    scaled(
        bytes as f64,
        1024.0,
        &["bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"],
    )
}

/// Events per second: `17,673 packets/s`, `0.50 packets/s`.
pub fn rate(per_second: f64, nouns: &str) -> String {
    if !per_second.is_finite() {
        return ABSENT.to_owned();
    }
    if per_second >= 10.0 {
        format!("{} {nouns}/s", count(per_second.round() as u64))
    } else {
        format!("{} {nouns}/s", three_digits(per_second))
    }
}

/// A span of time: `12.3 ms`, `1 s`, `61.9 s`, `3 min 05 s`, `2 h 07 min`.
pub fn duration(seconds: f64) -> String {
    if !seconds.is_finite() {
        return ABSENT.to_owned();
    }
    // Whole seconds from a minute on, whole minutes from an hour on.
    let whole = seconds.abs().round() as u64;
    match seconds.abs() {
        size if size < 100.0 && size == whole as f64 => format!("{seconds} s"),
        // A digit less would be none.
        size if size < 5e-9 => format!("{:.0} ns", seconds * 1e9),
        size if size < 1e-3 => format!("{} us", three_digits(seconds * 1e6)),
        size if size < 1.0 => format!("{} ms", three_digits(seconds * 1e3)),
        size if size < 100.0 => format!("{} s", three_digits(seconds)),
        size if size < 3600.0 => format!("{} min {:02} s", whole / 60, whole % 60),
        _ => format!("{} h {:02} min", count(whole / 3600), whole % 3600 / 60),
    }
}

/// A range of small numbers whose ends may be equal: `47`, `1444-1451`. MTUs and
/// the like are customarily written without separators.
pub fn range(from: u32, to: u32) -> String {
    if from == to {
        from.to_string()
    } else {
        format!("{from}-{to}")
    }
}

/// The largest unit that leaves a figure of at least 1.
fn scaled(value: f64, step: f64, units: &[&str]) -> String {
    if !value.is_finite() {
        return ABSENT.to_owned();
    }
    let mut value = value;
    let mut unit = 0;
    // 999.5 would be shown as 1000.
    while value.abs() >= step - 0.5 && unit + 1 < units.len() {
        value /= step;
        unit += 1;
    }
    let figure = if unit == 0 {
        format!("{value:.0}")
    } else {
        three_digits(value)
    };
    format!("{figure} {}", units[unit])
}

/// Three significant digits, more only in front of the point.
fn three_digits(value: f64) -> String {
    // The borders are where rounding would add a digit.
    match value.abs() {
        0.0 => "0".to_owned(),
        size if size < 9.995 => format!("{value:.2}"),
        size if size < 99.95 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_separated() {
        let shown: Vec<String> = [0, 999, 1000, 84_701, 1_000_000].map(count).into();
        assert_eq!(shown, ["0", "999", "1,000", "84,701", "1,000,000"]);
        assert_eq!(count(u64::MAX), "18,446,744,073,709,551,615");
        assert_eq!(counted(1, "frame"), "1 frame");
        assert_eq!(counted(0, "frame"), "0 frames");
        assert_eq!(
            [1, 2].map(|copies| counted(copies, "copy")),
            ["1 copy", "2 copies"]
        );
        assert_eq!(counted(2, "relay"), "2 relays");
    }

    #[test]
    fn only_all_is_everything_and_only_none_is_nothing() {
        assert_eq!(percent(0, 10), "0 %");
        assert_eq!(percent(10, 10), "100 %");
        assert_eq!(percent(1, 1_000_000), "<0.1 %");
        assert_eq!(percent(999_999, 1_000_000), ">99.9 %");
        assert_eq!(percent(24, 100), "24.0 %");
        assert_eq!(percent(0, 0), ABSENT);
        assert_eq!(share(f64::NAN), ABSENT);
    }

    #[test]
    fn units_change_where_the_figure_would_need_a_fourth_digit() {
        assert_eq!(bit_rate(0.0), "0 bit/s");
        assert_eq!(bit_rate(999.6), "1.00 kbit/s");
        assert_eq!(bit_rate(1_052_340_000.0), "1.05 Gbit/s");
        assert_eq!(bit_rate(860_000.0), "860 kbit/s");
        assert_eq!(bit_rate(f64::INFINITY), ABSENT);
        assert_eq!(bytes(0), "0 bytes");
        assert_eq!(bytes(1), "1 byte");
        assert_eq!(bytes(64 << 20), "64.0 MiB");
        assert_eq!(bytes(u64::MAX), "16.0 EiB");
        assert_eq!(rate(17_673.4, "packets"), "17,673 packets/s");
        assert_eq!(rate(0.5, "packets"), "0.50 packets/s");
    }

    #[test]
    fn short_counts_are_short() {
        let shown = [0.0, 0.4, 999.0, 999.6, 84_701.0, 1.2e6, 18e18].map(short);
        assert_eq!(shown, ["0", "0", "999", "1.00k", "84.7k", "1.20M", "18.0E"]);
        assert_eq!(short(f64::NAN), ABSENT);
    }

    #[test]
    fn durations_read_as_people_say_them() {
        let shown = [0.0, 1e-9, 12e-6, 0.0123, 61.94, 185.2, 7620.0, 59.996].map(duration);
        let expected = [
            "0 s",
            "1 ns",
            "12.0 us",
            "12.3 ms",
            "61.9 s",
            "3 min 05 s",
            "2 h 07 min",
            "60.0 s",
        ];
        assert_eq!(shown, expected);
    }

    #[test]
    fn a_range_of_one_is_a_number() {
        assert_eq!(range(47, 47), "47");
        assert_eq!(range(1444, 1451), "1444-1451");
    }
}
