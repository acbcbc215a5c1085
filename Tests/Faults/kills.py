"""What a node with a disk tier keeps over kill -9: kills.py MARTLET [--kills 100]

    [--seed N] [--topology sharded|replicated] [--tier SIZE] [--longest SECONDS] [--may-lose]
    [--keep DIRECTORY] [--lie]

One node beside its publisher, and clients that store, remove and invalidate as fast as they can.
The node is killed in the middle of that, started again on the same directory, and everything that
was ever acknowledged is read back. *Lost* is what was acknowledged and not replaced, removed,
invalidated or over, and is a miss now. *Wrong* is a value that was replaced, removed, invalidated
or over, or was never stored: never, whatever else is permitted. The last line is
`N passed, N failed`: kills.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import socket
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass, field as member
from pathlib import Path
from typing import Dict, List, Optional, Sequence, Tuple

import zmq

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "Conformance"))

from clock import Clock  # noqa: E402
from faults import end_on_sigterm  # noqa: E402
from oracle import Found, Key  # noqa: E402
from processes import Role, free_ports, url, wait_until  # noqa: E402
from truth import percentile  # noqa: E402
from martlet_client import Connection, MartletClient, NoAnswer, ServerError  # noqa: E402
from martlet_protocol import admin, data  # noqa: E402
from martlet_protocol.admin import Kind, Scope  # noqa: E402
from martlet_protocol.data import Status  # noqa: E402
from martlet_protocol.errors import ProtocolError  # noqa: E402
from martlet_protocol.header import Type  # noqa: E402
from martlet_protocol.reading import U64  # noqa: E402

LIVE = 3
CLIENTS = 3
KEYS = 1_500
"""Of each client."""
BATCH = 16
SIZES = (40, 300, 2_000)
TTLS = (None, None, None, None, 0.3, 600.0)
READ_AT_ONCE = 100
RECOVERY_MAX = 60.0


def number_of(key: bytes, answer: data.Result) -> Optional[int]:
    """The number of the value in an answer, 0 if it is not the key's; `None`: a miss."""
    if answer.status != Status.HIT:
        return None
    words = answer.value.split(b" ")
    return int(words[1]) if len(words) == 3 and words[0] == key else 0


class Client(threading.Thread):
    """One writer, with keys of its own, for one life of the node."""

    def __init__(self, writes: "Writes", endpoint: str, lies: bool) -> None:
        super().__init__(daemon=True)
        self.writes, self.endpoint, self.lies = writes, endpoint, lies
        self.random = writes.random
        self.stopping = threading.Event()

    def run(self) -> None:
        """Until it is told to stop, or a request is not answered."""
        try:
            with MartletClient(self.endpoint, timeout=1.0) as client:
                while not self.stopping.is_set():
                    self.turn(client)
        except (NoAnswer, ServerError, zmq.ZMQError):
            pass
        except (ProtocolError, ValueError) as error:
            self.writes.wrong.append(f"unreadable: {error!r}")

    def turn(self, client: MartletClient) -> None:
        """One message."""
        kind = self.random.random()
        if kind < 0.75:
            self.store(client)
        elif kind < 0.85:
            self.remove(client)
        elif kind < 0.9:
            self.invalidate(client)
        else:
            names = self.random.sample(list(self.writes.keys), BATCH)
            self.writes.seen.update(found for found, _ in self.writes.read(client, names))

    def store(self, client: MartletClient) -> None:
        """Newer values under some keys."""
        names = self.random.sample(list(self.writes.keys), BATCH)
        ttl = self.random.choice(TTLS)
        numbers = {name: self.writes.keys[name].sends() for name in names}
        sets = []
        for name, number in numbers.items():
            noise = os.urandom(8).hex().encode().ljust(self.random.choice(SIZES), b".")
            sets.append(data.SetOperation(name, b"%s %d %s" % (name, number, noise)))
            if ttl is not None:
                sets[-1].ttl = U64(int(ttl * 1_000))
        sent = time.monotonic()
        try:
            answers = client.operate(Type.SET, sets)
        except (NoAnswer, ServerError, zmq.ZMQError):
            for name, number in numbers.items():
                self.writes.keys[name].unanswered(number)
            raise
        now = time.monotonic()
        for (name, number), answer in zip(numbers.items(), answers):
            if answer.status == Status.STORED:
                self.writes.keys[name].stored(number, sent, now, ttl)
                self.writes.acknowledged += 1
            else:
                self.writes.refused += 1

    def remove(self, client: MartletClient) -> None:
        """Some keys are removed."""
        names = self.random.sample(list(self.writes.keys), 4)
        try:
            answers = client.delete(names)
        except (NoAnswer, ServerError, zmq.ZMQError):
            for name in names:
                self.writes.keys[name].unanswered(None)
            raise
        for name, answer in zip(names, answers):
            if answer.status in (Status.REMOVED, Status.MISS):
                self.writes.keys[name].removed()
            else:
                self.writes.keys[name].unanswered(None)

    def invalidate(self, client: MartletClient) -> None:
        """A tenth of the keys is invalidated, by what their names begin with."""
        prefix = self.random.choice(self.writes.prefixes)
        names = [name for name in self.writes.keys if name.startswith(prefix)]
        complete = False
        try:
            if self.lies:
                complete = True
                return
            receipt = client.invalidate([Scope(Kind.prefix, prefix)], admin.WAIT_ALL, 1_000)
            complete = bool(receipt.complete)
        finally:
            for name in names:
                if complete:
                    self.writes.keys[name].removed()
                else:
                    self.writes.keys[name].unanswered(None)


