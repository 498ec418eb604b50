//! Failures and their exit codes.

use std::process::ExitCode;

use super::output::print_message;
use evenkeel::experiment::RunError;
use evenkeel::experiment::reproduce::ReproduceError;
use evenkeel::experiment::sweep::{JournalError, SweepError};
use evenkeel::model::InputError;
use evenkeel::optimum::OptimumError;
use evenkeel::report::plot::PlotError;
use evenkeel::report::sweep::MergeError;
use evenkeel::report::{RedrawError, WriteError};
use evenkeel::scenario::ScenarioError;

/// Why a command failed, by whose fault it is.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// A check failed: exit code 1.
    #[error("{0}")]
    Check(String),
    /// The arguments or an input file are wrong: exit code 2.
    #[error("{0}")]
    Input(String),
    /// The work itself failed: exit code 3.
    #[error("{0}")]
    Work(String),
    /// Whoever reads the output has gone: nothing to say.
    #[error("")]
    ReaderGone,
}

impl Failure {
    /// Prints the message and gives the exit code.
    pub(crate) fn report(&self) -> ExitCode {
        match self {
            Self::Check(message) => {
                print_message("error", message);
                ExitCode::from(1)
            }
            Self::Input(message) => {
                print_message("error", message);
                ExitCode::from(2)
            }
            Self::Work(message) => {
                print_message("error", message);
                ExitCode::from(3)
            }
            Self::ReaderGone => ExitCode::SUCCESS,
        }
    }
}

macro_rules! failures {
    ($($error:ty => $kind:ident),+ $(,)?) => { $( impl From<$error> for Failure {
        fn from(error: $error) -> Self {
            Self::$kind(error.to_string())
        }
    } )+ };
}

failures! {
    ScenarioError => Input,
    InputError => Input,
    OptimumError => Input,
    RunError => Work,
    WriteError => Work,
    MergeError => Input,
    JournalError => Input,
    SweepError => Work,
}

impl From<ReproduceError> for Failure {
    fn from(error: ReproduceError) -> Self {
        match error {
            ReproduceError::UnknownClaim { .. }
            | ReproduceError::Input(_)
            | ReproduceError::NoSnapshots(_) => Self::Input(error.to_string()),
            ReproduceError::Experiment { .. } | ReproduceError::Threads(_) => {
                Self::Work(error.to_string())
            }
        }
    }
}

impl From<PlotError> for Failure {
    fn from(error: PlotError) -> Self {
        Self::Work(error.to_string())
    }
}

impl From<RedrawError> for Failure {
    fn from(error: RedrawError) -> Self {
        match error {
            RedrawError::Input(error) => error.into(),
            RedrawError::Plot(error) => Self::Work(error.to_string()),
        }
    }
}
