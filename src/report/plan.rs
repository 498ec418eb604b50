//! Plans and optima as JSON and CSV.

use serde_json::{Value, json};

use super::tables::Table;
use crate::experiment::{Plan, PlannedMove, SnapshotOptimum, Stand};
use crate::metrics::excess;
use crate::model::{HostId, ShardId, Snapshot};

/// A plan as one JSON document; docs/formats.md describes its keys.
pub fn plan_json(snapshot: &Snapshot, policy: &str, plan: &Plan) -> Value {
    let stand = |stand: &Stand| {
        json!({
            "hot_ratio": stand.hot_ratio,
            "hottest_host": host(snapshot, stand.hottest),
            "utilisation": stand.utilisation,
            "fleet_utilisation": stand.fleet_utilisation,
        })
    };
    let (moves, placements): (Vec<&PlannedMove>, Vec<&PlannedMove>) =
        plan.moves.iter().partition(|planned| planned.from.is_some());
    let list = |moves: &[&PlannedMove]| -> Vec<Value> {
        moves
            .iter()
            .map(|planned| {
                json!({
                    "shard": snapshot.shards[planned.shard.index()],
                    "from": planned.from.map(|from| host(snapshot, from)),
                    "to": host(snapshot, planned.to),
                    "load": planned.load,
                    "pass": planned.pass,
                    "reason": planned.reason.as_str(),
                })
            })
            .collect()
    };
    json!({
        "policy": policy,
        "before": stand(&plan.before),
        "after": stand(&plan.after),
        "optimum": {
            "hot_ratio": plan.optimum.hot_ratio,
            "utilisation": plan.optimum.max_utilisation,
            "bound": plan.optimum.bound,
            "bound_name": plan.optimum.bound_name.as_str(),
            "gap": plan.optimum.gap,
            "status": plan.optimum.status.as_str(),
            "solver": plan.optimum.solver.as_str(),
        },
        "excess": excess(plan.after.hot_ratio, plan.optimum.hot_ratio),
        "moves": list(&moves),
        "placements": list(&placements),
        "moved_load": moves.iter().map(|planned| planned.load).sum::<f64>() + 0.0,
        "passes": plan.passes,
        "reason": plan.outcome.as_str(),
        "stopped_early": plan.stopped_early,
        "active_hosts": plan.active_hosts,
        "hosts_needed": plan.hosts_needed,
    })
}

/// The moves of a plan as CSV.
pub fn plan_moves_csv(snapshot: &Snapshot, plan: &Plan) -> Vec<u8> {
    let mut table = Table::new(&["shard", "from", "to", "load", "pass", "reason"]);
    for planned in &plan.moves {
        table.row(&[
            &snapshot.shards[planned.shard.index()].as_str(),
            &planned.from.map(|from| host(snapshot, from)),
            &host(snapshot, planned.to),
            &planned.load,
            &planned.pass,
            &planned.reason.as_str(),
        ]);
    }
    table.bytes()
}

/// An optimum as one JSON document, with the moves that reach it.
pub fn optimum_json(snapshot: &Snapshot, answer: &SnapshotOptimum) -> Value {
    let best = &answer.best;
    let load = |shard: ShardId| snapshot.loads[shard.index()];
    let moves: Vec<Value> = answer
        .moves
        .iter()
        .map(|(shard, from, to)| {
            json!({
                "shard": snapshot.shards[shard.index()],
                "from": from.map(|from| host(snapshot, from)),
                "to": host(snapshot, *to),
                "load": load(*shard),
            })
        })
        .collect();
    let moved = answer.moves.iter().filter(|(_, from, _)| from.is_some());
    let stages: Vec<Value> = best
        .stages
        .iter()
        .map(|report| {
            json!({
                "stage": report.stage.as_str(),
                "value": report.value,
                "bound": report.bound,
                "work": report.work,
            })
        })
        .collect();
    let mut json = json!({
        "metric": answer.question.metric().as_str(),
        "hot_ratio": answer.current.map(|stand| stand.hot_ratio),
        "square_ratio": answer.current.map(|stand| stand.square_ratio),
        "optimum": if answer.cost().is_some() { best.hot_ratio } else { best.value },
        "utilisation": best.max_utilisation,
        "bound": best.bound,
        "bound_name": best.bound_name.as_str(),
        // A bound of 0 on a cost leaves the gap without a number.
        "gap": best.gap.is_finite().then_some(best.gap),
        "status": best.status.as_str(),
        "solver": best.solver.as_str(),
        "moves": moves,
        "moved_load": moved.map(|(shard, _, _)| load(*shard)).sum::<f64>() + 0.0,
        "nodes": best.nodes,
        "steps": best.steps,
        "stages": stages,
    });
    if let Some(cost) = answer.cost() {
        json["cost"] = json!(cost);
    }
    json
}

/// The moves to an optimum as CSV.
pub fn optimum_moves_csv(snapshot: &Snapshot, best: &SnapshotOptimum) -> Vec<u8> {
    let mut table = Table::new(&["shard", "from", "to", "load"]);
    for (shard, from, to) in &best.moves {
        table.row(&[
            &snapshot.shards[shard.index()].as_str(),
            &from.map(|from| host(snapshot, from)),
            &host(snapshot, *to),
            &snapshot.loads[shard.index()],
        ]);
    }
    table.bytes()
}

fn host(snapshot: &Snapshot, id: HostId) -> &str {
    &snapshot.hosts[id.index()].name
}