@dataclass
class Writes:
    """What one client knows over all lives of the node. Used by one thread at a time."""

    number: int
    random: random.Random
    keys: Dict[bytes, Key] = member(default_factory=dict)
    acknowledged: int = 0
    refused: int = 0
    missed: int = 0
    """What was owed, missed, and asked for again."""
    wrong: List[str] = member(default_factory=list)
    seen: Counter = member(default_factory=Counter)
    """What reads beside the writes have found."""

    def __post_init__(self) -> None:
        self.prefixes = [b"%d/%d/" % (self.number, each) for each in range(10)]
        for each in range(KEYS):
            self.keys[self.prefixes[each % 10] + b"%d" % each] = Key()

    def read(self, client: MartletClient, names: Sequence[bytes]) -> List[Tuple[Found, Key]]:
        """Reads and judges; answers that nobody vouches for say nothing."""
        sent = time.monotonic()
        gets = [data.GetOperation(name, 0) for name in names]
        answers = client.operate(Type.GET, gets)
        now = time.monotonic()
        found = []
        for name, answer in zip(names, answers):
            key = self.keys[name]
            if answer.status == Status.MISS and key.owes(now):
                # What a message's other keys have pushed out of little memory is no loss.
                self.missed += 1
                answer = client.get(name)
                now = time.monotonic()
            if answer.status not in (Status.HIT, Status.MISS) or answer.proof.state != LIVE:
                continue
            found.append((key.judge(number_of(name, answer.result), sent, now), key))
            if found[-1][0] == Found.WRONG:
                self.wrong.append(f"{name!r} = {answer.value[:40]!r}, {key}")
        return found


@dataclass
class Kill:
    """What one kill took."""

    acknowledged: int = 0
    """Since the node was started."""
    owed: int = 0
    """Entries that had to be there when it was killed."""
    lost: int = 0
    lost_seconds: float = 0.0
    """How long before the kill the oldest of them was acknowledged."""
    wrong: int = 0
    fresh_after: float = 0.0
    """From exec to the first answer that the node vouches for, in seconds."""
    shed: int = 0
    used_again: int = 0
    """Segments of the ring that were emptied, most of them of what had been replaced."""

    def line(self) -> str:
        """For people."""
        return (f"{self.acknowledged} acknowledged, {self.owed} owed, {self.lost} lost"
                f"{f' back to {1_000 * self.lost_seconds:.0f} ms before' if self.lost else ''}, "
                f"{self.wrong} wrong, fresh after {1_000 * self.fresh_after:.0f} ms")


