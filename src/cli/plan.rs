//! `evenkeel plan`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;
use evenkeel::balancer::Start;
use evenkeel::experiment::{Plan, PlanRequest, plan as make_plan};
use evenkeel::model::{HostId, Snapshot};
use evenkeel::report::{Grid, plan_json, plan_moves_csv, write_files};
use evenkeel::scenario::{policy_kinds, policy_settings};

use super::failure::Failure;
use super::output::{Format, print, print_notes};
use super::snapshot::SnapshotArguments;

/// Arguments of `plan`.
#[derive(Debug, Args)]
pub(super) struct PlanArguments {
    #[command(flatten)]
    snapshot: SnapshotArguments,
    /// Where the shards lie if the snapshot places none.
    #[arg(long, default_value = "ring", value_parser = PossibleValuesParser::new(["ring", "mod-n", "jump", "greedy"]))]
    start: String,
    /// The policy that plans.
    #[arg(long, default_value = "greedy", value_parser = PossibleValuesParser::new(policy_kinds()))]
    policy: String,
    /// Passes at most.
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..))]
    passes: u32,
    /// Moves at most, over all passes.
    #[arg(long, value_name = "N")]
    max_moves: Option<usize>,
    /// Change a setting of the policy, as in upper_band=1.1; may be repeated.
    #[arg(long = "set", value_name = "PATH=VALUE")]
    sets: Vec<String>,
    /// Write plan.json and moves.csv into a directory.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// What to print.
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

pub(super) fn plan(arguments: &PlanArguments) -> Result<(), Failure> {
    let (policy, optimum) = policy_settings(&arguments.policy, &arguments.sets)?;
    let snapshot = arguments.snapshot.read()?;
    let start =
        Start::ALL.into_iter().find(|start| start.as_str() == arguments.start).unwrap_or_default();
    let request = PlanRequest {
        snapshot: &snapshot,
        policy: &policy,
        start,
        max_passes: arguments.passes as usize,
        max_moves: arguments.max_moves,
        optimum: optimum.solver,
    };
    let plan = make_plan(&request)?;
    let json = format!("{:#}\n", plan_json(&snapshot, policy.kind(), &plan));
    let moves = plan_moves_csv(&snapshot, &plan);
    if let Some(out) = &arguments.out {
        let files = [
            ("plan.json".to_owned(), json.clone().into_bytes()),
            ("moves.csv".to_owned(), moves.clone()),
        ];
        write_files(out, &files, None)?;
    }
    print_notes(&snapshot.notes);
    print_notes(&plan.notes);
    match arguments.format {
        Format::Table => print(&table(&snapshot, &plan)),
        Format::Json => print(&json),
        Format::Csv => print(&String::from_utf8_lossy(&moves)),
    }
}

fn table(snapshot: &Snapshot, plan: &Plan) -> String {
    let host = |id: HostId| snapshot.hosts[id.index()].name.as_str();
    let mut text = String::new();
    let mut ratios = Grid::new(["", "hot_ratio", "hottest host", "its utilisation"]);
    for (name, stand) in [("before", plan.before), ("after", plan.after)] {
        ratios.row(vec![
            name.to_owned(),
            format!("{:.4}", stand.hot_ratio),
            host(stand.hottest).to_owned(),
            format!("{:.6}", stand.utilisation),
        ]);
    }
    ratios.row(vec![
        format!("optimum ({})", plan.optimum.status.as_str()),
        format!("{:.4}", plan.optimum.hot_ratio),
        String::new(),
        format!("{:.6}", plan.optimum.max_utilisation),
    ]);
    text.push_str(&ratios.render());
    text.push('\n');

    text.push_str(&story(plan));
    if !plan.moves.is_empty() {
        let mut moves = Grid::new(["shard", "from", "to", "load", "pass", "reason"]);
        for planned in &plan.moves {
            moves.row(vec![
                snapshot.shards[planned.shard.index()].clone(),
                planned.from.map_or("-", host).to_owned(),
                host(planned.to).to_owned(),
                planned.load.to_string(),
                planned.pass.to_string(),
                planned.reason.as_str().to_owned(),
            ]);
        }
        text.push('\n');
        text.push_str(&moves.render());
    }
    text
}

/// What the plan does and why it ends, in sentences.
fn story(plan: &Plan) -> String {
    let count = |number: usize, what: &str| match number {
        1 => format!("1 {what}"),
        _ => format!("{number} {what}s"),
    };
    let mut text = String::new();
    let moves = plan.moves_of_placed().count();
    let placed = plan.moves.len() - moves;
    if placed > 0 {
        text.push_str(&format!("Placed: {} without a host.\n", count(placed, "shard")));
    }
    if moves > 0 {
        let load: f64 = plan.moves_of_placed().map(|planned| planned.load).sum();
        let passes = match plan.passes {
            0 => String::new(),
            passes => format!(
                " in {}",
                if passes == 1 { "1 pass".to_owned() } else { format!("{passes} passes") }
            ),
        };
        text.push_str(&format!(
            "Planned: {}{passes}, with a load of {load}.\n",
            count(moves, "move")
        ));
    }
    text.push_str(&match (plan.stopped_early, moves, plan.passes) {
        (true, _, _) => "A limit ended the plan before the policy was at rest.\n".to_owned(),
        (false, 0, _) => format!("No move helps: {}.\n", plan.outcome.describe()),
        // A placement has no passes: its moves are all there is.
        (false, _, 0) => String::new(),
        (false, _, _) => format!("Then the policy rests: {}.\n", plan.outcome.describe()),
    });
    text.push_str(&format!(
        "The same traffic would need {} of the {} at the new ratio.\n",
        plan.hosts_needed,
        count(plan.active_hosts, "active host"),
    ));
    text
}
