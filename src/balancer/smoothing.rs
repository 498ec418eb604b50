//! Exponential smoothing of reported loads over irregular intervals.

use crate::model::SimDuration;

/// A load that is not a finite number; it must not enter a belief.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a load must be finite to be smoothed")]
pub struct SmoothingError;

/// The weight of a new report that comes `dt` seconds after the last one:
/// `1 - exp(-dt / tau)`, the step response of a first-order low-pass filter
/// with time constant `tau` seconds. 1 (the report as it is) when `tau <= 0`
/// or `dt < 0`.
fn weight(dt: f64, tau: f64) -> f64 {
    if tau <= 0.0 || dt < 0.0 { 1.0 } else { 1.0 - libm::exp(-dt / tau) }
}

fn blend(previous: f64, current: f64, weight: f64) -> Result<f64, SmoothingError> {
    if !previous.is_finite() || !current.is_finite() {
        return Err(SmoothingError);
    }
    // Written out, because 0 * previous + 1 * current would lose the sign of
    // a zero and nothing else: the report as it is means just that.
    if weight == 1.0 {
        return Ok(current);
    }
    Ok((1.0 - weight) * previous + weight * current)
}

/// The smoothed load after a report, as the reference computes it:
/// `(1 - a) * previous + a * current` with `a = 1 - exp(-dt / tau)`.
///
/// `dt` is the time since the last report in seconds, `None` for the first
/// report; `tau` is the time constant in seconds. The first report, `tau <= 0`
/// and `dt < 0` (a clock that went back) take the report as it is; `dt = 0`
/// keeps the previous value.
///
/// # Errors
///
/// When `previous` or `current` is not finite, before anything else.
pub fn smooth(
    previous: f64,
    current: f64,
    dt: Option<f64>,
    tau: f64,
) -> Result<f64, SmoothingError> {
    blend(previous, current, dt.map_or(1.0, |dt| weight(dt, tau)))
}

/// [`smooth`] for many shards that report at the same times: the weight is
/// computed again only when the interval changes.
#[derive(Clone, Debug)]
pub struct Smoothing {
    tau: f64,
    interval: SimDuration,
    weight: f64,
}

impl Smoothing {
    /// Smoothing with a time constant.
    pub fn new(tau: SimDuration) -> Self {
        let tau = tau.as_secs_f64();
        Self { tau, interval: SimDuration::ZERO, weight: weight(0.0, tau) }
    }

    /// The smoothed load after a report that comes `interval` after the last.
    ///
    /// # Errors
    ///
    /// When `previous` or `current` is not finite.
    #[inline]
    pub fn next(
        &mut self,
        previous: f64,
        current: f64,
        interval: SimDuration,
    ) -> Result<f64, SmoothingError> {
        if interval != self.interval {
            self.interval = interval;
            self.weight = weight(interval.as_secs_f64(), self.tau);
        }
        blend(previous, current, self.weight)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_answers() {
        // One time constant later a step has covered 1 - 1/e of its way.
        let after = smooth(0.0, 1.0, Some(60.0), 60.0).unwrap();
        assert!((after - (1.0 - 1.0 / std::f64::consts::E)).abs() < 1e-15);
        assert_eq!(smooth(1.0, 3.0, None, 60.0), Ok(3.0));
        assert_eq!(smooth(1.0, 3.0, Some(5.0), 0.0), Ok(3.0));
        assert_eq!(smooth(1.0, 3.0, Some(5.0), -1.0), Ok(3.0));
        assert_eq!(smooth(1.0, 3.0, Some(-5.0), 60.0), Ok(3.0));
        assert_eq!(smooth(1.0, 3.0, Some(0.0), 60.0), Ok(1.0));
    }

    #[test]
    fn what_is_not_finite_is_an_error_before_anything_else() {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            for dt in [None, Some(0.0), Some(-1.0), Some(5.0)] {
                assert_eq!(smooth(bad, 1.0, dt, 60.0), Err(SmoothingError));
                assert_eq!(smooth(1.0, bad, dt, 60.0), Err(SmoothingError));
            }
        }
    }

    #[test]
    fn the_kept_weight_changes_nothing() {
        let mut smoothing = Smoothing::new(SimDuration::from_secs(60));
        for seconds in [0, 5, 5, 7, 0, 5] {
            let kept = smoothing.next(2.0, 9.0, SimDuration::from_secs(seconds));
            assert_eq!(kept, smooth(2.0, 9.0, Some(seconds as f64), 60.0));
        }
    }
}
