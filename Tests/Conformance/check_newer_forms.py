#!/usr/bin/env python3
"""Checks what a node does with records and configurations that its release cannot read.

A publisher that is made up (fake_publisher.py) feeds one real node. Prints `ok NAME` or
`not ok NAME: why` for each check, and last `N passed, N failed`.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import Callable, Iterator, Tuple

sys.path.insert(0, str(Path(__file__).resolve().parent))

from checking import Failure, Report, expect  # noqa: E402
from cluster import LIVE, all_are  # noqa: E402
from fake_publisher import FakePublisher  # noqa: E402
from martlet_client import MartletClient, ServerError  # noqa: E402
from martlet_protocol import data  # noqa: E402
from martlet_protocol.admin import Kind, Scope  # noqa: E402
from martlet_protocol.data import Status  # noqa: E402
from martlet_protocol.errors import Cause  # noqa: E402
from martlet_protocol.header import Type  # noqa: E402
from martlet_protocol.reading import U64  # noqa: E402

EVERYTHING = [Scope(Kind.everything)]
TAG = Scope(Kind.tag, b"other").encode()
PLAIN_HEAD = bytes(18) + b"\1\0" + bytes(4)
FORMS = {
    "strength 7": bytes(16) + b"\7" + PLAIN_HEAD[17:] + TAG,
    "a scope of kind 9": PLAIN_HEAD + b"\x09" + TAG[1:],
    "reserved bytes": PLAIN_HEAD[:20] + b"\1\0\0\0" + TAG,
    "another shape": bytes(range(100)),
}
SECONDS = 15.0


def until(condition: Callable[[], bool], why: str) -> None:
    """Waits for a condition."""
    deadline = time.monotonic() + SECONDS
    while not condition():
        if time.monotonic() > deadline:
            raise Failure(why)
        time.sleep(0.02)


class Stage:
    """A node and its publisher."""

    def __init__(self, publisher: FakePublisher, log: Path) -> None:
        self.publisher = publisher
        self.log = log
        until(lambda: publisher.applied is not None, "the node does not greet the publisher")
        until(self.is_told, "the node does not tell its topology")

    def is_told(self) -> bool:
        """Whether the node has the topology by now; then there is a client."""
        try:
            self.client = MartletClient(self.publisher.endpoints[0])
            return True
        except ServerError:
            return False

    @property
    def is_live(self) -> bool:
        """Whether the node says that it stands at the head and holds a lease."""
        publisher = self.publisher
        return publisher.state == LIVE and publisher.applied == publisher.head

    def follows(self) -> None:
        """Waits until the node stands at the head, LIVE."""
        until(lambda: self.is_live, f"state {self.publisher.state} at {self.publisher.applied}")
        status = self.client.status(self.client.endpoints[0])
        expect(status.state == LIVE, f"the shard is in state {status.state}")
        head = self.publisher.head
        expect(status.sequence == head.sequence, f"{status.sequence} is not {head.sequence}")
        expect(status.digest == head.digest, "the digest is another one")

    def figure(self, name: str) -> int:
        """A figure of the node's only shard."""
        figures = self.client.status(self.client.endpoints[0]).figures
        return next(int(each.value) for each in figures if each.name == name)

    def store(self) -> None:
        """Stores one entry that can be renewed and one that cannot."""
        sets = [data.SetOperation(b"validated", b"one", etag=b"e1"),
                data.SetOperation(b"plain", b"two")]
        all_are(self.client.operate(Type.SET, sets), Status.STORED)
        for key in (b"validated", b"plain"):
            expect(self.client.get(key).status == Status.HIT, f"{key!r} is not there")


@contextmanager
def staged(martlet: str) -> Iterator[Stage]:
    """A node of its own, LIVE under a publisher of its own."""
    with followed(martlet, FakePublisher()) as stage:
        until(lambda: stage.is_live, "the node does not become LIVE")
        yield stage


@contextmanager
def followed(martlet: str, publisher: FakePublisher) -> Iterator[Stage]:
    """A node of its own that has greeted this publisher."""
    with tempfile.TemporaryDirectory() as folder, publisher:
        log = Path(folder) / "node.log"
        with log.open("wb") as output:
            node = subprocess.Popen(
                [martlet, "node", "--id", "n1", "--publisher", publisher.control, "--live",
                 publisher.live, "--bind", "tcp://127.0.0.1:*"],
                stdin=subprocess.DEVNULL, stdout=output, stderr=output)
            try:
                yield Stage(publisher, log)
            finally:
                node.terminate()
                try:
                    node.wait(10)
                except subprocess.TimeoutExpired:
                    node.kill()
                    node.wait()


