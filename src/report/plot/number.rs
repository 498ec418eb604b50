//! Numbers as text, exactly and alike on every machine.

/// `mantissa` x 10^`exponent` in decimal digits, with commas between thousands:
/// (25, -1) is `2.5`, (12, 3) is `12,000`. Written as a power of ten where the
/// digits would be too many to read.
pub(super) fn decimal(mantissa: i64, exponent: i32) -> String {
    if mantissa == 0 {
        return "0".to_owned();
    }
    let sign = if mantissa < 0 { "−" } else { "" };
    let digits = mantissa.unsigned_abs().to_string();
    let mut significant = digits.trim_end_matches('0').to_owned();
    let mut exponent = exponent + (digits.len() - significant.len()) as i32;
    // Digits before the point, with commas as wide as an axis has room for.
    let before_point = significant.len() as i32 + exponent;
    if before_point > 8 || exponent < -9 {
        return format!("{sign}{significant}e{exponent}");
    }
    if exponent > 0 {
        significant.push_str(&"0".repeat(exponent.unsigned_abs() as usize));
        exponent = 0;
    }
    let places = exponent.unsigned_abs() as usize;
    if significant.len() <= places {
        significant.insert_str(0, &"0".repeat(places + 1 - significant.len()));
    }
    let (whole, fraction) = significant.split_at(significant.len() - places);
    let point = if fraction.is_empty() { "" } else { "." };
    format!("{sign}{}{point}{fraction}", grouped(whole))
}

/// A value with this many places after the point, commas between thousands, and
/// no sign when it rounds to zero.
pub(super) fn fixed(value: f64, places: usize) -> String {
    if !value.is_finite() {
        return "–".to_owned();
    }
    let text = format!("{:.places$}", value.abs());
    if text.len() > 18 {
        return format!("{value:.2e}");
    }
    let (whole, fraction) = match text.split_once('.') {
        Some((whole, fraction)) => (whole, format!(".{fraction}")),
        None => (text.as_str(), String::new()),
    };
    let is_zero = text.bytes().all(|b| matches!(b, b'0' | b'.'));
    let sign = if value < 0.0 && !is_zero { "−" } else { "" };
    format!("{sign}{}{fraction}", grouped(whole))
}

/// A count, or a mean of counts: one place after the point unless it is whole.
pub(super) fn count(value: f64) -> String {
    let is_whole = value == value.trunc();
    fixed(value, usize::from(!is_whole && value.abs() < 1000.0))
}

/// A share in percent, with as many places as tell small ones apart.
pub(super) fn percent(share: f64) -> String {
    let value = share * 100.0;
    let places = if value == 0.0 || value.abs() >= 99.95 {
        0
    } else if value.abs() >= 9.995 {
        1
    } else {
        2
    };
    format!("{} %", fixed(value, places))
}

fn grouped(digits: &str) -> String {
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_exact() {
        assert_eq!(decimal(0, -3), "0");
        assert_eq!(decimal(25, -1), "2.5");
        assert_eq!(decimal(30, -1), "3");
        assert_eq!(decimal(3, -4), "0.0003");
        assert_eq!(decimal(-125, -2), "−1.25");
        assert_eq!(decimal(12, 3), "12,000");
        assert_eq!(decimal(5, 6), "5,000,000");
        assert_eq!(decimal(20_000_000, 0), "20,000,000");
        assert_eq!(decimal(2_000_000_000, 0), "2e9");
        assert_eq!(decimal(2, 40), "2e40");
        assert_eq!(decimal(2, -40), "2e-40");
    }

    #[test]
    fn fixed_counts_and_percents() {
        assert_eq!(fixed(1.375, 2), "1.38");
        assert_eq!(fixed(-0.001, 2), "0.00");
        assert_eq!(fixed(f64::NAN, 2), "–");
        assert_eq!(fixed(1e300, 2), "1.00e300");
        assert_eq!(count(460.0), "460");
        assert_eq!(count(41.25), "41.2");
        assert_eq!(count(123_456.7), "123,457");
        assert_eq!(percent(0.0), "0 %");
        assert_eq!(percent(0.004), "0.40 %");
        assert_eq!(percent(0.123), "12.3 %");
        assert_eq!(percent(4.125), "412 %");
    }
}
