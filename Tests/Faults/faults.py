"""Puts a real cluster under fire and judges every answer: see README.md here.

    faults.py MARTLET [--cycles 25] [--seed N] [--topology sharded|replicated] [--only KIND]
              [--nodes MARTLET] [--keep DIRECTORY] [--break-promises] [--namespaces]
              [--memory-only]

The last line is `N passed, N failed`: cycles. A failure leaves a bundle and the line that runs it
again.
"""

from __future__ import annotations

import argparse
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import Dict, List, Optional, Tuple, Type

from churn import Crowd
from clock import Clock
from history import History
from mischief import FAULTS, chosen
from network import Namespaces, entered
from overwriter import Overwriter
from processes import Cluster, wait_until
from sleeper import Sleeper
from tiers import Told
from truth import Place, Truth, percentile
from workers import BlindWriter, Pacer, Reader, Worker, Writer

from martlet_client import MartletClient, NoAnswer, ServerError
from martlet_protocol import admin

LIVE = 3
LEASE = 1.0
NODES = 3
POLICIES = {"serve": "serve", "refuse": "refuse", "ask": "revalidate"}
RECOVERY_MAX = 30.0
"""Longer than this after a fault has ended nobody waits: something is stuck."""


def place_of(report: admin.StatusReport) -> Place:
    """The place in the log that a process says it stands at."""
    return report.epoch, int(report.sequence)


class Watch:
    """Asks everybody, past the proxy, how they stand."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.client: Optional[MartletClient] = None
        self.head: Place = (0, 0)
        """The publisher's, when all was well last."""

    def is_well(self) -> bool:
        """Whether every node is LIVE and has applied what the publisher's head was before.

        None may be beyond the head after that: such a node knows more than the log has, and the
        publisher has not heard of it yet.
        """
        try:
            if self.client is None:
                self.client = MartletClient(self.cluster.control, timeout=0.3)
            return self._is_at_the_head(self.client)
        except (NoAnswer, ServerError):
            self.close()
            return False

    def look_at_tiers(self, told: Told) -> None:
        """Notes what each node says of its tier; who does not answer is asked another time."""
        for name, endpoint in self.cluster.shards.items():
            try:
                if self.client is None:
                    self.client = MartletClient(self.cluster.control, timeout=0.3)
                figures = {figure.name: int(figure.value)
                           for figure in self.client.status(endpoint).figures}
                told.note(name, self.cluster.nodes[name].started, figures)
            except (NoAnswer, ServerError):
                self.close()

    def _is_at_the_head(self, client: MartletClient) -> bool:
        head = place_of(client.status(self.cluster.control))
        shards = [client.status(endpoint) for endpoint in self.cluster.shards.values()]
        places = [place_of(shard) for shard in shards]
        self.head = place_of(client.status(self.cluster.control))
        return (all(shard.state == LIVE for shard in shards)
                and head <= min(places) and max(places) <= self.head)

    def close(self) -> None:
        """Ends its connections."""
        if self.client is not None:
            self.client.close()
        self.client = None


