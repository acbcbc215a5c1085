"""What was acknowledged, and whether it is in the log: each operation once, in one order."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field as member
from typing import Callable, Dict, List, Tuple

import paths  # noqa: F401
from leader_client import DirectAsker
from martlet_protocol import control, limits
from martlet_protocol.control import Mark, Record
from martlet_protocol.header import Type
from martlet_protocol.reading import U64
from truth import Place

NONE = bytes(16)
START = Mark(0, U64(0), U64(0))
PACING_SLACK = 20.0
"""Seconds after its span within which every slice of a paced invalidation is in the log."""


@dataclass
class PacingOrder:
    """An invalidation in slices that a publisher has promised."""

    slices: int
    due: float

    def operations(self, operation: bytes) -> List[Tuple[bytes, bytes]]:
        """The operation id of each slice, in either order of its bytes."""
        number = int.from_bytes(operation[8:], "little"), int.from_bytes(operation[8:], "big")
        return [(operation[:8] + (number[0] ^ slice).to_bytes(8, "little"),
                 operation[:8] + (number[1] ^ slice).to_bytes(8, "big"))
                for slice in range(1, self.slices + 1)]


@dataclass
class Ledger:
    """Acknowledgements of clients, and the log as the leaders have shown it. Used by several
    threads."""

    note: Callable[[str, str], None]
    """Is told of each broken promise."""
    lock: threading.Lock = member(default_factory=threading.Lock)
    pending: Dict[bytes, Place] = member(default_factory=dict)
    """Acknowledged, and not looked for in the log yet."""
    receipts: Dict[bytes, Place] = member(default_factory=dict)
    orders: Dict[bytes, PacingOrder] = member(default_factory=dict)
    sequences: Dict[bytes, int] = member(default_factory=dict)
    """Of each operation in the log of this epoch."""
    records: Dict[int, bytes] = member(default_factory=dict)
    mark: Mark = member(default_factory=lambda: START)
    epoch: int = 0
    """The one that the last restore opened: positions of earlier ones are not owed."""
    audited: int = 0
    acknowledged: int = 0
    """Receipts that came, also for an operation that was acknowledged before."""

    def acknowledge(self, operation: bytes, place: Place) -> None:
        """A receipt came: the record is at this position of the log."""
        with self.lock:
            first = self.receipts.setdefault(operation, place)
            self.pending[operation] = place
            self.acknowledged += 1
        if first != place:
            self.note("done once", f"operation {operation.hex()} was acknowledged at {first} "
                      f"and at {place}")

    def promise(self, operation: bytes, slices: int, span: float) -> None:
        """A publisher began an invalidation in slices."""
        with self.lock:
            self.orders[operation] = PacingOrder(slices, time.monotonic() + span + PACING_SLACK)

    # Auditing

    def audit(self, asker: DirectAsker, leader: str) -> None:
        """Reads what the log has more than last time, and looks for what was acknowledged."""
        with self.lock:
            owed = {operation: place for operation, place in self.pending.items()
                    if place[0] >= self.epoch}
            self.pending.clear()
        self.mark = self._read(asker, leader, self.mark, self._add)
        for operation, place in owed.items():
            if self.records.get(place[1]) != operation or place[0] != self.mark.epoch:
                elsewhere = self.sequences.get(operation)
                self.note("acknowledged", f"operation {operation.hex()}, acknowledged at {place}, "
                          + (f"is at {elsewhere}" if elsewhere else "is not in the log"))
        self.audited += len(owed)
        self._audit_orders()

    def _audit_orders(self) -> None:
        with self.lock:
            due = {operation: order for operation, order in self.orders.items()
                   if order.due < time.monotonic()}
        for operation, order in due.items():
            missing = [number for number, names in enumerate(order.operations(operation))
                       if not any(name in self.sequences for name in names)]
            if missing:
                self.note("paced", f"order {operation.hex()} lacks slices {missing} of "
                          f"{order.slices} in the log")
            del self.orders[operation]

    def audit_again(self, asker: DirectAsker, leader: str) -> int:
        """Reads all that is kept of the log once more: no record has become another one. The
        number of records."""
        before, count = self.mark, 0

        def compare(record: Record) -> None:
            nonlocal count
            count += 1
            known = self.records.get(int(record.sequence))
            if record.sequence <= before.sequence and known != record.operation:
                self.note("one log", f"record {record.sequence} was operation "
                          f"{known.hex() if known else known}, and is {record.operation.hex()}")

        self._read(asker, leader, START, compare)
        return count

    def restored(self, epoch: int) -> None:
        """etcd was set back, and this epoch opened: what was acknowledged before is not owed."""
        with self.lock:
            self.epoch = epoch
            self.receipts.clear()
            self.orders.clear()
        self.sequences.clear()
        self.records.clear()
        self.mark = START

    def _read(self, asker: DirectAsker, leader: str, mark: Mark,
              take: Callable[[Record], None]) -> Mark:
        """Hands out every record after the mark; the mark of the last one."""
        while True:
            body = control.Resume(U64(0), U64(0), mark, limits.RESUME_RECORDS)
            answer = asker.request(leader, Type.RESUME, body, 5.0)
            if answer.type == Type.TRUNCATED:
                mark = self._after_truncation(mark, answer.body)
                continue
            if answer.type != Type.REPLAY:
                raise AssertionError(f"RESUME was answered with {answer.type.name}")
            if not answer.body.records:
                return mark if mark.epoch else answer.body.head
            for record in answer.body.records:
                self._check_chain(mark, record)
                take(record)
                mark = record.mark

    def _after_truncation(self, mark: Mark, truncated: control.Truncated) -> Mark:
        """The mark before the oldest record that is kept, where the log may be read from there."""
        if mark.epoch:
            self.note("one log", f"the log does not go on after {mark}: {truncated}")
            raise AssertionError("the log does not go on after what was read of it")
        return Mark(truncated.head.epoch, U64(truncated.tail - 1), U64(0))

    def _check_chain(self, mark: Mark, record: Record) -> None:
        is_next = not mark.epoch or (
            record.epoch == mark.epoch and record.sequence == mark.sequence + 1
            and mark.digest in (0, record.previous_digest))
        if not is_next:
            self.note("one log", f"after {mark} comes {record.epoch}:{record.sequence} with the "
                      f"previous digest {record.previous_digest}")

    def _add(self, record: Record) -> None:
        sequence, operation = int(record.sequence), record.operation
        self.records[sequence] = operation
        if operation == NONE:
            return
        first = self.sequences.setdefault(operation, sequence)
        if first != sequence:
            self.note("done once", f"operation {operation.hex()} is at {first} and at {sequence}")

