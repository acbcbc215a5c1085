"""What the checks against a live cluster share: the client, fresh names, small helpers."""

from __future__ import annotations

import itertools
import random
import time
from typing import Callable, Iterator, List, Optional, Sequence, Tuple

from checking import Failure, expect
from martlet_client import Answer, MartletClient, ServerError
from martlet_protocol import admin
from martlet_protocol.data import Status
from martlet_protocol.errors import Code
from martlet_protocol.fields import Position

LIVE = 3


class Cluster:
    """A live cluster under test, and a source of names that nobody has used before."""

    def __init__(self, client: MartletClient, seed: int) -> None:
        self.client = client
        self.random = random.Random(seed)
        self.run = f"{seed:08x}"
        self._names = 0

    def namespace(self) -> str:
        """A namespace that has not been used."""
        self._names += 1
        return f"conformance-{self.run}-{self._names}"

    @property
    def ids(self) -> List[str]:
        """The ids of all nodes."""
        return [node.id for node in self.client.topology.nodes]

    @property
    def readers(self) -> List[Optional[str]]:
        """Whom to ask for a key: its owner (None), or in a replicated topology every node."""
        return [*self.ids] if self.client.replicated else [None]

    def keys_together(self, count: int, namespace: str, stem: str = "key") -> List[bytes]:
        """Keys that are all asked of the same shard."""
        def candidates() -> Iterator[bytes]:
            index = 0
            while True:
                yield f"{stem}-{index}".encode()
                index += 1

        found: List[bytes] = []
        home = ""
        for key in candidates():
            endpoint = self.client.owner(key, namespace)
            home = home or endpoint
            if endpoint == home:
                found.append(key)
            if len(found) == count:
                return found
        raise AssertionError

    def key_at(self, endpoint: str, namespace: str) -> bytes:
        """A key that the shard at an endpoint answers for."""
        keys = (f"key-{index}".encode() for index in itertools.count())
        return next(key for key in keys
                    if self.client.replicated or self.client.owner(key, namespace) == endpoint)

    def head(self) -> Position:
        """The publisher's head."""
        status = self.client.status()
        return Position(status.epoch, status.sequence)

    def applied_everywhere(self, receipt: admin.Receipt) -> None:
        """Expects a complete receipt that lists every node as applied."""
        applied = sorted(node.id for node in receipt.applied)
        expect(applied == sorted(self.ids), f"applied by {applied} of {sorted(self.ids)}")
        expect(not receipt.expired and not receipt.pending, f"expired or pending: {receipt}")
        expect(receipt.complete == 1, "the receipt is not complete")
        elapsed = [node.elapsed for node in receipt.applied]
        expect(max(elapsed) < 60_000_000, f"elapsed {elapsed} µs")


def status_is(answer: Answer, status: Status, what: str = "") -> Answer:
    """Expects a status."""
    expect(answer.status == status, f"{what or 'the answer is'} {answer} instead of {status.name}")
    return answer


def refused(answer: Answer, cause: int, what: str = "") -> None:
    """Expects REFUSED with a cause."""
    status_is(answer, Status.REFUSED, what)
    expect(answer.cause == cause, f"{what or 'the answer is'} {answer} instead of cause {cause}")


def refused_with(code: Code, act: Callable[[], object]) -> ServerError:
    """The ERROR of that code that `act` is answered with."""
    try:
        act()
    except ServerError as error:
        expect(error.code == code, f"ERROR {error.code} instead of {code.name}: {error}")
        return error
    raise Failure(f"it was done, and should be refused as {code.name}")


def hit(answer: Answer, value: bytes, what: str = "") -> Answer:
    """Expects a HIT with a value."""
    status_is(answer, Status.HIT, what)
    expect(answer.value == value, f"{what} the value is {answer.value[:40]!r}")
    return answer


def until(what: str, seconds: float, condition: Callable[[], bool]) -> None:
    """Asks again and again until the condition holds, bounded in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise Failure(f"not within {seconds} s: {what}")
        time.sleep(0.01)


def at_least(proof_position: Position, position: Tuple[int, int]) -> bool:
    """Whether a position is at or past another."""
    return (proof_position.epoch, proof_position.sequence) >= position


def all_are(answers: Sequence[Answer], status: Status) -> None:
    """Expects the same status of every answer."""
    for index, answer in enumerate(answers):
        status_is(answer, status, f"answer {index} is")