class Run:
    """One cluster, its clients, and cycles of faults."""

    kinds: List[Type[Worker]] = [
        Reader, Reader, Reader, Reader, Writer, Writer, Pacer, BlindWriter, Overwriter,
        Sleeper]

    def __init__(self, options: argparse.Namespace, directory: Path) -> None:
        self.options, self.directory = options, directory
        self.dice = random.Random(options.seed)
        self.history = History()
        self.truth = Truth(LEASE, POLICIES)
        self.clock = Clock(directory)
        programs = (options.program, options.nodes or options.program)
        self.network = Namespaces() if options.namespaces else None
        self.cluster = Cluster(programs, directory, options.topology, NODES, LEASE, POLICIES,
                               self.clock, self.network, has_tiers=not options.memory_only)
        self.truth.started = self.cluster.started
        self.told = Told()
        if self.cluster.tiers is not None:
            self.truth.padding = self.cluster.tiers.padding
            self.kinds = [*self.kinds, Crowd]
        self.watch = Watch(self.cluster)
        self.recoveries: Dict[str, List[float]] = defaultdict(list)
        self.workers: List[Worker] = []
        self.carried: Counter = Counter()

    def begin(self) -> None:
        """Everybody is there, and the clients begin."""
        self.cluster.start()
        wait_until("every node is LIVE", 30, self.watch.is_well)
        # Who empties all nodes now and then covers up what they have forgotten to hide.
        empties = self.dice.random() < 0.5
        for number, kind in enumerate(self.kinds):
            worker = kind(f"{kind.__name__}{number}", self.dice.randrange(1 << 32),
                          self.cluster.admin, self.truth, self.history)
            if self.options.break_promises and isinstance(worker, Writer):
                worker.invents = True
            if isinstance(worker, Writer):
                worker.empties = worker.empties and empties
            self.workers.append(worker)
            worker.start()

    def cycle(self, number: int) -> Tuple[bool, str]:
        """One fault, or two, and the way back; whether nothing was wrong, and what befell."""
        faults = chosen(self.cluster, self.clock, self.truth, self.dice, self.options.only)
        names = " + ".join(type(fault).__name__ for fault in faults)
        lasts = self.dice.choice([0.1, 0.5, 1.0, 1.5, 2.5])
        time.sleep(self.dice.uniform(0, 0.3))
        self._look_at_tiers()
        for fault in faults:
            fault.begin()
            self.history.add("FAULT", "begins", type(fault).__name__, fault.told)
        time.sleep(lasts)
        for fault in faults:
            fault.end()
            self.history.add("FAULT", "ends", type(fault).__name__)
        told = f"{names} {lasts} s " + "; ".join(fault.told for fault in faults if fault.told)
        try:
            took = wait_until(f"LIVE at the head after {names}", RECOVERY_MAX, self.watch.is_well)
            self.truth.settle(self.watch.head[0])
            self.recoveries[names].append(took)
            told += f", well after {took:.2f} s"
        except AssertionError as error:
            self.truth.note("liveness", str(error))
            for role in self.cluster.roles:
                role.write_stacks(self.directory / f"{role.name}.stacks")
        self._look_at_processes()
        self._look_at_tiers()
        self.history.add("CYCLE", str(number), told)
        return not self.truth.wrong, told

    def _look_at_processes(self) -> None:
        for role in self.cluster.roles:
            if not role.is_up:
                code = role.process.returncode if role.process else None
                self.truth.note("no process falls", f"{role.name} ended with {code}")
        for worker in self.workers:
            if not worker.is_alive():
                self.truth.note("the harness", f"{worker.name} has ended; see above")

    def _look_at_tiers(self) -> None:
        if self.cluster.tiers is None:
            return
        self.watch.look_at_tiers(self.told)
        for name, role in self.cluster.nodes.items():
            if self.told.has_none_for_long(name, role.started):
                self.truth.note("tiers come back", f"{name} has long had none")

    def end(self) -> None:
        """Clients first, then the cluster."""
        for worker in self.workers:
            worker.stopping.set()
        for worker in self.workers:
            worker.join(10)
        self.watch.close()
        self.carried = self.cluster.proxy.seen()
        self.cluster.close()
        self.clock.close()

    def bundle(self) -> Path:
        """Everything that is needed to understand what was wrong."""
        kept = Path(self.options.keep or tempfile.mkdtemp(prefix="martlet-faults-"))
        kept.mkdir(parents=True, exist_ok=True)
        self.history.write(kept / "history.txt")
        (kept / "wrong.txt").write_text("".join(
            f"{wrong.at:.6f} [{wrong.promise}] {wrong.what}\n" for wrong in self.truth.wrong))
        for file in self.directory.iterdir():
            if file.is_file():
                shutil.copy(file, kept)
        shutil.rmtree(kept / "log", ignore_errors=True)
        if self.cluster.log.exists():
            shutil.copytree(self.cluster.log, kept / "log")
        if self.cluster.tiers is not None and not self.options.break_promises:
            self.cluster.tiers.copy(kept / "tiers")
        return kept

    def report(self, seconds: float) -> List[str]:
        """What was done and seen, a line each."""
        times = [each for all in self.recoveries.values() for each in all]
        slowest = sorted(self.recoveries.items(), key=lambda pair: -max(pair[1]))[:5]
        return [
            f"seen: {self.truth.counts.line()}",
            f"proxy: {self.carried['lost']} messages lost, {self.carried['overtaken']} "
            f"connections overtaken, {self.carried['outlived']} outlived by what they said, "
            f"{self.carried['late messages']} messages late by that",
            *([self.told.line()] if self.cluster.tiers else []),
            f"well again after the end of a fault: p50 {percentile(times, 0.5):.2f} s, "
            f"p99 {percentile(times, 0.99):.2f} s, longest {max(times, default=0):.2f} s; "
            f"{seconds:.0f} s in all",
            *(f"  {names}: {len(each)} times, longest {max(each):.2f} s"
              for names, each in slowest)]

    def conditions(self) -> str:
        """What this machine lets be done, and what not."""
        told = [f"seed {self.options.seed}", self.options.topology,
                "a small disk" if self.cluster.room.is_small else "no small disk: not as root",
                "clocks can be stepped" if self.clock.is_there
                else "no libfaketime: clocks are left alone"]
        told.append("memory only" if self.cluster.tiers is None else "disk tiers" if
                    self.cluster.tiers.small.is_small else "disk tiers, all of which fit")
        if self.network is not None:
            told += ["each in a network namespace",
                     "packets can be filtered" if self.network.can_filter
                     else "no nft: packets are not filtered"]
        return ", ".join(told)

    def tell_what_is_wrong(self, again: str) -> None:
        """What was wrong, where the bundle lies, and how to see it once more."""
        for wrong in self.truth.wrong[:10]:
            print(f"WRONG [{wrong.promise}] {wrong.what}")
        print(f"bundle: {self.bundle()}\nagain: Tests/Faults/run {self.options.program} {again}")


