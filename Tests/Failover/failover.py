"""Hurts a cluster with several publishers again and again: see README.md here.

    failover.py MARTLET [--cycles 15] [--seed N] [--topology sharded|replicated] [--only FAULT]
                [--keep DIRECTORY] [--break-promises]

The last line is `N passed, N failed`: cycles. A failure leaves a bundle and the line that runs it
again.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import Dict, List, Optional, Tuple, Type

import paths  # noqa: F401
from clients import (
    FollowingBlindWriter, FollowingReader, FollowingWorker, LedgerPacer, LedgerWriter, Residents)
from ensemble import Ensemble, EnsembleWatch
from failures import FAILURES, Failure
from faults import POLICIES, RECOVERY_MAX, end_on_sigterm, fire
from history import History
from ledger import Ledger
from martlet_client import NoAnswer, ServerError
from truth import Truth, percentile

LEASE = 1.0
SETTINGS = [f"lease: {int(LEASE * 1_000)}ms", "heartbeat: 100ms", "retention: {bytes: 4MiB}"]
ACKNOWLEDGED_MAX = 10.0
"""Seconds within which a cluster that is well acknowledges an invalidation."""
BREAKING = 4.0
"""Seconds in which promises are broken often enough to be found."""
KINDS: List[Type[FollowingWorker]] = [
    FollowingReader, FollowingReader, FollowingReader, LedgerWriter, LedgerWriter, LedgerWriter,
    LedgerPacer, FollowingBlindWriter]


class Run:
    """One cluster, its clients, and cycles of faults."""

    def __init__(self, options: argparse.Namespace, directory: Path) -> None:
        self.options, self.directory = options, directory
        self.dice = random.Random(options.seed)
        self.history = History()
        self.truth = Truth(LEASE, POLICIES)
        self.ledger = Ledger(self.truth.note)
        self.ensemble = Ensemble(
            options.program, directory, SETTINGS, POLICIES, options.topology)
        self.watch = EnsembleWatch(self.ensemble)
        self.residents = Residents(self.ensemble.places)
        self.recoveries: Dict[str, List[float]] = defaultdict(list)
        self.workers: List[FollowingWorker] = []
        self.deck: List[Type[Failure]] = []
        self.epoch = 0
        self.forgotten: Dict[str, int] = {}
        self.log_records = 0

    def begin(self) -> None:
        """Starts the processes, and then the clients."""
        self.ensemble.start()
        self.watch.await_well(RECOVERY_MAX)
        self.epoch = self.watch.head[0]
        self._fill()
        for number, kind in enumerate(KINDS):
            worker = kind(f"{kind.__name__}{number}", self.dice.randrange(1 << 32), "",
                          self.truth, self.history)
            worker.places, worker.ledger = self.ensemble.places, self.ledger
            if isinstance(worker, LedgerWriter):
                worker.invents = self.options.break_promises
            self.workers.append(worker)
            worker.start()

    def _fill(self) -> None:
        """What from now on is not to be hidden by any failover."""
        self.residents.store()
        self.forgotten = self.watch.figures("forgotten")

    def _next(self) -> Type[Failure]:
        """Each kind once, in an order of its own, before any comes again."""
        if not self.deck:
            self.deck = [kind for kind in FAILURES if not kind.obstacle(self.ensemble)
                         and self.options.only in (None, kind.__name__)]
            self.dice.shuffle(self.deck)
        return self.deck.pop()

    def cycle(self, number: int) -> Tuple[bool, str]:
        """One fault and the way back; whether nothing was wrong, and what happened."""
        kind = self._next()
        failure = kind(self.ensemble, self.watch, self.dice)
        lasts = self.dice.uniform(*kind.lasts)
        if self.options.break_promises:
            lasts += BREAKING
        time.sleep(self.dice.uniform(0, 0.3))
        self.history.add("FAULT", "begins", kind.__name__, failure.told)
        failure.begin()
        time.sleep(lasts)
        failure.end()
        self.history.add("FAULT", "ends", kind.__name__, failure.told)
        told = f"{kind.__name__} {lasts:.1f} s {failure.told}"
        try:
            took = self.watch.await_well(RECOVERY_MAX)
            self.recoveries[kind.__name__].append(took)
            told += f", well after {took:.2f} s"
            told += f", {self.watch.leader()} leads at {self.watch.head}"
            self._await_acknowledgement()
            self._look_at_what_is_kept(kind)
            self._audit()
        except AssertionError as error:
            self.truth.note("liveness", str(error))
            for role in [*self.ensemble.publishers.values(), *self.ensemble.nodes.values()]:
                role.write_stacks(self.directory / f"{role.name}.stacks")
        except (NoAnswer, ServerError) as error:
            self.truth.note("liveness", f"a cluster that was well does not answer: {error}")
        self._look_at_processes()
        self.history.add("CYCLE", str(number), told)
        return not self.truth.wrong, told

    def _await_acknowledgement(self) -> None:
        """Writers never pause: a cluster that is well and acknowledges nothing is not well."""
        before, end = self.ledger.acknowledged, time.monotonic() + ACKNOWLEDGED_MAX
        while self.ledger.acknowledged == before:
            if time.monotonic() > end:
                raise AssertionError(
                    f"no invalidation is acknowledged within {ACKNOWLEDGED_MAX} s")
            time.sleep(0.02)

    def _look_at_what_is_kept(self, kind: Type[Failure]) -> None:
        """A failover opens no epoch and hides nothing; a restore opens one."""
        before, self.epoch = self.epoch, self.watch.head[0]
        if kind.opens_epoch:
            if self.epoch <= before:
                self.truth.note("restored", f"etcd was set back, and the epoch is still {before}")
            self.ledger.restored(self.epoch)
            return self._fill()
        if self.epoch != before:
            self.truth.note("no epoch", f"epoch {before} became {self.epoch} by {kind.__name__}")
        hits, forgotten = self.residents.hits(), self.watch.figures("forgotten")
        if hits != Residents.count or forgotten != self.forgotten:
            self.truth.note(
                "nothing hidden", f"{hits} of {Residents.count} entries that nothing invalidated "
                f"are hits after {kind.__name__}; forgotten {self.forgotten} → {forgotten}")

    def _audit(self) -> None:
        leader = self.ensemble.control[self.watch.await_leader()]
        self.ledger.audit(self.watch.asker, leader)

    def _look_at_processes(self) -> None:
        for role in self.ensemble.roles:
            if not role.is_up:
                self.truth.note("no process ends", role.account())
        for worker in self.workers:
            if not worker.is_alive():
                self.truth.note("the harness", f"{worker.name} has ended; see above")

    def end(self) -> None:
        """Clients first, then a last look at the log, then the processes."""
        for worker in self.workers:
            worker.stopping.set()
        for worker in self.workers:
            worker.join(10)
        try:
            if self.workers and not self.truth.wrong:
                self._audit()
                leader = self.ensemble.control[self.watch.await_leader()]
                self.log_records = self.ledger.audit_again(self.watch.asker, leader)
        except (AssertionError, NoAnswer, ServerError) as error:
            self.truth.note("the last look", repr(error))
        finally:
            self.residents.close()
            self.watch.close()
            self.ensemble.close()

    def bundle(self) -> Path:
        """Everything that is needed to understand what was wrong."""
        kept = Path(self.options.keep or tempfile.mkdtemp(prefix="martlet-failover-"))
        kept.mkdir(parents=True, exist_ok=True)
        self.history.write(kept / "history.txt")
        (kept / "wrong.txt").write_text("".join(
            f"{wrong.at:.6f} [{wrong.promise}] {wrong.what}\n" for wrong in self.truth.wrong))
        (kept / "log.txt").write_text("".join(
            f"{self.ledger.mark.epoch}:{sequence} {operation.hex()}\n"
            for sequence, operation in self.ledger.records.items()))
        for file in self.directory.iterdir():
            if file.is_file():
                shutil.copy(file, kept)
        return kept

    def conditions(self) -> str:
        """What this machine permits, and what not."""
        left_out = [f"{kind.__name__} is left out: {kind.obstacle(self.ensemble)}"
                    for kind in FAILURES if kind.obstacle(self.ensemble)]
        return ", ".join([f"seed {self.options.seed}", self.options.topology, *left_out])

    def report(self, seconds: float) -> List[str]:
        """What was done and seen, a line each."""
        times = [each for all in self.recoveries.values() for each in all]
        slowest = sorted(self.recoveries.items(), key=lambda pair: -max(pair[1]))[:5]
        return [
            f"seen: {self.truth.counts.line()}",
            f"log: {self.ledger.audited} acknowledged invalidations found in it, each once; "
            f"{self.log_records} records read again at the end",
            f"well again after the end of a fault: p50 {percentile(times, 0.5):.2f} s, "
            f"p99 {percentile(times, 0.99):.2f} s, longest {max(times, default=0):.2f} s; "
            f"{seconds:.0f} s in all",
            *(f"  {name}: {len(each)} times, longest {max(each):.2f} s"
              for name, each in slowest)]

    def tell_what_is_wrong(self, again: str) -> None:
        """The first of each broken promise, where the bundle lies, and how to run it again."""
        promises = Counter(wrong.promise for wrong in self.truth.wrong)
        for promise, count in promises.items():
            first = next(wrong for wrong in self.truth.wrong if wrong.promise == promise)
            more = f" ({count} times)" if count > 1 else ""
            print(f"WRONG [{promise}] {first.what}{more}")
        print(f"bundle: {self.bundle()}\nagain: Tests/Failover/run {self.options.program} {again}")


def arguments() -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(description="Hurts a cluster with several publishers.")
    parser.add_argument("program", help="the martlet binary")
    parser.add_argument("--cycles", type=int, default=len(FAILURES))
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 31))
    parser.add_argument("--topology", choices=["sharded", "replicated"], default="sharded")
    parser.add_argument("--only", choices=sorted(kind.__name__ for kind in FAILURES))
    parser.add_argument("--keep", help="where the bundle of a failure goes")
    parser.add_argument("--break-promises", action="store_true",
                        help="claim some acknowledgements that never were: must be found")
    return parser.parse_args()


def again(options: argparse.Namespace, cycles: int) -> str:
    """The options that run the same faults again."""
    told = f"--seed {options.seed} --cycles {cycles} --topology {options.topology}"
    return told + (f" --only {options.only}" if options.only else "")


def obstacle() -> Optional[str]:
    """Why nothing can be run here."""
    lacking = [name for name in ("etcd", "etcdctl") if shutil.which(name) is None]
    return f"{' and '.join(lacking)} missing: apt install etcd-server etcd-client" \
        if lacking else None


def main() -> int:
    """Runs the cycles; 0 if nothing was wrong."""
    options = arguments()
    end_on_sigterm()
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="martlet-failover-") as directory:
        if (why := obstacle()) is not None:
            print(f"not ok {why}\n0 passed, 1 failed")
            return 1
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