def hides_everything_and_follows(martlet: str) -> None:
    """Whatever the form: nothing filled before is shown, and the node is LIVE at the head again."""
    with staged(martlet) as stage:
        for count, (name, form) in enumerate(FORMS.items(), 1):
            stage.store()
            stage.publisher.publish(EVERYTHING, form)
            stage.follows()
            for key in (b"validated", b"plain"):
                found = stage.client.get(key).status
                expect(found == Status.MISS, f"{name}: {key!r} is {found}")
            expect(stage.figure("newer_records") == count, f"{name}: it is not counted")


def is_said(martlet: str) -> None:
    """The node's log names the first position and the remedy, and does not repeat itself."""
    with staged(martlet) as stage:
        for _ in range(20):
            stage.publisher.publish(EVERYTHING, FORMS["another shape"])
        stage.follows()
        lines = [line for line in stage.log.read_text().splitlines() if "newer form" in line]
        expect(len(lines) == 1, f"{len(lines)} lines")
        expect("upgrade this node" in lines[0] and "1:" in lines[0], lines[0])


def withheld_entries_are_renewed(martlet: str) -> None:
    """What the origin confirms is shown again; a token from before is refused."""
    with staged(martlet) as stage:
        stage.store()
        early = stage.client.get(b"absent", options=data.TOKEN).result.token
        stage.publisher.publish(EVERYTHING, FORMS["strength 7"])
        stage.follows()
        late = data.SetOperation(b"absent", b"late", token=early)
        expect(stage.client.operate(Type.SET, [late])[0].status == Status.REFUSED, "taken")
        miss = stage.client.get(b"validated", options=data.TOKEN)
        expect(miss.result.etag == b"e1", f"nothing to ask by: {miss}")
        renewal = data.SetOperation(
            b"validated", b"", etag=b"e1", token=miss.result.token, options=data.RENEW)
        all_are(stage.client.operate(Type.SET, [renewal]), Status.STORED)
        expect(stage.client.get(b"validated").value == b"one", "it is not shown again")


def is_found_in_a_replay_too(martlet: str) -> None:
    """A newer record between others that was lost is obeyed when it is replayed."""
    with staged(martlet) as stage:
        stage.store()
        for form in (None, FORMS["another shape"], None):
            stage.publisher.publish([Scope(Kind.key, b"other")], form, is_told=False)
        stage.follows()
        expect(stage.client.get(b"plain").status == Status.MISS, "it is still shown")
        expect(stage.figure("newer_records") == 1, "it is not counted")


def must_be_of_the_chain(martlet: str) -> None:
    """One that does not name the node's digest is not obeyed, and nothing is called fresh."""
    with staged(martlet) as stage:
        stage.store()
        stage.publisher.publish(EVERYTHING, FORMS["another shape"], previous=U64(1))
        until(lambda: stage.client.status(stage.client.endpoints[0]).state != LIVE,
              "the node is LIVE on a log that is not its own")
        expect(stage.figure("newer_records") == 0, "it was obeyed")


def stores_nothing_by_settings_it_cannot_read(martlet: str) -> None:
    """No lease, no token, nothing changed: the namespaces' settings are unknown."""
    with followed(martlet, FakePublisher("version: 1\nnodes: [{id: n1}]\nlater: yes\n")) as stage:
        until(lambda: "configuration" in stage.log.read_text(), "its log does not say why")
        changes = [
            (Type.SET, data.SetOperation(b"key", b"value")),
            (Type.DELETE, data.DeleteOperation(b"key")),
            (Type.TOUCH, data.TouchOperation(b"key", U64(1_000))),
        ]
        for type, operation in changes:
            result = stage.client.operate(type, [operation])[0].result
            expect(result.status == Status.BUSY, f"{type.name}: {result}")
            expect(result.detail == Cause.unconfigured, f"{type.name}: {result}")
            expect(result.retry_after is not None, f"{type.name}: not when to retry")
        miss = stage.client.get(b"key", options=data.TOKEN).result
        expect(miss.status == Status.MISS, f"{miss}")
        expect(miss.detail == Cause.unconfigured and miss.token is None, f"{miss}")
        expect(not stage.is_live, "the node is LIVE")


CHECKS: Tuple[Callable[[str], None], ...] = (
    hides_everything_and_follows, is_said, withheld_entries_are_renewed,
    is_found_in_a_replay_too, must_be_of_the_chain, stores_nothing_by_settings_it_cannot_read,
)


def main() -> int:
    """Runs all checks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("martlet", help="the program")
    martlet = parser.parse_args().martlet
    report = Report()
    for check in CHECKS:
        report.run(check.__name__, lambda check=check: check(martlet))
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
