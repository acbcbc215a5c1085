"""Peers who claim to be somebody else, or who have a key that is not, or no longer, good enough."""

from __future__ import annotations

import time
from collections import Counter
from typing import Callable, Dict, List, Tuple

import allowed
import zmq
import zmtp
from curve_peer import CurvePeer, Refused
from key_pair import KeyPair, split
from martlet_client import Live, MartletClient, NoAnswer, ServerError
from martlet_protocol import admin, data, message
from martlet_protocol.errors import Code
from martlet_protocol.fields import Fields
from martlet_protocol.header import Type
from martlet_protocol.message import Message
from martlet_protocol.reading import U64
from processes import wait_until
from siege import Attack, Siege
from sodium import random as noise
from target import Door
from zmq.utils.monitor import recv_monitor_message
from zmtp import Cut

SPACE = "impostors"
KNOCKS = (zmq.EVENT_HANDSHAKE_SUCCEEDED | zmq.EVENT_HANDSHAKE_FAILED_AUTH
          | zmq.EVENT_HANDSHAKE_FAILED_PROTOCOL | zmq.EVENT_HANDSHAKE_FAILED_NO_DETAIL
          | zmq.EVENT_DISCONNECTED)


def get(key: bytes, id: int = 1, space: str = SPACE) -> bytes:
    """A GET's frame."""
    return message.encode(Message(
        Type.GET, data.Get([data.GetOperation(key)]), U64(id), Fields(space)))


class Knocking:
    """A socket of libzmq that tries to get in again and again, and asks something if it does."""

    def __init__(self, context: zmq.Context, door: Door,
                 dress: Callable[[zmq.Socket], None]) -> None:
        self.socket = context.socket(zmq.SUB if door.kind == "live" else zmq.DEALER)
        self.socket.setsockopt(zmq.LINGER, 0)
        self.socket.setsockopt(zmq.RECONNECT_IVL, 50)
        if door.kind == "live":
            self.socket.setsockopt(zmq.SUBSCRIBE, b"")
        dress(self.socket)
        self._ear = self.socket.get_monitor_socket(KNOCKS)
        self.socket.connect(split(door.endpoint)[0])
        if door.kind != "live":
            for id in range(3):
                self.socket.send(get(b"k", id), zmq.DONTWAIT)

    def heard(self) -> Tuple[int, int]:
        """How often it was let in or answered, and how often turned away."""
        let_in = turned_away = 0
        while self._ear.poll(0):
            event = recv_monitor_message(self._ear)["event"]
            let_in += event == zmq.EVENT_HANDSHAKE_SUCCEEDED
            turned_away += event != zmq.EVENT_HANDSHAKE_SUCCEEDED
        while self.socket.poll(0):
            self.socket.recv_multipart()
            let_in += 1
        return let_in, turned_away


def _curve(server: bytes, keys: KeyPair) -> Callable[[zmq.Socket], None]:
    def dress(socket: zmq.Socket) -> None:
        socket.setsockopt(zmq.CURVE_SERVERKEY, server)
        socket.setsockopt(zmq.CURVE_PUBLICKEY, keys.public)
        socket.setsockopt(zmq.CURVE_SECRETKEY, keys.secret)
    return dress


def _plain(socket: zmq.Socket) -> None:
    socket.setsockopt(zmq.PLAIN_USERNAME, b"admin")
    socket.setsockopt(zmq.PLAIN_PASSWORD, b"admin")


def wrong_keys(siege: Siege) -> None:
    """Keys that nobody listed, or whose date is over, the wrong server's key, NULL and PLAIN, all
    of them persistent."""
    expired = siege.target.enrol("expired", "admin", "*", "2020-01-31")
    # Who is in the list behind it is let in once the list is taken over.
    until_in(siege, siege.target.enrol("behind-it", "read")).close()
    dresses: Dict[str, Callable[[Door], Callable[[zmq.Socket], None]]] = {
        "unknown": lambda door: _curve(door.key, KeyPair.made()),
        "expired": lambda door: _curve(door.key, expired),
        "wrong server": lambda _: _curve(KeyPair.made().public, siege.target.keys("admin")),
        "PLAIN": lambda _: _plain, "NULL": lambda _: lambda _: None}
    told: Counter = Counter()
    end = time.monotonic() + siege.size(1, 15)
    while time.monotonic() < end:
        context = zmq.Context()
        knocking = [(name, Knocking(context, door, dress(door)))
                    for door in siege.target.doors for name, dress in dresses.items()
                    for _ in range(siege.size(2, 6))]
        time.sleep(0.3)
        for name, each in knocking:
            let_in, turned_away = each.heard()
            siege.let_in += let_in
            told[name] += turned_away
        context.destroy(linger=0)
    for name in dresses:
        siege.owe(told[name], f"{name}: nobody was turned away")
    siege.tell(f"turned away: {dict(told)}")


