//! `evenkeel optimum`.

use clap::Args;
use clap::builder::PossibleValuesParser;
use evenkeel::experiment::snapshot_optimum;
use evenkeel::optimum::{Solver, StageReport};
use evenkeel::report::{Grid, count, optimum_json, optimum_moves_csv};
use evenkeel::scenario::solver_settings;

use super::failure::Failure;
use super::output::{Format, print, print_notes};
use super::snapshot::SnapshotArguments;

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
    /// Show what each stage of the solver contributed.
    #[arg(long)]
    explain: bool,
    /// What to print.
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

pub(super) fn optimum(arguments: &OptimumArguments) -> Result<(), Failure> {
    let mut sets = arguments.sets.clone();
    sets.extend(arguments.solver.as_ref().map(|solver| format!("solver={solver}")));
    let settings = solver_settings(&sets)?;
    let snapshot = arguments.snapshot.read()?;
    let best = snapshot_optimum(&snapshot, settings)?;
    print_notes(&snapshot.notes);
    match arguments.format {
        Format::Json => print(&format!("{:#}\n", optimum_json(&snapshot, &best))),
        Format::Csv => print(&String::from_utf8_lossy(&optimum_moves_csv(&snapshot, &best))),
        Format::Table => {
            let found = &best.optimum;
            let mut grid = Grid::new(["", "hot_ratio", "hottest utilisation"]);
            if let Some(stand) = best.current {
                grid.row(vec![
                    "now".to_owned(),
                    format!("{:.6}", stand.hot_ratio),
                    stand.utilisation.to_string(),
                ]);
            }
            grid.row(vec![
                format!("best found ({}, by {})", found.status.as_str(), found.solver.as_str()),
                format!("{:.6}", found.hot_ratio),
                found.max_utilisation.to_string(),
            ]);
            grid.row(vec![
                format!("lower bound ({})", found.bound_name.as_str()),
                format!("{:.6}", found.bound),
                String::new(),
            ]);
            let moves = best.moves.iter().filter(|(_, from, _)| from.is_some()).count();
            print(&format!(
                "{}\ngap {:.1e}; {} from the current hosts\n",
                grid.render(),
                found.gap,
                count(moves, "move")
            ))?;
            if arguments.explain {
                print(&format!("\n{}", stages(&found.stages)))?;
            }
            Ok(())
        }
    }
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
