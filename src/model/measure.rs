//! Which loads, capacities and names can be used.

/// The least and the largest load or capacity apart from 0. With 10 million
/// shards, the ratios of two and the squares of those stay far inside the
/// range of `f64` (1e-308 to 1e308), so that no result is ever infinite.
pub const MEASURES: std::ops::RangeInclusive<f64> = 1e-60..=1e60;

/// A number to twelve digits, among which the rounding of sums and products does
/// not show.
pub fn twelve_digits(value: f64) -> f64 {
    // What is written by `{:e}` is a number.
    format!("{value:.11e}").parse().unwrap_or(value)
}

/// A number for a message: as people write it, with an exponent where the
/// digits would fill a line.
pub(crate) fn plain(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        1e-6..1e15 => value.to_string(),
        _ if value.is_finite() => format!("{value:e}"),
        _ => value.to_string(),
    }
}

/// Says what is wrong with a load, continuing a sentence that begins with it.
///
/// # Errors
///
/// When it is negative, not finite, or neither 0 nor within [`MEASURES`].
pub fn check_load(load: f64) -> Result<(), String> {
    if load == 0.0 || MEASURES.contains(&load) {
        return Ok(());
    }
    Err(match load {
        _ if !load.is_finite() => format!("must be a finite number, not {}", plain(load)),
        _ if load < 0.0 => format!("must not be negative, as {} is", plain(load)),
        _ => {
            format!("must be 0 or from 1e-60 to 1e60, not {}; use another unit", plain(load))
        }
    })
}

/// Says what is wrong with a capacity, continuing a sentence that begins with
/// it.
///
/// # Errors
///
/// When it is 0, negative, not finite, or not within [`MEASURES`].
pub fn check_capacity(capacity: f64) -> Result<(), String> {
    if MEASURES.contains(&capacity) {
        return Ok(());
    }
    Err(match capacity {
        _ if !capacity.is_finite() => format!("must be a finite number, not {}", plain(capacity)),
        _ if capacity <= 0.0 => format!("must be above 0, not {}", plain(capacity)),
        _ => format!("must be from 1e-60 to 1e60, not {}; use another unit", plain(capacity)),
    })
}

/// Says what is wrong with the name of a shard, a host or a policy, continuing
/// a sentence that begins with it.
///
/// # Errors
///
/// When it is empty, or holds characters that cannot stand in a line of text.
pub fn check_name(name: &str) -> Result<(), String> {
    if name.is_empty() {
        return Err("must not be empty".to_owned());
    }
    match name.chars().find(|c| c.is_control()) {
        Some(control) => {
            Err(format!("must be a line of text; {name:?} holds the character {control:?}"))
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loads_and_capacities_have_a_range() {
        for load in [0.0, -0.0, 1e-60, 1.0, 1e60] {
            assert_eq!(check_load(load), Ok(()));
        }
        for load in [-1.0, 1e-61, 1e61, f64::NAN, f64::INFINITY, f64::MIN_POSITIVE / 2.0] {
            assert!(check_load(load).is_err(), "{load}");
            assert!(check_capacity(load).is_err(), "{load}");
        }
        assert!(check_capacity(0.0).unwrap_err().contains("above 0"));
        assert_eq!(check_capacity(0.5), Ok(()));
    }

    #[test]
    fn numbers_are_short() {
        for (value, text) in
            [(-0.0, "0"), (-2.5, "-2.5"), (1e-9, "1e-9"), (1e300, "1e300"), (f64::NAN, "NaN")]
        {
            assert_eq!(plain(value), text);
        }
    }

    #[test]
    fn names_are_lines() {
        for name in ["a", "a b", "ünï-😀", "a,b\"c"] {
            assert_eq!(check_name(name), Ok(()));
        }
        for name in ["", "a\nb", "a\0", "\u{1b}[31m"] {
            assert!(check_name(name).is_err(), "{name:?}");
        }
    }
}
