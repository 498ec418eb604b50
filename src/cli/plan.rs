//! `evenkeel plan`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;
use evenkeel::balancer::Start;
use evenkeel::experiment::{Plan, PlanRequest, plan as make_plan};
use evenkeel::model::{HostId, Snapshot};
use evenkeel::report::{
    Grid, check_directory, count, plan_json, plan_moves_csv, rounded, write_files,
};
use evenkeel::scenario::{policy_kinds, policy_settings};

use super::failure::Failure;
use super::output::{Format, print, print_notes};
use super::snapshot::SnapshotArguments;
use super::whole::whole;

/// Arguments of `plan`.
#[derive(Debug, Args)]
pub(super) struct PlanArguments {
    #[command(flatten)]
    snapshot: SnapshotArguments,
    /// Where the shards lie if the snapshot places none.
    #[arg(long, value_name = "KIND", default_value = "ring",
          value_parser = PossibleValuesParser::new(["ring", "mod-n", "jump", "greedy"]))]
    start: String,
    /// The policy that plans.
    #[arg(long, value_name = "NAME", default_value = "greedy",
          value_parser = PossibleValuesParser::new(policy_kinds()))]
    policy: String,
    /// Passes at most.
    #[arg(long, value_name = "N", default_value_t = 10_000, allow_negative_numbers = true,
          value_parser = whole::<usize>)]
    passes: usize,
    /// Moves at most, over all passes.
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole::<usize>)]
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
    let (policy, solver) = policy_settings(&arguments.policy, &arguments.sets)?;
    let snapshot = arguments.snapshot.read()?;
    let capacities: Vec<f64> = snapshot.hosts.iter().map(|host| host.capacity).collect();
    policy.check_hosts(&capacities).map_err(|error| Failure::Input(error.to_string()))?;
    if let Some(out) = &arguments.out {
        check_directory(out)?;
    }
    let start =
        Start::ALL.into_iter().find(|start| start.as_str() == arguments.start).unwrap_or_default();
    let request = PlanRequest {
        snapshot: &snapshot,
        policy: &policy,
        start,
        max_passes: arguments.passes,
        max_moves: arguments.max_moves,
        optimum: solver,
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

    let moves = plan.moves_of_placed().count();
    let placed = plan.moves.len() - moves;
    if placed > 0 {
        text.push_str(&format!("Placed: {} without a host.\n", count(placed, "shard")));
    }
    if moves > 0 {
        let load: f64 = plan.moves_of_placed().map(|planned| planned.load).sum();
        let passes = match plan.passes {
            0 => String::new(),
            1 => " in 1 pass".to_owned(),
            passes => format!(" in {passes} passes"),
        };
        let (moves, load) = (count(moves, "move"), rounded(load));
        text.push_str(&format!("{moves}{passes}, carrying a load of {load}.\n"));
    }
    let reason = plan.outcome.describe();
    text.push_str(&match (plan.stopped_early, plan.passes, moves) {
        (true, _, _) => "A limit ended the plan before the policy was at rest.\n".to_owned(),
        (false, 0, 0) => "No move: the policy has every shard where it puts it.\n".to_owned(),
        (false, 0, _) => String::new(),
        (false, _, 0) => format!("No move helps: {reason}.\n"),
        (false, _, _) => format!("Then the policy rests: {reason}.\n"),
    });
    text.push_str(&format!(
        "The same traffic would need {} of the {} active hosts at the new ratio.\n",
        plan.hosts_needed, plan.active_hosts
    ));
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
