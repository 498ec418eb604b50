//! From measured values to a verdict.

use super::claim::{Basis, Claim, Expected, ExperimentError, Figure, Test, Values, Verdict};
use crate::metrics::mean_and_deviation;

/// A figure beside what was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// What was expected.
    pub figure: &'static Figure,
    /// The measured values, one for each seed.
    pub values: Values,
    /// Their mean; NaN when nothing was measured.
    pub mean: f64,
    /// Their sample standard deviation; `None` for a single value.
    pub deviation: Option<f64>,
    /// How it stands with this figure.
    pub verdict: Verdict,
}

/// A claim with its verdict.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The claim.
    pub claim: &'static Claim,
    /// One finding for each figure; empty if nothing is modelled yet.
    pub findings: Vec<Finding>,
    /// The worst verdict of the figures.
    pub verdict: Verdict,
}

impl Outcome {
    /// Judges what was measured of a claim.
    pub(super) fn of(
        claim: &'static Claim,
        measured: Vec<Values>,
    ) -> Result<Self, ExperimentError> {
        let Test::Run { figures, .. } = claim.test else {
            return Ok(Self { claim, findings: Vec::new(), verdict: Verdict::NotModelledYet });
        };
        if measured.len() != figures.len() || figures.is_empty() {
            let (measured, expected) = (measured.len(), figures.len());
            return Err(ExperimentError::Figures { measured, expected });
        }
        let findings: Vec<Finding> = figures
            .iter()
            .zip(measured)
            .map(|(figure, values)| finding(figure, values, claim.basis))
            .collect();
        let worst = findings.iter().map(|finding| finding.verdict).max();
        Ok(Self { claim, verdict: worst.unwrap_or(Verdict::NotModelledYet), findings })
    }

    /// Whether the verdict is the one on record.
    pub fn is_as_recorded(&self) -> bool {
        self.verdict == self.claim.recorded
    }

    /// The finding that decides: the first with the claim's verdict.
    pub fn deciding(&self) -> Option<&Finding> {
        self.findings.iter().find(|finding| finding.verdict == self.verdict)
    }
}

fn finding(figure: &'static Figure, values: Values, basis: Basis) -> Finding {
    let (mean, deviation) = mean_and_deviation(values.iter().copied()).unwrap_or((f64::NAN, None));
    let fails = match basis {
        Basis::Arithmetic | Basis::Rule => Verdict::Inconsistent,
        Basis::Observation => Verdict::NotReproduced,
    };
    let verdict = match figure.expected {
        Expected::Near { published, within, deviations } => {
            let distance = (mean - published).abs();
            if distance <= within {
                Verdict::Reproduced
            } else if distance <= deviations * deviation.unwrap_or(0.0) {
                Verdict::WithinNoise
            } else {
                fails
            }
        }
        Expected::Shown if mean.is_finite() => Verdict::Reproduced,
        Expected::Between { low, high } if (low..=high).contains(&mean) => Verdict::Reproduced,
        Expected::Shown | Expected::Between { .. } => fails,
    };
    Finding { figure, values, mean, deviation, verdict }
}

#[cfg(test)]
mod tests {
    use super::super::claim::Source;
    use super::*;

    const NEAR: Figure = Figure::sampled("a", "", 10.0, 0.5, 2.0, "test");
    const RANGE: Figure = Figure::at_least("b", "", 1.0, "test");

    fn verdict(figure: &'static Figure, values: &[f64], basis: Basis) -> Verdict {
        finding(figure, values.to_vec(), basis).verdict
    }

    #[test]
    fn tolerance_noise_and_failure() {
        let of = |values: &[f64]| verdict(&NEAR, values, Basis::Observation);
        assert_eq!(of(&[10.5]), Verdict::Reproduced);
        assert_eq!(of(&[10.6]), Verdict::NotReproduced);
        // Mean 11, deviation 1: one published sample of 10 is no surprise.
        assert_eq!(of(&[10.0, 11.0, 12.0]), Verdict::WithinNoise);
        assert_eq!(of(&[12.9, 13.0, 13.1]), Verdict::NotReproduced);
        for basis in [Basis::Arithmetic, Basis::Rule] {
            assert_eq!(verdict(&NEAR, &[13.0], basis), Verdict::Inconsistent);
        }
        assert_eq!(verdict(&RANGE, &[1.0], Basis::Observation), Verdict::Reproduced);
        assert_eq!(verdict(&RANGE, &[0.9], Basis::Observation), Verdict::NotReproduced);
    }

    #[test]
    fn nothing_measured_never_holds() {
        for figure in [&NEAR, &RANGE] {
            for values in [&[][..], &[f64::NAN], &[10.0, f64::NAN]] {
                assert_eq!(verdict(figure, values, Basis::Observation), Verdict::NotReproduced);
            }
        }
    }

    static FIGURES: [Figure; 2] = [NEAR, RANGE];
    static CLAIM: Claim = Claim {
        id: "fake",
        source: Source::ShardManager,
        text: "",
        published: "",
        basis: Basis::Observation,
        test: Test::Run { method: "", figures: &FIGURES, measure: |_| Ok(Vec::new()) },
        recorded: Verdict::Reproduced,
        note: "",
        headline: false,
    };

    #[test]
    fn the_worst_figure_decides_and_a_drift_shows() {
        let holds = Outcome::of(&CLAIM, vec![vec![10.0], vec![2.0]]).unwrap();
        assert!(holds.is_as_recorded());
        let drifted = Outcome::of(&CLAIM, vec![vec![10.0], vec![0.5]]).unwrap();
        assert_eq!(drifted.verdict, Verdict::NotReproduced);
        assert!(!drifted.is_as_recorded());
        assert_eq!(drifted.deciding().map(|finding| finding.figure.name), Some("b"));
    }

    #[test]
    fn a_missing_figure_is_a_fault() {
        assert!(Outcome::of(&CLAIM, vec![vec![10.0]]).is_err());
    }
}