def arguments() -> argparse.Namespace:
    """What was asked for."""
    parser = argparse.ArgumentParser(description="Puts a real cluster under fire.")
    parser.add_argument("program", help="the martlet binary, built for release")
    parser.add_argument("--cycles", type=int, default=25)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 31))
    parser.add_argument("--topology", choices=["sharded", "replicated"], default="sharded")
    parser.add_argument("--only", choices=sorted({kind.__name__ for kind in FAULTS}))
    parser.add_argument("--nodes", help="another binary for the nodes: of another release")
    parser.add_argument("--keep", help="where the bundle of a failure goes")
    parser.add_argument("--namespaces", action="store_true",
                        help="each process in a network namespace, hurt by its wire and packets")
    parser.add_argument("--memory-only", action="store_true",
                        help="nodes without disk tiers, and with memory for everything; of another "
                             "release they have none")
    parser.add_argument("--break-promises", action="store_true",
                        help="claim some invalidations without asking for them: must be found")
    options = parser.parse_args()
    options.memory_only |= options.nodes is not None
    return options


def again(options: argparse.Namespace, cycles: int) -> str:
    """The options that have the same befall once more."""
    told = f"--seed {options.seed} --cycles {cycles} --topology {options.topology}"
    told += f" --only {options.only}" if options.only else ""
    told += f" --nodes {options.nodes}" if options.nodes else ""
    told += " --memory-only" if options.memory_only else ""
    return told + (" --namespaces" if options.namespaces else "")


def fire(run: Run, cycles: int) -> Tuple[int, int]:
    """Has one cycle after the other; how many went well, and whether one did not."""
    passed = 0
    try:
        run.begin()
        for number in range(1, cycles + 1):
            is_right, told = run.cycle(number)
            print(f"{'ok' if is_right else 'not ok'} {number} {told}", flush=True)
            if not is_right:
                break
            passed += 1
    except AssertionError as error:
        run.truth.note("the harness", str(error))
    except KeyboardInterrupt:
        print("interrupted")
    finally:
        run.end()
    return passed, int(bool(run.truth.wrong))


def end_on_sigterm() -> None:
    """Has SIGTERM end a run as Ctrl-C does: with everybody stopped and everything given back.

    Once: whoever ends a whole group of processes says it twice, and that is not to be disturbed.
    """
    def end(*_: object) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, end)


def main() -> int:
    """Runs the cycles; 0 if nothing was wrong."""
    options = arguments()
    end_on_sigterm()
    if options.namespaces and not entered():
        return 0
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="martlet-faults-") as directory:
        run = Run(options, Path(directory))
        print(run.conditions(), flush=True)
        passed, failed = fire(run, options.cycles)
        if failed:
            run.tell_what_is_wrong(again(options, passed + failed))
        print("\n".join(run.report(time.monotonic() - began)))
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
