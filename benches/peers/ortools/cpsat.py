"""The optimum of a snapshot by OR-tools' CP-SAT, as one JSON document.

The snapshot is a CSV file as `evenkeel optimum` reads it (shard, load, host);
hosts are numbered and of equal capacity. CP-SAT counts in whole numbers, so
loads are rounded to a billionth of the mean host.
"""

import argparse
import csv
import json
import time

from ortools.sat.python import cp_model

UNITS_PER_MEAN_HOST = 1_000_000_000


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("snapshot")
    parser.add_argument("--hosts", type=int, required=True)
    parser.add_argument("--max-moves", type=int)
    parser.add_argument("--max-moved-load", type=float)
    parser.add_argument("--gap", type=float, default=1e-6, help="relative, at which to stop")
    parser.add_argument("--seconds", type=float, default=20.0, help="after which to give up")
    parser.add_argument("--workers", type=int, default=1)
    return parser.parse_args()


def lpt(loads, hosts):
    """Longest processing time first, as a hint for the problem without a budget."""
    held = [0] * hosts
    owners = [0] * len(loads)
    for shard in sorted(range(len(loads)), key=lambda shard: -loads[shard]):
        host = min(range(hosts), key=held.__getitem__)
        owners[shard] = host
        held[host] += loads[shard]
    return owners


def main():
    args = arguments()
    with open(args.snapshot, newline="") as file:
        rows = list(csv.DictReader(file))
    raw = [float(row["load"]) for row in rows]
    homes = [int(row["host"]) for row in rows]
    scale = UNITS_PER_MEAN_HOST * args.hosts / sum(raw)
    loads = [round(load * scale) for load in raw]
    budgeted = args.max_moves is not None or args.max_moved_load is not None

    began = time.perf_counter()
    model = cp_model.CpModel()
    on = [[model.new_bool_var("") for _ in range(args.hosts)] for _ in loads]
    for choices in on:
        model.add_exactly_one(choices)
    hint = homes if budgeted else lpt(loads, args.hosts)
    held = [0] * args.hosts
    for shard, host in enumerate(hint):
        held[host] += loads[shard]
        for other in range(args.hosts):
            model.add_hint(on[shard][other], other == host)
    mean = -(-sum(loads) // args.hosts)
    level = model.new_int_var(max(mean, max(loads)), max(held), "level")
    model.add_hint(level, max(held))
    for host in range(args.hosts):
        here = [on[shard][host] for shard in range(len(loads))]
        model.add(cp_model.LinearExpr.weighted_sum(here, loads) <= level)
    stays = [on[shard][home] for shard, home in enumerate(homes)]
    if args.max_moves is not None:
        model.add(sum(stays) >= len(loads) - args.max_moves)
    if args.max_moved_load is not None:
        kept = cp_model.LinearExpr.weighted_sum(stays, loads)
        model.add(kept >= sum(loads) - int(args.max_moved_load * scale))
    model.minimize(level)

    solver = cp_model.CpSolver()
    solver.parameters.num_workers = args.workers
    solver.parameters.relative_gap_limit = args.gap
    solver.parameters.max_time_in_seconds = args.seconds
    status = solver.solve(model)
    seconds = time.perf_counter() - began
    answer = {"seconds": seconds, "workers": args.workers, "status": solver.status_name(status)}
    if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        fleet = sum(loads) / args.hosts
        answer["value"] = solver.objective_value / fleet
        answer["bound"] = solver.best_objective_bound / fleet
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
