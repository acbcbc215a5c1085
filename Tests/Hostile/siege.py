"""One attack: what it is handed, and what is asked of the attacked while it lasts."""

from __future__ import annotations

import os
import threading
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional

import allowed
import figures
from curve_peer import CurvePeer
from figures import Held, mebibytes
from key_pair import KeyPair
from neighbour import Neighbour, Seen
from sampler import Sampler
from scenario import Scenario
from target import Door, Target
from zmtp import Wire

RATE = 400.0
"""Gets a second of the well-behaved client."""
QUIET = 0.4
FIRST_QUIET = 2.0
LASTS_MIN = 0.8
"""An attack that is over sooner is made again, until there are gets enough beside it."""
PEACE_MAX = 4_000
"""Of the newest so many gets in quiet it is told what is usual."""
GRAVE = 10
"""The niceness of attackers: they share two cores with those they attack."""


class Siege(Scenario):
    """What an attack is handed. What it notes by `owe` fails it."""

    def __init__(self, ground: "Ground", is_full: bool) -> None:
        super().__init__(ground.target.program, ground.directory, is_full)
        self.target = ground.target
        self.neighbour = ground.neighbour
        self.let_in = 0
        """Who got further than it has a right to."""
        self.memory_max: Optional[int] = None
        """What its peers may cause besides what each connection may; `None`: they have no key,
        and the bound for those holds."""
        self.node_each = allowed.MEMORY_EACH
        self.p99_max: Optional[float] = None
        self.keeps = allowed.RELEASED_TO
        """What a process may keep when all connections of the attack have ended."""
        self.before: Dict[str, int] = {}
        self.took: Dict[str, int] = {}
        self.kept: Dict[str, int] = {}
        """What each process held before it, what more at its worst, and what of that in the end."""
        self.slow: List[str] = []
        """What took others too long, which is wrong, too."""
        self.is_silent = False
        self._open: Counter = Counter()
        self.most: Counter = Counter()
        """The most connections that each process had at a time."""
        self._wires: List[Wire] = []

    def tell(self, figures: str) -> None:
        """Prints what was seen, the first time."""
        if not self.is_silent:
            super().tell(figures)

    def kept_since(self, before: Dict[str, int]) -> Dict[str, int]:
        """What each process holds of what it did not hold before."""
        return {name: figures.held(pid).resident - before[name]
                for name, pid in self.target.processes.items()}

    def await_given_back(self, before: Dict[str, int]) -> Dict[str, int]:
        """What each process keeps of what it did not hold before, once it has given back what it
        says it does."""
        end = time.monotonic() + allowed.GIVEN_BACK_WITHIN
        while True:
            kept = self.kept_since(before)
            if max(kept.values()) <= allowed.FREED_MAX:
                return kept
            if time.monotonic() > end:
                self.owe(False, f"not given back: {mebibytes(kept)}")
                return kept
            time.sleep(0.2)

    def size(self, everyday: int, full: int) -> int:
        """How much of it there is."""
        return full if self.is_full else everyday

    def dial(self, door: Door) -> Wire:
        """A connection to a door, which ends with the attack at the latest."""
        def closed() -> None:
            self._open[door.process] -= 1

        wire = Wire(door.host, door.port, closed)
        self._open[door.process] += 1
        self.most[door.process] = max(self.most[door.process], self._open[door.process])
        self._wires.append(wire)
        return wire

    def count(self, door: Door, connections: int) -> None:
        """Notes connections that sockets of libzmq make."""
        self.most[door.process] += connections

    def peer(self, door: Door, keys: KeyPair) -> CurvePeer:
        """A peer by hand at a door, before its handshake."""
        return CurvePeer(self.dial(door), door.key, keys)

    def member(self, memory: float, p99: float = allowed.MEMBERS_P99) -> None:
        """Its peers hold keys: so much memory may they cause, and so slow may others become."""
        self.memory_max, self.p99_max = int(memory), p99

    def end_connections(self) -> None:
        """Ends all of them."""
        for wire in self._wires:
            wire.close()
        self._wires.clear()


@dataclass
class Attack:
    """A named check."""

    name: str
    act: Callable[[Siege], None]
    wants_new: bool = False
    """Whether it is made on processes that nobody has attacked before."""


