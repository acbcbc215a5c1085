"""What the origin holds, what was promised about it, and whether an answer keeps the promises.

The promises are those of docs/consistency.md, by their numbers there. Each value names its key and
its version, so that every answer can be judged by itself:

    1 receipt     a complete receipt of *all* came before the get was sent
    2 lease       the record was in the log one lease (+ 1 %) before the get was sent
    4 at least    the answer itself says that it reflects the record's position
    strong        a get with FRESH was sent after any receipt

In each of these cases a fresh answer must hold at least the version that was committed before that
invalidation was asked for. Whatever is not vouched for must say so.
"""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from dataclasses import dataclass, field as member
from typing import Callable, Deque, Dict, Iterable, List, Optional, Sequence, Tuple

Key = Tuple[str, bytes]
Place = Tuple[int, int]

LEASE_SLACK = 1.01
"""The publisher counts a lease one hundredth longer than the node."""
STORES = 50_000
"""Of how many stores it is remembered when they were."""
DEBTS = 256
"""How many promises are kept for each key; older ones are implied by newer ones."""


@dataclass
class Debt:
    """From a moment, or from a place in the log on, fresh answers hold at least this version."""

    version: int
    place: Place
    answered: float
    complete: bool
    is_kept_by_nodes: bool
    lease: float

    def holds(self, sent: float, strong: bool, shown: Place) -> Optional[str]:
        """The promise by which a fresh answer owes this version; `None`: it does not."""
        if self.place <= shown:
            return "4: the answer reflects the record's position"
        if sent <= self.answered:
            return None
        if self.complete:
            return "1: a complete receipt came before the get"
        if strong:
            return "strong: a receipt came before the strong read"
        if sent > self.answered + self.lease * LEASE_SLACK + 0.005:
            return "2: the record was in the log for longer than a lease"
        return None


@dataclass
class Lapse:
    """A time in which the log lost its end: what it said of records that no node had is not owed.

    It lasts until the log is settled again. A publisher that comes back with too short a log goes
    on with it until a node that knows more is heard, and opens an epoch then: what it said in
    between is lost, too, also where that is read only after the epoch began.
    """

    first: float
    last: float = math.inf
    epoch: int = 0
    """The one in which the log was settled."""

    def covers(self, place: Place, answered: float) -> bool:
        """Whether what was answered at that time about the record at this place may be lost."""
        return self.first <= answered and (answered <= self.last or place[0] < self.epoch)


@dataclass
class Counts:
    """What was seen, for the report and to know that something was seen at all."""

    fresh: int = 0
    owed: int = 0
    strong: int = 0
    outlived_a_life: int = 0
    stale: int = 0
    stale_outlived_a_life: int = 0
    missed: int = 0
    behind: int = 0
    unanswered: int = 0
    stores: int = 0
    fenced_off: int = 0
    complete: int = 0
    incomplete: int = 0
    paced: int = 0
    refused: int = 0
    overwritten: int = 0
    looked_back: int = 0

    def line(self) -> str:
        """All of them that are not zero."""
        return ", ".join(f"{value} {name.replace('_', ' ')}"
                         for name, value in vars(self).items() if value)


@dataclass
class Wrong:
    """An answer that breaks a promise."""

    promise: str
    what: str
    at: float