def old_versions(siege: Siege) -> None:
    """Peers of older versions of ZMTP, which know of no keys, and mechanisms there are none of."""
    asked = message.encode(Message(Type.TOPOLOGY, admin.Empty(), U64(1)))
    signature = b"\xff" + bytes(8) + b"\x7f"
    ready = zmtp.command(b"READY", zmtp.properties({b"Socket-Type": b"DEALER"}))
    old = b"\x01\x00" + (b"\xff" + (len(asked) + 1).to_bytes(8, "big") + b"\x00" + asked)
    starts = {
        "ZMTP 1.0": old,
        "ZMTP 1.0, a number": signature + b"\x00" + old,
        "ZMTP 2.0": signature + b"\x01\x05" + b"\x00\x00" + zmtp.frame(asked),
        "ZMTP 2.0, nothing of it": signature + b"\x01\x05",
        "NULL": zmtp.greeting(b"NULL") + ready + zmtp.frame(asked),
        "GSSAPI": zmtp.greeting(b"GSSAPI") + ready + zmtp.frame(asked),
        "nothing": zmtp.greeting(b"") + ready + zmtp.frame(asked),
        "CURVE without it": zmtp.greeting() + ready + zmtp.frame(asked),
        "ZMTP 3.9": zmtp.greeting(b"NULL", b"\x03\x09") + ready + zmtp.frame(asked),
        "ZMTP 255": zmtp.greeting(b"NULL", b"\xff\xff") + ready + zmtp.frame(asked)}
    wires = []
    for name, start in starts.items():
        for door in siege.target.doors:
            wire = siege.dial(door)
            wires.append((name, wire))
            _say(wire, start)
    for name, wire in wires:
        if _is_answered(wire):
            siege.let_in += 1
            siege.tell(f"{name} was answered")


def _say(wire: zmtp.Wire, start: bytes) -> None:
    """A greeting, and the rest once it is answered, if it is."""
    first = zmtp.GREETING_BYTES if start[10:11] >= b"\x03" else len(start)
    try:
        wire.send(start[:first])
        if start[first:]:
            wire.read(zmtp.GREETING_BYTES, 0.2)
            wire.send(start[first:])
    except (Cut, TimeoutError):
        pass


def _is_answered(wire: zmtp.Wire) -> bool:
    """Whether a message of ours came before it was cut off, or in half a second."""
    heard = b""
    try:
        for _ in range(10_000):
            heard += wire.read(1, 0.05)
    except (TimeoutError, Cut):
        pass
    return b"ML\x01" in heard


def refused(act: Callable[[], object]) -> bool:
    """Whether somebody is told that he has no right."""
    try:
        act()
    except ServerError as error:
        return error.code == Code.unauthorised
    except NoAnswer:
        return False
    return False


def until_in(siege: Siege, keys: KeyPair) -> MartletClient:
    """A client whose key was listed a moment ago."""
    clients: List[MartletClient] = []

    def is_in() -> bool:
        try:
            clients.append(siege.target.client_with(keys, 0.5))
        except (NoAnswer, ServerError):
            return False
        return True

    wait_until("a new key is let in", 5.0, is_in)
    return clients[0]


def revoked_keys(siege: Siege) -> None:
    """Keys that are taken out of the list, or whose date comes, while they are used."""
    end = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 3))
    ending = siege.target.enrol("ending", "read,write", "*", end)
    leaving = siege.target.enrol("leaving", "read,write")
    began = time.time()
    with until_in(siege, leaving) as client, until_in(siege, ending) as other:
        client.set(b"k", b"v", SPACE)
        live = client.live()
        live.next(5.0)
        siege.target.strike("leaving")
        took = wait_until("its next request is refused", 5.0,
                          lambda: refused(lambda: client.get(b"k", SPACE)))
        siege.owe(took <= allowed.REVOKED_WITHIN, f"it was refused after {took:.2f} s only")
        said = _still_said(live, 1.0)
        siege.owe(said < 1.0, "it listens to the stream on")
        siege.let_in += let_in_anew(siege, leaving)
        siege.tell(f"struck: refused after {1_000 * took:.0f} ms, nothing heard "
                   f"after {1_000 * (took + said):.0f} ms")
        wait_until("an entry's date comes", 5.0,
                   lambda: refused(lambda: other.get(b"k", SPACE)))
        late = time.time() - began - 3
        siege.owe(late <= 1.0 + allowed.REVOKED_WITHIN, f"{late:.1f} s after its date")
        siege.let_in += let_in_anew(siege, ending)


