"""Soaks a cluster: load, faults and invalidations for a long time, with flat memory.

    soak.py MARTLET [--for 1h] [--topology sharded|replicated] [--seed N] [--only KIND]
            [--keep DIRECTORY] [--namespaces] [--tiers]

Without a topology each has half of the time. Every answer is judged as in faults.py. One node is
never killed, and publisher and a second one not in the first two thirds: what they hold has to be
flat. Samples, a chart and a report lie in the directory; Ctrl-C ends it early with what there is.
The last line is `N passed, N failed`: cycles, and processes that lived long enough to be judged.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import List, Tuple

from chart import chart
from churn import SOAKING, Filler, fill_log
from faults import NODES, Run, end_on_sigterm
from mischief import FAULTS
from network import entered
from sampler import Life, Sampler

UNITS = {"s": 1, "m": 60, "h": 3_600}
FILLED = 1.5 * NODES * (16 << 20)
"""Bytes after which every node is full, and has begun to evict."""
FILLING_MAX = 120.0


class Soak(Run):
    """A run that goes on for a time, and looks at what processes hold."""

    kinds = SOAKING

    def __init__(self, options: argparse.Namespace, directory: Path, seconds: float) -> None:
        super().__init__(options, directory)
        # What libfaketime takes for itself is not to be measured.
        self.clock.is_there = False
        self.seconds = seconds
        self.settling = 0.0
        self.passed = 0
        self.is_interrupted = False
        self.sampler = Sampler(self.living, min(4.0, max(0.5, seconds / 300)))

    def living(self) -> List[Tuple[str, int]]:
        """Who is to be looked at."""
        return [(role.name, role.process.pid) for role in self.cluster.roles
                if role.process is not None and role.is_up]

    def fill(self) -> None:
        """Waits until the publisher holds all that it may, and every node is full."""
        began = time.monotonic()
        fill_log(self.cluster.control)
        print(f"the publisher is full after {time.monotonic() - began:.0f} s", flush=True)
        began = time.monotonic()
        Filler.stored = 0
        while Filler.stored < FILLED:
            time.sleep(0.1)
            if time.monotonic() - began > FILLING_MAX:
                raise AssertionError(f"not full within {FILLING_MAX:.0f} s: {Filler.stored} bytes")
        print(f"the nodes are full after {time.monotonic() - began:.0f} s", flush=True)
        self.settling = self.sampler.seconds

    def soak(self) -> None:
        """All of it, from the start to the end of its time, or to what is wrong."""
        began = time.monotonic()
        try:
            self.begin()
            self.sampler.start()
            self.fill()
            began = time.monotonic()
            while time.monotonic() < began + self.seconds:
                early = time.monotonic() < began + self.seconds * 2 / 3
                self.cluster.spared = {"n1", "n2", "publisher"} if early else {"n1"}
                is_right, told = self.cycle(self.passed + 1)
                print(f"{'ok' if is_right else 'not ok'} {self.passed + 1} {told}", flush=True)
                if not is_right:
                    break
                self.passed += 1
        except AssertionError as error:
            self.truth.note("the harness", str(error))
        except KeyboardInterrupt:
            self.is_interrupted = True
            print("interrupted")
        finally:
            self.sampler.stop()
            self.end()
        self.seconds = time.monotonic() - began

    def judged(self) -> List[Life]:
        """Every process that lived long enough; who grew is noted as wrong."""
        lives = self.sampler.lives(self.settling) if self.settling else []
        for life in lives:
            for wrong in life.wrong:
                self.truth.note("flat", f"{life.name}: {wrong}")
        missing = {"n1", "publisher"} - {life.name for life in lives}
        if missing and not self.is_interrupted and not self.truth.wrong:
            self.truth.note("flat", f"too short a time to judge {' and '.join(sorted(missing))}")
        return lives

    def finish(self, kept: Path) -> Tuple[int, int]:
        """Writes what was found; how much of it was right, and how much wrong."""
        lives = self.judged()
        title = f"{self.options.topology}, {self.seconds:.0f} s, seed {self.options.seed}"
        lines = [title, f"{self.passed} cycles", *self.report(self.seconds),
                 "held in the second quarter of a life → in its last, medians:",
                 *(f"  {'flat' if not life.wrong else 'NOT FLAT'} {life.line()}"
                   for life in lives)]
        kept.mkdir(parents=True, exist_ok=True)
        self.sampler.write(kept / "samples.csv")
        (kept / "chart.svg").write_text(chart(self.sampler.samples, title))
        (kept / "report.txt").write_text("\n".join(lines) + "\n")
        print("\n".join(lines[1:]))
        flat = sum(1 for life in lives if not life.wrong)
        return self.passed + flat, len({wrong.what for wrong in self.truth.wrong})


def seconds_of(text: str) -> float:
    """A length of time, as `90s`, `10m` or `1h`."""
    if text[-1:] not in UNITS or not text[:-1].isdecimal():
        raise argparse.ArgumentTypeError(f"not a time such as 90s, 10m or 1h: {text}")
    return float(text[:-1]) * UNITS[text[-1]]


def arguments() -> argparse.Namespace:
    """What was asked for, with what a run of faults is told besides."""
    parser = argparse.ArgumentParser(description="Soaks a cluster.")
    parser.add_argument("program", help="the martlet binary, built for release")
    parser.add_argument("--for", dest="seconds", type=seconds_of, default=seconds_of("1h"))
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 31))
    parser.add_argument("--topology", choices=["sharded", "replicated"])
    parser.add_argument("--only", choices=sorted({kind.__name__ for kind in FAULTS}))
    parser.add_argument("--keep", help="where samples, charts, reports and bundles go")
    parser.add_argument("--namespaces", action="store_true",
                        help="each process in a network namespace")
    parser.add_argument("--tiers", action="store_true", help="nodes with disk tiers")
    parser.set_defaults(nodes=None, break_promises=False)
    options = parser.parse_args()
    options.memory_only = not options.tiers
    return options


def soak(options: argparse.Namespace, topology: str, seconds: float,
         kept: Path) -> Tuple[int, int, bool]:
    """One topology; what was right, what wrong, and whether it was interrupted."""
    told = argparse.Namespace(**{**vars(options), "topology": topology, "keep": str(kept)})
    with tempfile.TemporaryDirectory(prefix="martlet-soak-") as directory:
        run = Soak(told, Path(directory), seconds)
        print(run.conditions(), flush=True)
        run.soak()
        passed, failed = run.finish(kept)
        if failed:
            more = f" --only {options.only}" if options.only else ""
            more += " --namespaces" if options.namespaces else ""
            more += " --tiers" if options.tiers else ""
            run.tell_what_is_wrong(f"--soak {seconds:.0f}s --seed {options.seed} "
                                   f"--topology {topology}{more}")
        return passed, failed, run.is_interrupted


def main() -> int:
    """0 if nothing was wrong and everything flat."""
    options = arguments()
    end_on_sigterm()
    if options.namespaces and not entered():
        return 0
    topologies = [options.topology] if options.topology else ["sharded", "replicated"]
    keep = Path(options.keep or tempfile.mkdtemp(prefix="martlet-soak-kept-"))
    passed = failed = 0
    for topology in topologies:
        more, wrong, is_interrupted = soak(
            options, topology, options.seconds / len(topologies), keep / topology)
        passed, failed = passed + more, failed + wrong
        if is_interrupted:
            break
    print(f"samples, charts and reports: {keep}\n{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
