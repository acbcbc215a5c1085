"""Somebody between the publisher and the nodes on the live channel of a cluster without keys: it
carries what is said, and says what it likes."""

from __future__ import annotations

import threading
from collections import deque
from typing import Callable, Deque, Dict, List, Optional

import target  # noqa: F401  (finds the packages below)
import zmq
from martlet_protocol import message
from martlet_protocol.admin import Kind, Scope
from martlet_protocol.control import Heartbeat, Mark, Record, Records
from martlet_protocol.header import Type
from martlet_protocol.message import Message
from martlet_protocol.reading import U64

KEPT = 400
"""Frames that it remembers, to say them again."""

Carry = Callable[["Forger", bytes, Message], List[bytes]]
"""What is said instead of a frame."""


def frame(type: Type, body: object) -> bytes:
    """What the publisher would say."""
    return message.encode(Message(type, body))


class Forger:
    """A thread with a SUB to the real live channel and a PUB that nodes take for it."""

    def __init__(self, live: str) -> None:
        self.carry: Carry = faithful
        self.kept: Deque[bytes] = deque(maxlen=KEPT)
        self.beat: Optional[Heartbeat] = None
        self.newest: Optional[Record] = None
        self.forged = 0
        self._sayings: Deque[bytes] = deque()
        self._ending = threading.Event()
        self._context = zmq.Context()
        self._ears = self._context.socket(zmq.SUB)
        self._ears.setsockopt(zmq.SUBSCRIBE, b"")
        self._ears.connect(live)
        self._mouth = self._context.socket(zmq.PUB)
        self._mouth.setsockopt(zmq.SNDHWM, 0)
        self.endpoint = ("tcp://127.0.0.1:"
                         f"{self._mouth.bind_to_random_port('tcp://127.0.0.1')}")
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while not self._ending.is_set():
            if self._ears.poll(5):
                self._hear(self._ears.recv())
            while self._sayings:
                self._mouth.send(self._sayings.popleft())

    def _hear(self, heard: bytes) -> None:
        decoded = message.decode(heard)
        self.kept.append(heard)
        if decoded.type == Type.HEARTBEAT:
            self.beat = decoded.body
        elif decoded.type == Type.RECORDS:
            self.newest = decoded.body.records[-1]
        said = self.carry(self, heard, decoded)
        self.forged += said != [heard]
        for each in said:
            self._mouth.send(each)

    def say(self, what: bytes) -> None:
        """Says something of its own."""
        self.forged += 1
        self._sayings.append(what)

    def close(self) -> None:
        """Ends it."""
        self._ending.set()
        self._thread.join()
        self._context.destroy(linger=0)


def faithful(_: Forger, heard: bytes, __: Message) -> List[bytes]:
    """Carries everything."""
    return [heard]


def altering(_: Forger, heard: bytes, decoded: Message) -> List[bytes]:
    """Records name something else than they did, in a chain that looks right so far."""
    if decoded.type != Type.RECORDS:
        return [heard]
    elsewhere = [Scope(Kind.key, b"nothing of this name", "elsewhere")]
    return [frame(Type.RECORDS, Records([
        Record(each.epoch, each.sequence, each.previous_digest, each.operation, each.strength,
               elsewhere) for each in decoded.body.records]))]


def altering_with_its_head(forger: Forger, heard: bytes, decoded: Message) -> List[bytes]:
    """The same, and heartbeats whose head is the forged record's, so that nothing looks wrong."""
    if decoded.type == Type.RECORDS:
        forged = altering(forger, heard, decoded)
        last = message.decode(forged[-1]).body.records[-1]
        forger.altered = last.mark  # type: ignore[attr-defined]
        return forged
    altered: Optional[Mark] = getattr(forger, "altered", None)
    body = decoded.body
    if altered is not None and altered.sequence == body.head.sequence:
        return [frame(Type.HEARTBEAT, Heartbeat(body.log_id, altered, body.config,
                                                body.topology))]
    return [heard]


def hiding(_: Forger, heard: bytes, decoded: Message) -> List[bytes]:
    """Records are never heard; heartbeats are."""
    return [] if decoded.type == Type.RECORDS else [heard]


def hiding_with_old_heads(forger: Forger, heard: bytes, decoded: Message) -> List[bytes]:
    """Neither are records, and heartbeats tell an old head, again and again."""
    if decoded.type == Type.RECORDS:
        return []
    old: Optional[bytes] = getattr(forger, "old", None)
    if old is None:
        forger.old = heard  # type: ignore[attr-defined]
    return [old or heard]


def repeating(forger: Forger, heard: bytes, _: Message) -> List[bytes]:
    """Everything, and much of what was said before, again."""
    return [heard, *list(forger.kept)[:-20:-1], *list(forger.kept)[:20]]


def _invented(head: Mark, epoch: int, sequence: int, digest: int, scope: Scope) -> bytes:
    """A record that nobody ordered."""
    return frame(Type.RECORDS, Records([
        Record(epoch or head.epoch, U64(sequence), U64(digest), bytes(16), 0, [scope])]))


def inventing(forger: Forger, heard: bytes, decoded: Message) -> List[bytes]:
    """Everything, and behind it records that nobody ordered: the next one, one of the next epoch,
    one that hides everything, one with a wrong digest; and the head of another log."""
    if decoded.type != Type.HEARTBEAT:
        return [heard]
    beat, head = decoded.body, decoded.body.head
    nothing = Scope(Kind.key, b"nothing", "elsewhere")
    return [
        heard, _invented(head, 0, head.sequence + 1, head.digest ^ 1, nothing),
        _invented(head, 0, head.sequence + 1, head.digest, nothing),
        _invented(head, 0, head.sequence + 1, head.digest, Scope(Kind.everything)),
        _invented(head, head.epoch + 1, 1, beat.log_id, nothing),
        frame(Type.HEARTBEAT, Heartbeat(
            U64(beat.log_id ^ 9), Mark(head.epoch + 7, U64(1), U64(3)), 99, 99)), heard]


def inventing_far(_: Forger, heard: bytes, decoded: Message) -> List[bytes]:
    """The same of a far future: nodes wait for what they heard of, and call nothing fresh."""
    if decoded.type != Type.HEARTBEAT:
        return [heard]
    beat, head = decoded.body, decoded.body.head
    nothing = Scope(Kind.key, b"nothing", "elsewhere")
    return [
        heard, _invented(head, 0, head.sequence + 1_000, head.digest, nothing),
        _invented(head, (1 << 32) - 1, (1 << 48) - 1, 7, nothing),
        frame(Type.HEARTBEAT, Heartbeat(
            beat.log_id, Mark(head.epoch, U64(head.sequence + 500), U64(3)), beat.config,
            beat.topology)), heard]


WAYS: Dict[str, Carry] = {
    "altering": altering, "altering with its head": altering_with_its_head, "hiding": hiding,
    "hiding with old heads": hiding_with_old_heads, "repeating": repeating,
    "inventing": inventing}
LASTING: Dict[str, Carry] = {"inventing a far future": inventing_far}
"""From which nodes recover by a restart alone."""