def _still_said(live: Live, seconds: float) -> float:
    """For how long something is heard still, at most so long."""
    began = last = time.monotonic()
    while time.monotonic() - began < seconds:
        try:
            live.next(0.7)
            last = time.monotonic()
        except NoAnswer:
            break
    return last - began


def let_in_anew(siege: Siege, keys: KeyPair) -> int:
    """At how many doors the holder of a key is let in."""
    return sum(_lets_in(siege, door, keys) for door in siege.target.doors)


def _lets_in(siege: Siege, door: Door, keys: KeyPair) -> bool:
    # A publisher opens its live channel anew once a key may not listen any more: nobody is there
    # for a moment.
    end = time.monotonic() + 2.0
    while True:
        try:
            siege.peer(door, keys).enter(b"SUB" if door.kind == "live" else b"DEALER")
            return True
        except Refused:
            return False
        except ConnectionRefusedError:
            if time.monotonic() > end:
                raise
            time.sleep(0.02)


def spoofed_numbers(siege: Siege) -> None:
    """Somebody who may ask for figures alone says that it is somebody else, by whatever name."""
    keys = siege.target.enrol("counting", "metrics")
    with until_in(siege, keys) as client:
        place = client.owner(b"k", SPACE)
    door = next(each for each in siege.target.doors if each.endpoint == place)
    claims = [str(number).encode() for number in range(12)]
    claims += [b"", b"4294967295", b"-1", b"admin", b"1\x00", b"0" * 200]
    answered = 0
    for name in (b"User-Id", b"user-id", b"USER-ID"):
        for claim in claims:
            peer = siege.peer(door, keys).enter(b"DEALER", {name: claim})
            peer.send(get(b"k"))
            answer = message.decode(peer.receive())
            siege.let_in += answer.type != Type.ERROR or answer.body.code != Code.unauthorised
            peer.send(message.encode(Message(Type.STATUS, admin.Empty(), U64(2))))
            siege.owe(message.decode(peer.receive()).type == Type.STATUS_REPORT,
                      f"{name!r} {claim!r}: its own right is lost")
            answered += 1
            peer.close()
    for claim in claims:
        try:
            siege.peer(door, KeyPair.made()).enter(b"DEALER", {b"User-Id": claim})
            siege.let_in += 1
        except Refused:
            pass
    siege.tell(f"{answered} claims were not believed")


def routing_ids(siege: Siege) -> None:
    """Peers that name themselves, alike, and as a ROUTER would: nobody gets another's answers."""
    app = siege.target.keys("app")
    with siege.target.client("app") as client:
        place = client.owner(b"k", SPACE)
        client.set(b"k", b"v", SPACE)
    door = next(each for each in siege.target.doors if each.endpoint == place)
    served = 0
    for name in (b"abcde", b"\x00abcd", noise(5), b"a", b"x" * 255, b"\x00" * 5, b"\xff" * 6):
        peers = [siege.peer(door, app).enter(b"DEALER", {b"Identity": name}) for _ in range(3)]
        for turn in range(20):
            for number, peer in enumerate(peers):
                try:
                    peer.send(get(b"k", 1_000 * number + turn + 1))
                except Cut:
                    pass
        for number, peer in enumerate(peers):
            mine = _ids_heard(peer)
            served += len(mine)
            foreign = [id for id in mine if not 1_000 * number < id <= 1_000 * number + 20]
            siege.owe(not foreign, f"{name!r}: one got the answers {foreign[:4]} of another")
            siege.let_in += bool(mine) and (len(name) != 5 or name[0] != 0)
            peer.close()
    siege.tell(f"{served} answers to peers that named themselves, each to who had asked")


def _ids_heard(peer: CurvePeer) -> List[int]:
    ids: List[int] = []
    while True:
        try:
            ids.append(message.decode(peer.receive(0.05)).request_id)
        except (TimeoutError, Cut):
            return ids


ATTACKS = [
    Attack("wrong-keys", wrong_keys), Attack("old-versions", old_versions),
    Attack("revoked-keys", revoked_keys), Attack("spoofed-numbers", spoofed_numbers),
    Attack("routing-ids", routing_ids)]
