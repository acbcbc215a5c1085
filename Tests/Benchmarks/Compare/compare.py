#!/usr/bin/env python3
"""Holds Martlet against Redis and memcached on this machine. Called by deploy/compare.

docs/comparing.md tells what each row measures and how to read it.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from typing import Callable, Dict, List

import asking
import machine
import report
import rows_curve
import rows_invalidation
import rows_latency
import rows_memory
import rows_rates
import rows_scaling
import selftest
import systems
from arena import Arena, Settings, say
from figures import Row

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
PROGRAMS = ROOT / ".build" / "compare" / "programs"

# Named in asking.py, which is read before anything is installed.
ROWS: Dict[str, Callable[[Arena], Row]] = {
    "gets": rows_rates.gets,
    "batches": rows_rates.batches,
    "sets": rows_rates.sets,
    "one": rows_latency.one_at_a_time,
    "open": rows_latency.open_loop,
    "large": rows_latency.large,
    "sizes": rows_scaling.sizes,
    "shards": rows_scaling.shards,
    "verify": rows_rates.verified,
    "curve": rows_curve.curve,
    "invalidations": rows_invalidation.invalidations,
    "memory": rows_memory.memory,
    "misses": rows_memory.misses,
}
MIB = 1 << 20


def settings_of(asked: argparse.Namespace, folder: pathlib.Path) -> Settings:
    quick = asked.quick
    return Settings(
        martlet=asked.martlet, programs=PROGRAMS, folder=folder,
        seconds=1.0 if quick else asked.seconds, rounds=1 if quick else asked.rounds,
        keys=min(asked.keys, 100_000) if quick else asked.keys, value=asked.value,
        large_keys=256 if quick else 4_096,
        memory=asked.memory * MIB, node_options=asked.node_options.split(),
        bench_options=asked.bench_options.split(), traces=asked.traces,
        limits=asked.limit or [64],
        requests=min(asked.requests or 20_000, 20_000) if quick else asked.requests,
        entries=min(asked.entries, 100_000) if quick else asked.entries)


def refuse(why: str) -> None:
    print(f"deploy/compare: {why}", file=sys.stderr)
    sys.exit(64)


def check(asked: argparse.Namespace) -> None:
    """What is missing is said before anything begins."""
    for program in ("redis-server", "redis-benchmark", "memcached"):
        if shutil.which(program) is None:
            refuse(f"{program} is not installed; deploy/compare installs it on Debian")
    if not asked.martlet or not os.access(asked.martlet, os.X_OK):
        refuse(f"{asked.martlet} is not a program; name it by --martlet")
    for trace in asked.traces:
        if not pathlib.Path(trace).is_file():
            refuse(f"there is no trace {trace}")
    needed = asked.keys * (asked.value + 150) // MIB + asked.memory // 4
    if not asked.quick and needed > asked.memory:
        refuse(f"{asked.keys} keys need about {needed} MiB; give more by --memory")


def build(folder: pathlib.Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    done = subprocess.run([HERE / "build", folder], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        refuse(f"the loader could not be built:\n{done.stderr}")


def measured(arena: Arena, name: str) -> Row:
    began = time.monotonic()
    say(f"\n==> {name}")
    try:
        row = ROWS[name](arena)
    except systems.FAILURES as why:
        say(f"  {why}")
        row = Row(name, name, notes=[f"not measured: {why}"])
    say(f"    {name}: {time.monotonic() - began:.0f} s")
    return row


def compare(asked: argparse.Namespace, work: pathlib.Path) -> int:
    out = pathlib.Path(asked.out or ROOT / ".build" / "compare" / time.strftime("%Y%m%d-%H%M%S"))
    out.mkdir(parents=True, exist_ok=True)
    facts = {**machine.described(ROOT), **systems.versions(asked.martlet),
             "command": " ".join(["deploy/compare", *sys.argv[1:]])}
    names = asked.only or asking.UNLESS_NAMED + (["misses"] if asked.traces else [])
    rows: List[Row] = []
    with Arena(settings_of(asked, work)) as arena:
        for name in names:
            rows.append(measured(arena, name))
            facts["load at the end"] = machine.load()
            # After each row, so that Ctrl-C loses no more than the one under way.
            report.write(out, facts, rows, arena.commands)
    print(report.report_text(facts, rows, []))
    print(f"Written to {out}/report.md and report.json")
    return 0 if any(contestant.spread for row in rows for contestant in row.contestants) else 1


def main() -> int:
    asked = asking.arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    if not asked.self_test:
        check(asked)
    build(PROGRAMS)
    with tempfile.TemporaryDirectory(prefix="martlet-compare.") as folder:
        if asked.self_test:
            return selftest.run(pathlib.Path(folder), PROGRAMS)
        return compare(asked, pathlib.Path(folder))


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        print("\ndeploy/compare: stopped; what was measured is in the report", file=sys.stderr)
        sys.exit(130)
