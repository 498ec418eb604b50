//! Times as they stand in trace files.

use std::path::Path;

use crate::model::{CsvRow, InputError, SimDuration};

/// A time as written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Stamp {
    Seconds(f64),
    /// Seconds since 1970-01-01 00:00:00, without a zone.
    Calendar(i64),
}

impl Stamp {
    pub(super) fn parse(text: &str) -> Option<Self> {
        if let Ok(seconds) = text.parse::<f64>() {
            return seconds.is_finite().then_some(Self::Seconds(seconds));
        }
        let (date, time) = text.split_once([' ', 'T'])?;
        let numbers = |text: &str, by: char| -> Option<[i64; 3]> {
            let parts: Vec<i64> = text
                .split(by)
                .map(|part| part.bytes().all(|b| b.is_ascii_digit()).then(|| part.parse().ok())?)
                .collect::<Option<_>>()?;
            parts.try_into().ok()
        };
        let [year, month, day] = numbers(date, '-')?;
        let [hour, minute, second] = numbers(time, ':')?;
        let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let days = match month {
            2 => 28 + i64::from(leap),
            4 | 6 | 9 | 11 => 30,
            1..=12 => 31,
            _ => return None,
        };
        if !(1..=9999).contains(&year) || !(1..=days).contains(&day) {
            return None;
        }
        if hour > 23 || minute > 59 || second > 60 {
            return None;
        }
        Some(Self::Calendar(
            days_since_1970(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second,
        ))
    }
}

/// Days from 1970-01-01 in the Gregorian calendar, counting years from March
/// so that the leap day comes last.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let day_of_year = (153 * month + 2) / 5 + day - 1;
    365 * year + year / 4 - year / 100 + year / 400 + day_of_year - 719_468
}

/// Reads times, all of one form, as distances from the earliest one that a
/// `u64` of nanoseconds can hold.
#[derive(Default)]
pub(super) struct Clock {
    first: Option<Stamp>,
}

/// Half of the range of simulated time: where the first stamp lands until the
/// earliest one is known.
const MIDDLE: u64 = 1 << 63;

impl Clock {
    pub(super) fn read(
        &mut self,
        path: &Path,
        row: &CsvRow,
        column: usize,
        name: &str,
    ) -> Result<SimDuration, InputError> {
        let text = row.text(column);
        let error = |message: String| InputError::cell(path, row.line, name, message);
        let stamp = Stamp::parse(text).ok_or_else(|| {
            error(format!("`{text}` is not a time; write seconds or YYYY-MM-DD HH:MM:SS"))
        })?;
        let offset = match (*self.first.get_or_insert(stamp), stamp) {
            (Stamp::Seconds(first), Stamp::Seconds(second)) => second - first,
            (Stamp::Calendar(first), Stamp::Calendar(second)) => (second - first) as f64,
            _ => return Err(error(format!("`{text}` is a time of another form than those above"))),
        };
        let too_far = || error(format!("the time {text} is too far from the first one"));
        let distance = SimDuration::from_secs_f64(offset.abs())
            .filter(|d| d.0 < MIDDLE / 2)
            .ok_or_else(too_far)?;
        Ok(SimDuration(if offset < 0.0 { MIDDLE - distance.0 } else { MIDDLE + distance.0 }))
    }
}
