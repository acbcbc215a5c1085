#!/usr/bin/env python3
"""Holds the engine's eviction policies against each other over request traces.

    Tests/Benchmarks/policies.py FOLDER_OR_TRACE... [--baselines FILE.csv] [--shards 4]

Every trace (in folders: *.csv.gz) is replayed by `martlet trace` at 0.1, 1, 10 and 20 % of its
footprint; in objects, and in bytes where sizes differ from one. Each such cell in which at least
20 average objects have room counts once.

Reduction of misses against LRU is symmetric: (lru - misses) over the greater of the two. Regret
is the miss ratio over the best in the cell, less one. Baselines are lines of
`trace,unit,size_fraction,policy,miss_ratio` with a heading; those whose name begins with Belady
see the future and are left out. Without baselines the best is that of the engine's own policies.
"""

import argparse
import csv
import json
import pathlib
import subprocess

PERMILLES = (1, 10, 100, 200)
OBJECTS_MIN = 20
ENGINE = "adaptive"


def replay(martlet, trace, unit, permilles, *more):
    """What the command reports: {permille: report}, a report having policies by name."""
    sizes = ",".join(f"{permille / 10:g}%" for permille in permilles)
    command = [martlet, "trace", str(trace), "--unit", unit, "--capacity", sizes, "--json", *more]
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    reports = {}
    for line in output.splitlines():
        report = json.loads(line)
        report["policies"] = {policy["policy"]: policy for policy in report["policies"]}
        for permille in permilles:
            if report["capacity"] == max(1, report["footprint"] * permille // 1000):
                reports[permille] = report
    return reports


def units(objects):
    """The units that say something: bytes only where sizes are known."""
    policies = next(iter(objects.values()))["policies"].values()
    has_sizes = any(each["miss_ratio"] != each["byte_miss_ratio"] for each in policies)
    return ["objects", "bytes"] if has_sizes else ["objects"]


def cells(martlet, traces):
    """{(trace, unit, permille): {policy: miss ratio}} of all cells that count."""
    found = {}
    for trace in traces:
        objects = replay(martlet, trace, "objects", PERMILLES, "--policy", "all")
        for unit in units(objects):
            reports = objects if unit == "objects" else replay(
                martlet, trace, unit, PERMILLES, "--policy", "all")
            for permille, report in reports.items():
                if report["keys"] * permille // 1000 >= OBJECTS_MIN:
                    found[name(trace), unit, permille] = {
                        policy: each["miss_ratio"] for policy, each in report["policies"].items()}
    return found


def name(trace):
    return trace.name.split(".")[0]


def read_baselines(path):
    """{(trace, unit, permille): lowest miss ratio of any policy that cannot see the future}."""
    best = {}
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            if not row["policy"].startswith("Belady"):
                cell = row["trace"], row["unit"], round(float(row["size_fraction"]) * 1000)
                best[cell] = min(best.get(cell, 1), float(row["miss_ratio"]))
    return best


def write_cells(path, found):
    """As baselines are read."""
    with open(path, "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["trace", "unit", "size_fraction", "policy", "miss_ratio"])
        for (trace, unit, permille), policies in found.items():
            for policy, ratio in policies.items():
                rows.writerow([trace, unit, permille / 1000, policy, f"{ratio:.6f}"])


def reduction(ratio, lru):
    return (lru - ratio) / max(lru, ratio)


def mean(values):
    return sum(values) / len(values) if values else None


def percent(share, digits=2):
    return "–" if share is None else f"{100 * share:.{digits}f} %"


def label(cell):
    return f"{cell[0]} {cell[1]} {cell[2] / 10:g} %"


def aggregate(found, best, policy):
    reductions = {cell: reduction(each[policy], each["lru"]) for cell, each in found.items()}
    regrets = [each[policy] / best[cell] - 1 for cell, each in found.items() if cell in best]
    worst = min(reductions, key=reductions.get)
    by_unit = {
        unit: mean([each for cell, each in reductions.items() if cell[1] == unit])
        for unit in ("objects", "bytes")}
    figures = [by_unit["objects"], by_unit["bytes"], mean(list(reductions.values())), mean(regrets)]
    within = mean([regret <= 0.05 for regret in regrets])
    return (
        f"{policy:<9}" + "".join(f"{percent(figure):>10}" for figure in figures)
        + f"{percent(within, 0):>8}{percent(reductions[worst]):>11}  {label(worst)}")


def print_shards(martlet, found, traces, shards):
    """How many more misses the engine's policy has when the cache is cut into parts."""
    losses = {}
    for trace in traces:
        for unit in ("objects", "bytes"):
            cell = name(trace), unit, 100
            if cell in found:
                parted = replay(martlet, trace, unit, [100], "--shards", str(shards))[100]
                losses[cell] = parted["policies"][ENGINE]["miss_ratio"] / found[cell][ENGINE] - 1
    worst = max(losses, key=losses.get)
    average = mean(list(losses.values()))
    print(f"\n{shards} shards instead of 1 at 10 %: {100 * average:+.2f} % misses on average,"
          f" {100 * losses[worst]:+.2f} % at worst ({label(worst)})")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("traces", nargs="+", type=pathlib.Path)
    parser.add_argument("--baselines", type=pathlib.Path)
    parser.add_argument("--shards", type=int, help="compare this many shards with one")
    parser.add_argument("--cells", type=pathlib.Path, help="write the miss ratio of every cell")
    parser.add_argument("--martlet", default=".build/release/martlet")
    options = parser.parse_args()
    traces = sorted(
        file for path in options.traces
        for file in (path.glob("*.csv.gz") if path.is_dir() else [path]))

    found = cells(options.martlet, traces)
    if not found:
        parser.error("no trace has room for 20 objects at these sizes")
    if options.cells:
        write_cells(options.cells, found)
    best = {cell: min(each.values()) for cell, each in found.items()}
    if options.baselines:
        best = read_baselines(options.baselines)
    print(f"{len(found)} cells of {len(traces)} traces; reduction of misses against LRU; regret")
    print("policy      objects     bytes      both    regret  in 5 %  worst cell")
    for policy in next(iter(found.values())):
        print(aggregate(found, best, policy))
    if options.shards:
        print_shards(options.martlet, found, traces, options.shards)


if __name__ == "__main__":
    main()
