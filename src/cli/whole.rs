//! Whole numbers as arguments.

use std::num::IntErrorKind;
use std::str::FromStr;

/// Reads a whole number of at least 0.
pub(super) fn whole<N: FromStr<Err = std::num::ParseIntError>>(text: &str) -> Result<N, String> {
    text.parse().map_err(|error: std::num::ParseIntError| match error.kind() {
        IntErrorKind::PosOverflow => "is too large".to_owned(),
        _ => "must be a whole number of at least 0".to_owned(),
    })
}