class Pair:
    """A publisher and one node with a disk tier."""

    def __init__(self, options: argparse.Namespace, directory: Path) -> None:
        control, live, shard = free_ports(3)
        self.control, self.shard = url(control), url(shard)
        self.last_answer = "the port is closed"
        self.port = shard
        self.tier = directory / "tier"
        configuration = directory / "cluster.yaml"
        configuration.write_text(
            f"topology: {options.topology}\npublisher:\n  endpoint: {self.control}\n"
            f"  live-endpoint: {url(live)}\n  lease: 1s\n  heartbeat: 100ms\n"
            f"nodes:\n  - {{id: n1, endpoints: [{self.shard}]}}\n")
        clock = Clock(directory)
        clock.is_there = False
        self.publisher = Role("publisher", [
            options.program, "publisher", "--config", str(configuration),
            "--log", str(directory / "log")], directory / "publisher.log", clock)
        self.node = Role("n1", [
            options.program, "node", "--id", "n1", "--publisher", self.control,
            "--live", url(live), "--bind", self.shard, "--memory", "1MiB",
            "--disk", options.tier, "--disk-directory", str(self.tier)],
            directory / "n1.log", clock)

    def figure(self, client: MartletClient, name: str) -> int:
        """One of the node's figures."""
        figures = client.status(self.shard).figures
        return next((int(each.value) for each in figures if each.name == name), 0)

    def is_live(self) -> bool:
        """Whether the node vouches for what it answers, and has its tier."""
        try:
            with MartletClient(self.control, timeout=0.3) as client:
                return (client.status(self.shard).state == LIVE
                        and self.figure(client, "disk_open") == 1)
        except (NoAnswer, ServerError):
            return False

    def first_fresh(self, key: bytes) -> float:
        """How long after its start the node gave the first answer that it vouches for."""
        context = zmq.Context()
        connection: Optional[Connection] = None
        try:
            while time.monotonic() - self.node.started < RECOVERY_MAX:
                if connection is None and self._listens():
                    connection = Connection(context, self.shard)
                if connection is not None and self._vouches(connection, key):
                    return time.monotonic() - self.node.started
                time.sleep(0.002)
            raise AssertionError(
                f"no fresh answer within {RECOVERY_MAX:.0f} s; the last: {self.last_answer}; "
                + self.node.account())
        finally:
            context.destroy(linger=0)

    def _listens(self) -> bool:
        with socket.socket() as trial:
            return trial.connect_ex(("127.0.0.1", self.port)) == 0

    def _vouches(self, connection: Connection, key: bytes) -> bool:
        try:
            body = data.Get([data.GetOperation(key, 0)])
            answer = connection.request(Type.GET, body, timeout=1.0).body
        except (NoAnswer, ServerError) as error:
            self.last_answer = repr(error)
            return False
        self.last_answer = repr(answer)
        return (answer.proof.state == LIVE
                and answer.results[0].status in (Status.HIT, Status.MISS))

    def close(self) -> None:
        """Ends both."""
        self.node.kill()
        self.publisher.kill()


