"""Reading through, with real processes: origins.py MARTLET [--only NAME …] [--full] [--keep DIR]

Each scenario starts what it needs and ends it. The last line is `N passed, N failed`: scenarios.
"""

from __future__ import annotations

import argparse
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Callable, Dict

import station  # noqa: F401  (finds the packages below)
from checking import Report

import absence
import files
import herds
import quiet
import rows
import storms
from scenario import Scenario

EVERYDAY: Dict[str, Callable[[Scenario], None]] = {
    **herds.SCENARIOS, **storms.SCENARIOS, **absence.SCENARIOS, **files.SCENARIOS,
    **rows.SCENARIOS, **quiet.SCENARIOS}
LONG: Dict[str, Callable[[Scenario], None]] = {**storms.LONG, **rows.LONG}
"""What is run with --full only, or by its name."""


def arguments() -> argparse.Namespace:
    """What it was told."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="the martlet binary")
    parser.add_argument("--only", action="append", default=[], metavar="NAME",
                        help="a scenario, or what its name begins with; again for more")
    parser.add_argument("--full", action="store_true", help="also what takes minutes")
    parser.add_argument("--keep", type=Path, help="keep what processes said there")
    parser.add_argument("--list", action="store_true", help="name the scenarios and end")
    return parser.parse_args()


def run(options: argparse.Namespace, report: Report, name: str,
        act: Callable[[Scenario], None]) -> None:
    """One scenario, in a directory of its own."""
    began = time.monotonic()
    print(f"{name}:", flush=True)
    with tempfile.TemporaryDirectory(prefix="martlet-origins.") as folder:
        scenario = Scenario(options.program, Path(folder), options.full)
        before = report.failed
        report.run(name, lambda: act(scenario))
        if options.keep and report.failed > before:
            shutil.copytree(folder, options.keep / name, dirs_exist_ok=True,
                            ignore=shutil.ignore_patterns("data", "*.sock", "*.lock"))
    print(f"    {time.monotonic() - began:.1f} s", flush=True)


def main() -> int:
    """Runs what is asked for."""
    options = arguments()
    scenarios = {**EVERYDAY, **(LONG if options.full or options.only else {})}
    if options.list:
        print("\n".join({**EVERYDAY, **LONG}))
        return 0
    chosen = {name: act for name, act in scenarios.items()
              if not options.only or any(name.startswith(each) for each in options.only)}
    if not chosen:
        print(f"no scenario is called {' or '.join(options.only)}", file=sys.stderr)
        return 64
    # An end by a signal is one in order: whatever was started is ended.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    report = Report()
    for name, act in chosen.items():
        run(options, report, name, act)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