@dataclass
class Truth:
    """The origin and the judge. Used by several threads."""

    lease: float
    policies: Dict[str, str]
    lock: threading.Lock = member(default_factory=threading.Lock)
    versions: Dict[Key, int] = member(default_factory=dict)
    debts: Dict[Key, List[Debt]] = member(default_factory=dict)
    lapses: List[Lapse] = member(default_factory=list)
    wrong: List[Wrong] = member(default_factory=list)
    counts: Counts = member(default_factory=Counts)
    newest: Place = (0, 0)
    padding: int = 0
    """How much longer than they need be values are at most."""
    started: Callable[[str], float] = lambda _: 0.0
    """When the node at an endpoint was started last."""
    stored_at: Dict[int, float] = member(default_factory=dict)
    stores: Deque[int] = member(default_factory=deque)

    # The origin

    def read(self, key: Key) -> int:
        """What a load finds."""
        with self.lock:
            return self.versions.get(key, 0)

    def commit(self, keys: Iterable[Key]) -> Dict[Key, int]:
        """Changes these keys, and says to which versions."""
        with self.lock:
            for key in keys:
                self.versions[key] = self.versions.get(key, 0) + 1
            return {key: self.versions[key] for key in keys}

    # Promises

    def promised(self, versions: Dict[Key, int], place: Place, answered: float, complete: bool,
                 is_kept_by_nodes: bool) -> None:
        """A receipt came for the invalidation of these keys.

        A record that only the log knew of is gone with it. One that is on live nodes too is not.
        """
        with self.lock:
            self.newest = max(self.newest, place)
            lost = any(lapse.covers(place, answered) for lapse in self.lapses)
            if lost and not is_kept_by_nodes:
                return
            for key, version in versions.items():
                owed = self.debts.setdefault(key, [])
                owed.append(
                    Debt(version, place, answered, complete, is_kept_by_nodes, self.lease))
                if len(owed) > DEBTS:
                    del owed[: DEBTS // 2]

    def excuse(self, lapse: Lapse) -> None:
        """The log loses its end: what is said in this time, and is on no node, is not owed."""
        with self.lock:
            self.lapses.append(lapse)
            for key, owed in self.debts.items():
                self.debts[key] = [debt for debt in owed if debt.is_kept_by_nodes
                                   or not lapse.covers(debt.place, debt.answered)]

    def settle(self, epoch: int) -> None:
        """The log is well again, in this epoch: whatever is said of it from now on is owed."""
        with self.lock:
            for lapse in self.lapses:
                if math.isinf(lapse.last):
                    lapse.last, lapse.epoch = time.monotonic(), epoch

    # Judging

    def judge(self, key: Key, value: bytes, fresh: bool, unfenced: bool, marked: bool,
              sent: float, strong: bool, shown: Place, who: str) -> None:
        """An answer with a value came."""
        space, name = key
        what = f"{space}/{name.decode()} = {value[:60]!r} from {who}, at {shown[0]}:{shown[1]}"
        with self.lock:
            words = value.split(b" ")
            if len(words) != 4 or words[0] != space.encode() or words[1] != name:
                return self._note("whole values", what + ": never stored under this key")
            if words[2] == b"blind":
                if not unfenced:
                    self._note("fenced", what + ": a blind store is not marked UNFENCED")
                return
            version = int(words[2])
            if version > self.versions.get(key, 0):
                self._note("whole values", what + ": the origin has never held it")
            if not fresh:
                self.counts.stale += 1
                if not marked:
                    self._note("marks", what + ": stale, and no flag says why")
                return
            self.counts.fresh += 1
            self.counts.strong += strong
            if unfenced:
                return self._note("fenced", what + ": stored with a token, and marked UNFENCED")
            self._check(key, version, sent, strong, shown, what)

    def _check(self, key: Key, version: int, sent: float, strong: bool, shown: Place,
               what: str) -> None:
        owed = False
        for debt in reversed(self.debts.get(key, ())):
            promise = debt.holds(sent, strong, shown)
            if promise is None:
                continue
            owed = True
            if debt.version > version:
                self._note(promise, f"{what}; version {debt.version} was committed before the "
                           f"invalidation at {debt.place[0]}:{debt.place[1]}, answered "
                           f"{sent - debt.answered:.3f} s before the get was sent")
                return
        self.counts.owed += owed

    # What outlives the process that stored it

    def was_stored(self, value: bytes) -> None:
        """A store of this value was acknowledged just now."""
        with self.lock:
            name = hash(value)
            self.stored_at[name] = time.monotonic()
            self.stores.append(name)
            if len(self.stores) > STORES:
                self.stored_at.pop(self.stores.popleft(), None)

    def count_outlived(self, value: bytes, endpoint: str, fresh: bool) -> None:
        """Counts an answer with what an earlier life of the node that gives it has stored."""
        with self.lock:
            stored = self.stored_at.get(hash(value))
            if stored is not None and stored < self.started(endpoint):
                self.counts.outlived_a_life += fresh
                self.counts.stale_outlived_a_life += not fresh

    def note(self, promise: str, what: str) -> None:
        """Something else that must not be was seen."""
        with self.lock:
            self._note(promise, what)

    def _note(self, promise: str, what: str) -> None:
        self.wrong.append(Wrong(promise, what, time.monotonic()))

    def count(self, **more: int) -> None:
        """Adds to the counts."""
        with self.lock:
            for name, number in more.items():
                setattr(self.counts, name, getattr(self.counts, name) + number)


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which that share of them lies; 0 of none."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else 0.0
