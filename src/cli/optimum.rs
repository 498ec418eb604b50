//! `evenkeel optimum`.

use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};
use evenkeel::experiment::{Question, SnapshotOptimum, snapshot_optimum};
use evenkeel::optimum::{Budget, Measure, Solver, StageReport};
use evenkeel::report::{Grid, count, optimum_json, optimum_moves_csv};
use evenkeel::scenario::solver_settings;

use super::failure::Failure;
use super::output::{Format, print, print_notes};
use super::snapshot::SnapshotArguments;
use super::whole::whole;

/// Arguments of `optimum`.
#[derive(Debug, Args)]
pub(super) struct OptimumArguments {
    #[command(flatten)]
    snapshot: SnapshotArguments,
    /// Which stages of the solver may be used.
    #[arg(long, value_parser = PossibleValuesParser::new(Solver::ALL.map(Solver::as_str)))]
    solver: Option<String>,
    /// Change a setting of the solver, as in node_limit=1000; may be repeated.
    #[arg(long = "set", value_name = "PATH=VALUE")]
    sets: Vec<String>,
    /// What is to be least: the hottest host's utilisation, or the sum of squared
    /// utilisations around the mean.
    #[arg(long, value_enum, default_value_t)]
    metric: Metric,
    /// Moves at most, away from the current hosts.
    #[arg(long, value_name = "K", group = "question", allow_negative_numbers = true,
          value_parser = whole::<u64>)]
    max_moves: Option<u64>,
    /// Load that may move at most, in units a second.
    #[arg(long, value_name = "L", group = "question", allow_negative_numbers = true)]
    max_moved_load: Option<f64>,
    /// The hot_ratio to reach with the fewest moves.
    #[arg(long, value_name = "R", group = "question", allow_negative_numbers = true)]
    target: Option<f64>,
    /// With --target: what is to be least.
    #[arg(long, value_enum, default_value_t, requires = "target")]
    least: Least,
    /// Show what each stage of the solver contributed.
    #[arg(long)]
    explain: bool,
    /// What to print.
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// What an optimum minimises.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Metric {
    /// The hottest host's utilisation.
    #[default]
    Max,
    /// The sum of squares.
    Squares,
}

/// What a way to a target costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Least {
    /// The number of moves.
    #[default]
    Moves,
    /// The load that moves.
    Load,
}

impl OptimumArguments {
    fn question(&self) -> Result<Question, Failure> {
        let measure = match self.least {
            Least::Moves => Measure::Moves,
            Least::Load => Measure::Load,
        };
        let fault = |message: String| Err(Failure::Input(message));
        let budget = match (self.max_moves, self.max_moved_load) {
            (Some(moves), _) => Some(Budget::Moves(moves)),
            (_, Some(load)) if !(load.is_finite() && load >= 0.0) => {
                return fault(format!(
                    "--max-moved-load {load}: must be a finite number of at least 0"
                ));
            }
            (_, Some(load)) => Some(Budget::Load(load)),
            (None, None) => None,
        };
        match (self.metric, self.target, budget) {
            (_, Some(hot_ratio), _) if !(hot_ratio.is_finite() && hot_ratio > 0.0) => {
                fault(format!("--target {hot_ratio}: a hot_ratio is a finite number above 0"))
            }
            (Metric::Squares, Some(_), _) => fault(
                "--target is a hot_ratio, which --metric squares does not minimise; leave one of \
                 them out"
                    .to_owned(),
            ),
            (Metric::Squares, None, budget) => Ok(Question::Squares(budget)),
            (Metric::Max, Some(hot_ratio), _) => Ok(Question::Target { hot_ratio, measure }),
            (Metric::Max, None, Some(budget)) => Ok(Question::Budget(budget)),
            (Metric::Max, None, None) => Ok(Question::Free),
        }
    }
}

pub(super) fn optimum(arguments: &OptimumArguments) -> Result<(), Failure> {
    let mut sets = arguments.sets.clone();
    sets.extend(arguments.solver.as_ref().map(|solver| format!("solver={solver}")));
    let settings = solver_settings(&sets)?;
    let question = arguments.question()?;
    let snapshot = arguments.snapshot.read()?;
    let best = snapshot_optimum(&snapshot, question, settings)?;
    print_notes(&snapshot.notes);
    match arguments.format {
        Format::Json => print(&format!("{:#}\n", optimum_json(&snapshot, &best))),
        Format::Csv => print(&String::from_utf8_lossy(&optimum_moves_csv(&snapshot, &best))),
        Format::Table => {
            print(&table(&best))?;
            let reports = &best.best.stages;
            match arguments.explain && !reports.is_empty() {
                true => print(&format!("\n{}", stages(reports))),
                false => Ok(()),
            }
        }
    }
}

/// The answer for people.
fn table(answer: &SnapshotOptimum) -> String {
    let best = &answer.best;
    let is_squares = matches!(answer.question, Question::Squares(_));
    let value = if is_squares { "square_ratio" } else { "hot_ratio" };
    let mut grid = Grid::new(["", value, "hottest utilisation"]);
    if let Some(stand) = answer.current {
        let value = if is_squares { stand.square_ratio } else { stand.hot_ratio };
        grid.row(vec!["now".to_owned(), format!("{value:.6}"), stand.utilisation.to_string()]);
    }
    let found = if is_squares { best.value } else { best.hot_ratio };
    grid.row(vec![
        format!("best found ({}, by {})", best.status.as_str(), best.solver.as_str()),
        format!("{found:.6}"),
        best.max_utilisation.to_string(),
    ]);
    if answer.cost().is_none() {
        grid.row(vec![
            format!("lower bound ({})", best.bound_name.as_str()),
            format!("{:.6}", best.bound),
            String::new(),
        ]);
    }
    let moves = answer.moves.iter().filter(|(_, from, _)| from.is_some()).count();
    let moves = count(moves, "move");
    let last = match answer.cost() {
        None => format!("gap {:.1e}; {moves} from the current hosts", best.gap),
        Some(cost) => {
            let (bound, name) = (best.bound, best.bound_name.as_str());
            format!("least {cost}, not below {bound} ({name}); {moves} from the current hosts")
        }
    };
    format!("{}\n{last}\n", grid.render())
}

/// The stages as a table: where things stood after each.
fn stages(stages: &[StageReport]) -> String {
    let mut grid = Grid::new(["stage", "best found", "lower bound", "work"]);
    for report in stages {
        grid.row(vec![
            report.stage.as_str().to_owned(),
            report.value.map_or_else(String::new, |value| format!("{value:.9}")),
            format!("{:.9}", report.bound),
            report.work.to_string(),
        ]);
    }
    grid.render()
}