class Loop:
    """Kill after kill."""

    def __init__(self, options: argparse.Namespace, directory: Path) -> None:
        self.options, self.directory = options, directory
        self.dice = random.Random(options.seed)
        self.pair = Pair(options, directory)
        self.writes = [Writes(number, random.Random(self.dice.randrange(1 << 32)))
                       for number in range(CLIENTS)]
        self.kills: List[Kill] = []

    def begin(self) -> None:
        """Both are there."""
        self.pair.publisher.start()
        self.pair.node.start()
        wait_until("the node is LIVE and has its tier", RECOVERY_MAX, self.pair.is_live)

    def kill(self) -> Kill:
        """Load, kill -9, and everything read back."""
        kill = Kill()
        before = sum(each.acknowledged for each in self.writes)
        clients = [Client(each, self.pair.control, self.options.lie) for each in self.writes]
        for client in clients:
            client.start()
        # Some lives are long enough for checkpoints.
        longest = self.options.longest * self.dice.choice([1, 1, 1, 1, 4])
        time.sleep(self.dice.uniform(0.2, longest))
        with MartletClient(self.pair.control, timeout=5.0) as client:
            kill.shed = self.pair.figure(client, "disk_stores_shed")
            kill.used_again = self.pair.figure(client, "disk_reclaimed_segments")
        died = time.monotonic()
        self.pair.node.kill()
        for each in clients:
            each.stopping.set()
        for each in clients:
            each.join(20)
        kill.acknowledged = sum(each.acknowledged for each in self.writes) - before
        self.pair.node.start()
        kill.fresh_after = self.pair.first_fresh(self.probe())
        wait_until("the node is LIVE and has its tier", RECOVERY_MAX, self.pair.is_live)
        self.read_back(kill, died)
        self.kills.append(kill)
        return kill

    def probe(self) -> bytes:
        """A key that should be there, if there is one."""
        every = [(name, key) for each in self.writes for name, key in each.keys.items()]
        return next((name for name, key in every if key.is_certain and key.ttl is None),
                    every[0][0])

    def read_back(self, kill: Kill, died: float) -> None:
        """Everything."""
        with MartletClient(self.pair.control, timeout=10.0) as client:
            for writes in self.writes:
                names = list(writes.keys)
                for first in range(0, len(names), READ_AT_ONCE):
                    for found, key in writes.read(client, names[first : first + READ_AT_ONCE]):
                        kill.owed += found in (Found.HELD, Found.LOST)
                        if found == Found.LOST:
                            kill.lost += 1
                            kill.lost_seconds = max(kill.lost_seconds, died - key.at)
        kill.wrong = sum(len(each.wrong) for each in self.writes)

    def is_right(self, kill: Kill) -> bool:
        """Whether nothing was wrong, and nothing lost unless that is permitted."""
        return not kill.wrong and (self.options.may_lose or not kill.lost)

    def seen(self, found: Found) -> int:
        """How many reads beside the writes have found that."""
        return sum(each.seen[found] for each in self.writes)

    def table(self) -> str:
        """All kills together."""
        fresh = [kill.fresh_after for kill in self.kills]
        lost = [kill.lost_seconds for kill in self.kills if kill.lost]
        rows = [
            ("kills", str(len(self.kills))),
            ("acknowledged entries", str(sum(kill.acknowledged for kill in self.kills))),
            ("owed when killed", str(sum(kill.owed for kill in self.kills))),
            ("lost", f"{sum(kill.lost for kill in self.kills)} in {len(lost)} kills"),
            ("lost milliseconds of writes, median · most",
             f"{1_000 * percentile(lost, 0.5):.0f} · {1_000 * max(lost, default=0):.0f}"),
            ("wrong", str(sum(len(each.wrong) for each in self.writes))),
            ("stores that the tail had no room for", str(sum(kill.shed for kill in self.kills))),
            ("segments emptied and used again",
             str(sum(kill.used_again for kill in self.kills))),
            ("exec to first fresh answer, ms, p50 · p99",
             f"{1_000 * percentile(fresh, 0.5):.0f} · {1_000 * percentile(fresh, 0.99):.0f}"),
            ("owed, and a miss at first", str(sum(each.missed for each in self.writes))),
            ("read meanwhile: held · lost",
             f"{self.seen(Found.HELD)} · {self.seen(Found.LOST)}"),
        ]
        return "\n".join(f"| {name:<44} | {value:>16} |" for name, value in rows)

    def bundle(self) -> Path:
        """What is needed to understand what was wrong."""
        kept = Path(self.options.keep or tempfile.mkdtemp(prefix="martlet-kills-"))
        kept.mkdir(parents=True, exist_ok=True)
        for file in self.directory.iterdir():
            if file.is_file():
                shutil.copy(file, kept)
        shutil.rmtree(kept / "tier", ignore_errors=True)
        shutil.copytree(self.pair.tier, kept / "tier")
        (kept / "wrong.txt").write_text(
            "".join(wrong + "\n" for each in self.writes for wrong in each.wrong))
        return kept


def arguments() -> argparse.Namespace:
    """What was asked for."""
    parser = argparse.ArgumentParser(description="What a node keeps over kill -9.")
    parser.add_argument("program", help="the martlet binary, built for release")
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 31))
    parser.add_argument("--topology", choices=["sharded", "replicated"], default="sharded")
    parser.add_argument("--tier", default="256MiB", help="how large the disk tier is: with "
                        "64MiB its ring goes round every few kills, and still nothing is lost")
    parser.add_argument("--longest", type=float, default=2.0,
                        help="life of a node, in seconds; of every fifth four times that")
    parser.add_argument("--may-lose", action="store_true", help="count what is lost, and go on")
    parser.add_argument("--keep", help="where the bundle of a failure goes")
    parser.add_argument("--lie", action="store_true",
                        help="claim invalidations that nobody asked for: must be found")
    return parser.parse_args()


def main() -> int:
    """0 if every kill took only what it may."""
    options = arguments()
    end_on_sigterm()
    passed = failed = 0
    with tempfile.TemporaryDirectory(prefix="martlet-kills-") as directory:
        loop = Loop(options, Path(directory))
        print(f"seed {options.seed}, {options.topology}", flush=True)
        try:
            loop.begin()
            for number in range(1, options.kills + 1):
                kill = loop.kill()
                is_right = loop.is_right(kill)
                passed, failed = passed + is_right, failed + (not is_right)
                print(f"{'ok' if is_right else 'not ok'} {number} {kill.line()}", flush=True)
                if kill.wrong:
                    break
        except (AssertionError, NoAnswer, ServerError) as error:
            failed += 1
            print(f"not ok {passed + failed} {error}", flush=True)
        except KeyboardInterrupt:
            print("interrupted")
        finally:
            loop.pair.close()
        for wrong in [wrong for each in loop.writes for wrong in each.wrong][:10]:
            print(f"WRONG {wrong}")
        if failed and not options.lie:
            print(f"bundle: {loop.bundle()}")
        print(loop.table())
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
