"""A well-behaved client beside the hostile ones: a process of its own, so that nothing in Python
stands between it and the cluster.

    neighbour.py CONTROL RATE KEY-FILE    says "ready", then answers each line of its input with
                                          what has happened since the last one, as JSON

It gets at a rate, whether it is answered or not, and invalidates a key of its own four times a
second and waits until every node has obeyed.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field as member
from pathlib import Path
from typing import Any, List, Optional

import target as _  # noqa: F401  (finds the packages below)
from asking import Asked, Load, Told, get_frame
from key_pair import KeyPair
from martlet_client import MartletClient, NoAnswer, ServerError
from martlet_protocol.admin import Kind, Scope
from martlet_protocol.data import Status
from processes import PATIENCE, WITH_US

SPACE = "neighbour"
KEYS = 64
VALUE = b"a value that nobody else has stored " * 3
PATIENT = 5.0
"""Seconds that it waits for an answer."""
INVALIDATION_PAUSE = 0.25


@dataclass
class Seen:
    """What has happened to it."""

    latencies: List[float] = member(default_factory=list)
    """Seconds of each get that was answered as it should be."""
    unanswered: int = 0
    wrong: List[str] = member(default_factory=list)
    late: List[str] = member(default_factory=list)
    """What says of itself that a node was not heard in time: right values marked stale, and
    receipts that waited for a lease to end."""
    receipts: List[float] = member(default_factory=list)
    """Seconds that each invalidation took, and one that is waited for has taken so far."""

    @staticmethod
    def read(text: str) -> "Seen":
        """From JSON."""
        return Seen(**json.loads(text))

    def percentile(self, share: float) -> float:
        """Of the latencies, in seconds."""
        ordered = sorted(self.latencies)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else PATIENT


class Neighbour:
    """The process, from outside."""

    def __init__(self, control: str, rate: float, key_file: Path, log: Path) -> None:
        with open(log, "ab") as output:
            self._process = subprocess.Popen(
                [*WITH_US, sys.executable, "-u", __file__, control, str(rate), str(key_file)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=output, text=True)
        assert self._process.stdout is not None
        said = self._process.stdout.readline().strip()
        assert said == "ready", f"the well-behaved client says {said!r}: see {log}"

    def since(self) -> Seen:
        """What has happened to it since it was asked last."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        return Seen.read(self._process.stdout.readline())

    def over(self, seconds: float) -> Seen:
        """What happens to it in so many seconds from now on."""
        self.since()
        time.sleep(seconds)
        return self.since()

    def close(self) -> None:
        """Ends it."""
        self._process.kill()
        self._process.wait(PATIENCE)


class _Client:
    """The process, from inside."""

    def __init__(self, control: str, rate: float, keys: KeyPair) -> None:
        self.client = MartletClient(control, keys=keys)
        self.seen = Seen()
        self.asked: Optional[float] = None
        names = [b"neighbour %d" % number for number in range(KEYS)]
        for name in names:
            self.client.set(name, VALUE, SPACE)
        owners = {name: self.client.owner(name, SPACE) for name in names}
        frames = {name: get_frame(name, SPACE) for name in names}

        def choose(dice: random.Random) -> Any:
            name = dice.choice(names)
            return name, owners[name]

        self.load = Load(rate, choose, frames.__getitem__, self._hear, PATIENT, keys=keys)
        self.load.start()
        threading.Thread(target=self._invalidate, daemon=True).start()

    def _hear(self, asked: Asked, answer: Told) -> None:
        seen = self.seen
        if answer.status == Status.HIT and answer.value == VALUE:
            seen.latencies.append(time.monotonic() - asked.sent)
        elif answer.status == Status.STALE and answer.value == VALUE:
            seen.late.append("a value that is marked stale")
        elif answer.status == 0:
            seen.unanswered += 1
        else:
            seen.wrong.append(str(answer))

    def _invalidate(self) -> None:
        while True:
            began = self.asked = time.monotonic()
            try:
                receipt = self.client.invalidate([Scope(Kind.key, b"obeyed", SPACE)])
            except (NoAnswer, ServerError) as error:
                self.seen.wrong.append(f"an invalidation: {error}")
            else:
                if not receipt.complete or receipt.expired:
                    self.seen.late.append(f"an incomplete receipt: {receipt}")
                self.seen.receipts.append(time.monotonic() - began)
            self.asked = None
            time.sleep(INVALIDATION_PAUSE)

    def serve(self) -> None:
        """Answers until its input ends."""
        print("ready", flush=True)
        while sys.stdin.readline():
            seen, self.seen, asked = self.seen, Seen(), self.asked
            if asked is not None:
                seen.receipts.append(time.monotonic() - asked)
            print(json.dumps(vars(seen)), flush=True)


if __name__ == "__main__":
    _Client(sys.argv[1], float(sys.argv[2]), KeyPair.read(Path(sys.argv[3]))).serve()
