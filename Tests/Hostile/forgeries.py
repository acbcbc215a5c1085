"""Forged and repeated records, publishers that are none, and sessions that somebody recorded."""

from __future__ import annotations

import socket
import subprocess
import threading
import time
from pathlib import Path
from typing import List

import zmq
from forger import LASTING, WAYS, Carry, Forger, faithful
from key_pair import KeyPair
from martlet_client import Connection, MartletClient, NoAnswer, ServerError
from martlet_protocol import admin, data
from martlet_protocol.admin import Kind, Scope
from martlet_protocol.control import Mark
from martlet_protocol.data import Status
from martlet_protocol.header import Type
from martlet_protocol.reading import U64
from processes import WITH_US, free_ports, wait_until
from siege import Attack, Siege
from sodium import random as noise
from station import LIVE, Station
from target import Door

SPACE = "forged"
WELL_AGAIN = 10.0


class Forged:
    """A cluster without keys whose nodes hear the live channel through a forger."""

    def __init__(self, program: str, directory: Path) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        self.station = Station(program, directory, "sharded", {SPACE: {"suspect": "refuse"}}, 2)
        self.forger = Forger(self.station.live)
        for role in self.station.nodes.values():
            role.command[role.command.index("--live") + 1] = self.forger.endpoint

    def __enter__(self) -> "Forged":
        self.station.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self.station.close()
        self.forger.close()

    def is_well(self, client: MartletClient) -> bool:
        """Whether every node is LIVE and has obeyed the publisher's head."""
        try:
            head = client.status()
            nodes = [client.status(at) for at in self.station.shards.values()]
        except (NoAnswer, ServerError):
            return False
        return all(each.state == LIVE and (each.epoch, each.sequence, each.digest)
                   == (head.epoch, head.sequence, head.digest) for each in nodes)


class Judge:
    """What is fresh after a complete receipt is no older than it."""

    def __init__(self, siege: Siege, client: MartletClient) -> None:
        self.siege, self.client = siege, client
        self.version = self.stale = self.complete = self.incomplete = self.shown = 0

    def round(self, keys: List[bytes]) -> None:
        """Stores, invalidates, and looks whether what was stored is shown."""
        self.version += 1
        value = b"version %d" % self.version
        for key in keys:
            try:
                self.client.set(key, value, SPACE)
                self.client.set(key + b" too", value, SPACE)
            except (NoAnswer, ServerError):
                pass
        try:
            receipt = self.client.invalidate(
                [Scope(Kind.key, key, SPACE) for key in keys], admin.WAIT_ALL, 2_500)
        except (NoAnswer, ServerError):
            return
        self.complete += receipt.complete
        self.incomplete += not receipt.complete
        for key in keys:
            try:
                got = self.client.get(key, SPACE)
            except (NoAnswer, ServerError):
                continue
            is_fresh = got.status == Status.HIT and not got.result.flags & 2
            if receipt.complete and is_fresh and got.value == value:
                self.stale += 1
                self.siege.owe(False, f"{key!r} is fresh after a complete receipt: {got}")
        self.shown += self._is_shown(keys[0] + b" too", value)

    def _is_shown(self, key: bytes, value: bytes) -> bool:
        """Whether what was not invalidated is shown: else nothing at all would prove nothing."""
        try:
            got = self.client.get(key, SPACE)
        except (NoAnswer, ServerError):
            return False
        return got.status == Status.HIT and got.value == value


def forged_stream(siege: Siege) -> None:
    """Without keys: records altered, hidden, repeated and invented on their way. Nothing that was
    promised is broken, and afterwards everybody is well."""
    with Forged(siege.program, siege.directory / "forged") as cluster:
        with cluster.station.client() as client:
            judge = Judge(siege, client)
            keys = [b"k%d" % number for number in range(8)]
            judge.round(keys)
            siege.owe(judge.complete == 1, "with nobody in between no receipt is complete")
            for name, carry in {**WAYS, **LASTING}.items():
                _forge(siege, cluster, client, judge, name, carry, keys)
            siege.tell(f"{judge.complete} complete receipts, {judge.incomplete} not; "
                       f"what was not invalidated was shown {judge.shown} times of "
                       f"{judge.version}; {judge.stale} promises broken")
            siege.owe(judge.shown > 0, "nothing was shown at all")
        siege.owe(not cluster.station.fallen(), f"fallen: {cluster.station.fallen()}")


def _forge(siege: Siege, cluster: Forged, client: MartletClient, judge: Judge, name: str,
           carry: Carry, keys: List[bytes]) -> None:
    before = sum(_figure(client, at, "forgotten") for at in cluster.station.shards.values())
    forged, epoch = cluster.forger.forged, client.status().epoch
    cluster.forger.carry = carry
    end = time.monotonic() + 10.0
    wanted = siege.size(6, 60)
    while cluster.forger.forged - forged < wanted and time.monotonic() < end:
        judge.round(keys)
        time.sleep(0.02)
    siege.owe(cluster.forger.forged - forged >= wanted, f"{name}: too little was forged")
    cluster.forger.carry = faithful
    if name in LASTING:
        for role in cluster.station.nodes.values():
            role.stop()
            role.start()
    took = wait_until(f"everybody is well after {name}", WELL_AGAIN,
                      lambda: cluster.is_well(client))
    forgotten = max(0, sum(_figure(client, at, "forgotten")
                           for at in cluster.station.shards.values()) - before)
    siege.tell(f"{name}: {cluster.forger.forged - forged} frames were forged, "
               f"{forgotten} times a node hid all, {client.status().epoch - epoch} new epochs; "
               f"well after {took:.1f} s")