class Ground:
    """A cluster, and the client beside it, on which one attack follows the other."""

    def __init__(self, program: str, directory: Path) -> None:
        self.directory = directory
        self.target = Target(program, directory)
        self.peace: List[float] = []
        self.first: Dict[str, Held] = {}
        """What each process held before the first attack."""
        self.target.__enter__()
        try:
            self.neighbour = Neighbour(self.target.control, RATE, self.target.key_file("app"),
                                       directory / "neighbour.log")
        except BaseException:
            self.target.close()
            raise

    def close(self) -> None:
        """Ends everybody."""
        self.neighbour.close()
        self.target.close()

    def usual(self) -> float:
        """The 99th percentile of the client's gets in quiet, those of just now among them."""
        seen = self.neighbour.over(QUIET if self.first else FIRST_QUIET)
        self.peace = (self.peace + seen.latencies)[-PEACE_MAX:]
        return Seen(latencies=self.peace).percentile(0.99)

    def wage(self, attack: Attack, is_full: bool) -> Siege:
        """One attack, and what is wrong in the end."""
        siege = Siege(self, is_full)
        usual = self.usual()
        processes = self.target.processes
        before = {name: figures.held(pid) for name, pid in processes.items()}
        self.first = self.first or before
        for pid in processes.values():
            figures.forget_peak(pid)
        sampler = Sampler(lambda: list(processes.items()), 0.1)
        sampler.start()
        self.neighbour.since()
        began = time.monotonic()
        try:
            _in_a_grave_thread(lambda: attack.act(siege))
            siege.is_silent = True
            while (time.monotonic() - began < LASTS_MIN
                   and not siege.wrong and not siege.slow):
                siege.end_connections()
                _in_a_grave_thread(lambda: attack.act(siege))
            lasted, seen = time.monotonic() - began, self.neighbour.since()
        finally:
            sampler.stop()
            siege.end_connections()
            siege.is_silent = False
        if self._all_live(siege):
            self._judge_memory(siege, before, sampler)
            self._judge_harm(siege, usual, seen, lasted)
            self._judge_rest(siege, before)
        siege.owe(siege.let_in == 0, f"{siege.let_in} were let in who have no right")
        return siege

    def _all_live(self, siege: Siege) -> bool:
        fallen = self.target.fallen()
        siege.owe(not fallen, f"fallen: {', '.join(fallen)}: "
                  f"{' '.join(self.target.said(name)[-300:] for name in fallen)}")
        return not fallen

    def _judge_memory(self, siege: Siege, before: Dict[str, Held], sampler: Sampler) -> None:
        more: Dict[str, int] = {}
        for name, pid in self.target.processes.items():
            most, since = siege.memory_max, before[name].resident
            if most is None:
                # What earlier strangers have left counts, too.
                since = min(since, self.first[name].resident)
                most = allowed.STRANGERS_MEMORY
            each = allowed.MEMORY_EACH if name == "publisher" else siege.node_each
            most += each * siege.most[name]
            more[name] = figures.peak(pid) - since
            siege.took[name] = figures.peak(pid) - before[name].resident
            siege.owe(more[name] <= most,
                      f"{name} took {more[name] / figures.MEBIBYTE:.1f} MiB more, "
                      f"{most / figures.MEBIBYTE:.1f} are allowed")
        peaks = {name: max([each.descriptors for each in sampler.samples if each.name == name],
                           default=before[name].descriptors) for name in more}
        siege.tell(f"memory {mebibytes(more)}; connections "
                   f"{dict(siege.most) or 0}; descriptors at most {max(peaks.values())}")

    def _judge_harm(self, siege: Siege, usual: float, seen: Seen, lasted: float) -> None:
        p99, slowest = seen.percentile(0.99), max(seen.receipts, default=0.0)
        most = siege.p99_max or max(allowed.P99_FACTOR * usual, allowed.P99_FLOOR)
        siege.tell(f"{lasted:.1f} s; beside it {len(seen.latencies)} gets, p99 {_ms(p99)} "
                   f"(in quiet {_ms(usual)}), {len(seen.receipts)} receipts, the slowest "
                   f"{_ms(slowest)}")
        if p99 > most:
            siege.slow.append(
                f"the client beside it: p99 {_ms(p99)}, {_ms(most)} are allowed")
        if slowest > allowed.RECEIPT_MAX:
            siege.slow.append(f"a receipt took {_ms(slowest)}")
        if seen.late:
            siege.slow.append(f"a node was not heard in time, {len(seen.late)} times: "
                              f"{seen.late[:2]}")
        siege.wrong += siege.slow
        siege.owe(not seen.unanswered, f"{seen.unanswered} of its gets were not answered")
        siege.owe(not seen.wrong, f"{len(seen.wrong)} wrong answers: {seen.wrong[:2]}")
        siege.owe(seen.latencies, "it was not answered at all")

    def _judge_rest(self, siege: Siege, before: Dict[str, Held]) -> None:
        end = time.monotonic() + allowed.RELEASED_WITHIN
        left = self._left(before)
        while left and time.monotonic() < end:
            time.sleep(0.05)
            left = self._left(before)
        siege.owe(not left, f"{allowed.RELEASED_WITHIN:.0f} s after it: {'; '.join(left)}")
        siege.before = {name: held.resident for name, held in before.items()}
        siege.kept = siege.kept_since(siege.before)

    def _left(self, before: Dict[str, Held]) -> List[str]:
        left = []
        for name, pid in self.target.processes.items():
            now, then = figures.held(pid), before[name]
            if now.descriptors > then.descriptors + allowed.RELEASED_DESCRIPTORS:
                left.append(f"{name} has {now.descriptors} descriptors, {then.descriptors} before")
            if now.threads > then.threads:
                left.append(f"{name} has {now.threads} threads, {then.threads} before")
        return left


def _ms(seconds: float) -> str:
    return f"{1_000 * seconds:.1f} ms"


def _in_a_grave_thread(act: Callable[[], None]) -> None:
    """Does it at a low priority; so are the threads that it starts."""
    error: List[BaseException] = []

    def run() -> None:
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), GRAVE)
        try:
            act()
        except BaseException as raised:  # told by whoever waits
            error.append(raised)

    thread: Any = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join()
    if error:
        raise error[0]
