//! How the lengths of time in a scenario fit each other, and how much work and
//! memory they may ask for. What is beyond is a mistake in a unit.

use super::error::Fault;
use super::section::Places;
use super::settings::RunSettings;
use crate::model::SimDuration;

/// The most samples, and the most probes, of all lanes together. Each takes
/// about 700 bytes until tables and plots are written: 3.5 gigabytes.
const MOST_ROWS: u64 = 5_000_000;

/// The most heartbeats or passes of one lane: minutes, with few shards.
const MOST_PERIODS: u64 = 100_000_000;

/// What a scenario's periods are checked against.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub(super) duration: SimDuration,
    /// Policies times seeds.
    pub(super) lanes: u64,
}

impl Limits {
    /// Checks the warmup and the sample period.
    pub(super) fn check_run(
        self,
        run: &RunSettings,
        places: &Places<'_>,
    ) -> Result<(), Box<Fault>> {
        let Self { duration, .. } = self;
        if run.warmup >= duration {
            let message =
                format!("the warmup of {} must be shorter than the run of {duration}", run.warmup);
            return Err(places.fault("warmup", message));
        }
        if run.sample_every > duration {
            let message = format!(
                "the sample period of {} is longer than the run of {duration}",
                run.sample_every
            );
            let help = "write a shorter one, or a longer `duration`";
            return Err(places.fault_with_help("sample_every", &message, help));
        }
        self.check_rows("sample_every", "a sample", run.sample_every, places)
    }

    /// Checks a period of which every lane writes a row.
    pub(super) fn check_rows(
        self,
        key: &str,
        what: &str,
        every: SimDuration,
        places: &Places<'_>,
    ) -> Result<(), Box<Fault>> {
        let Self { duration, lanes } = self;
        if (duration.0 / every.0).saturating_mul(lanes) <= MOST_ROWS {
            return Ok(());
        }
        let lanes = if lanes == 1 { "1 lane".to_owned() } else { format!("{lanes} lanes") };
        let message = format!(
            "{what} every {every} of {duration} in {lanes} (policies times seeds) makes more than \
             {MOST_ROWS} rows"
        );
        Err(places.fault(key, message))
    }

    /// Checks a period of work.
    pub(super) fn check_period(
        self,
        key: &str,
        every: SimDuration,
        places: &Places<'_>,
    ) -> Result<(), Box<Fault>> {
        let Self { duration, .. } = self;
        if duration.0 / every.0 <= MOST_PERIODS {
            return Ok(());
        }
        let message = format!("once every {every} is more than {MOST_PERIODS} times in {duration}");
        Err(places.fault(key, message))
    }
}