def _figure(client: MartletClient, at: str, name: str) -> int:
    return next((each.value for each in client.status(at).figures if each.name == name), 0)


def fake_publisher(siege: Siege) -> None:
    """A publisher with a key of its own at the address of the real one: no node and no client
    talks to it, and what has asked it calls nothing fresh."""
    context = zmq.Context()
    fake, ports = KeyPair.made(), []
    heard: List[zmq.Socket] = []
    for kind in (zmq.ROUTER, zmq.XPUB):
        served = context.socket(kind)
        served.setsockopt(zmq.CURVE_SERVER, 1)
        served.setsockopt(zmq.CURVE_SECRETKEY, fake.secret)
        ports.append(served.bind_to_random_port("tcp://127.0.0.1"))
        heard.append(served)
    key = siege.target.door("control").key.hex()
    control, live = (f"tcp://127.0.0.1:{port}?key={key}" for port in ports)
    place = f"tcp://127.0.0.1:{free_ports(1)[0]}"
    with open(siege.directory / "deceived.log", "ab") as log:
        node = subprocess.Popen(
            [*WITH_US, siege.program, "node", "--id", "n1", "--publisher", control, "--live", live,
             "--bind", place, "--key", str(siege.target.key_file("n1")), "--allow-list",
             str(siege.directory / "allow-list")],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    try:
        _deceive(siege, f"{place}?key={siege.target.keys('n1').public.hex()}", control)
        siege.let_in += sum(bool(each.poll(0)) for each in heard)
    finally:
        node.kill()
        node.wait()
        context.destroy(linger=0)


def _deceive(siege: Siege, place: str, control: str) -> None:
    try:
        MartletClient(control, 1.0, siege.target.keys("app"))
        siege.owe(False, "a client talks to somebody with another key")
    except NoAnswer:
        pass
    context = zmq.Context()
    try:
        asked = Connection(context, place, siege.target.keys("admin"))
        asked.request(Type.STATUS, admin.Empty(), timeout=10.0)
        time.sleep(1.0)
        report = asked.request(Type.STATUS, admin.Empty()).body
        got = asked.request(Type.GET, data.Get([data.GetOperation(b"k")])).body
        siege.owe(report.state != LIVE, "a node is LIVE by a publisher with another key")
        siege.owe(got.proof.lease_left == 0, "and it says that it has a lease")
        siege.tell(f"the node that was sent there is in state {report.state}")
    finally:
        context.destroy(linger=0)


class Tape:
    """A way through to a port, which records what is said to it."""

    def __init__(self, door: Door) -> None:
        self.said = b""
        self._door = door
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        near, _ = self._listener.accept()
        far = socket.create_connection((self._door.host, self._door.port))
        threading.Thread(target=self._carry, args=(far, near, False), daemon=True).start()
        self._carry(near, far, True)

    def _carry(self, one: socket.socket, other: socket.socket, is_recorded: bool) -> None:
        try:
            while piece := one.recv(65_536):
                if is_recorded:
                    self.said += piece
                other.sendall(piece)
        except OSError:
            pass

    def close(self) -> None:
        """Takes nobody any more."""
        self._listener.close()


def recorded_sessions(siege: Siege) -> None:
    """What somebody with a right has said, recorded on its way and said once more: whole, and
    from any frame on."""
    door = siege.target.door("control")
    space = f"recorded-{noise(4).hex()}"
    tape = Tape(door)
    place = f"tcp://127.0.0.1:{tape.port}?key={door.key.hex()}"
    with MartletClient(place, keys=siege.target.keys("app")) as client:
        # The topology names the real place; the order goes through the tape all the same.
        body = admin.Invalidate(admin.WAIT_NONE, admin.HARD, 1_000,
                                [Scope(Kind.namespace, b"", space)])
        client.connection(place).request(Type.INVALIDATE, body)
    tape.close()
    before = _records(siege, space)
    answered = 0
    for start in [0, *range(64, len(tape.said), max(1, len(tape.said) // 40))]:
        wire = siege.dial(door)
        said = tape.said[start:] if start == 0 else tape.said[:64] + tape.said[start:]
        wire.send_until_cut(lambda: said, 0.2, len(said))
        answered += wire.is_cut(0.2)
        wire.close()
    again = _records(siege, space)
    siege.owe(before == 1, f"the log has {before} records of it")
    siege.let_in += again - before
    siege.tell(f"{len(tape.said)} bytes said again in 40 ways; {answered} were cut off")


def _records(siege: Siege, space: str) -> int:
    """How many of the log's records are of a namespace."""
    with siege.target.client("app") as client:
        mark, count = Mark(0, U64(0), U64(0)), 0
        while True:
            answer = client.resume(mark)
            if answer.type != Type.REPLAY or not answer.body.records:
                return count
            count += sum(scope.namespace == space
                         for record in answer.body.records for scope in record.scopes)
            mark = answer.body.records[-1].mark


ATTACKS = [
    Attack("forged-stream", forged_stream), Attack("fake-publisher", fake_publisher),
    Attack("recorded-sessions", recorded_sessions)]
