"""Peers without a key: garbage, half handshakes, long ones, slow ones, and very many."""

from __future__ import annotations

import random
import time
from typing import Callable, List

import allowed
import zmtp
from curve_peer import CurvePeer, Refused
from key_pair import CURVE_BYTES, KeyPair
from sodium import random as noise
from siege import Attack, Siege
from target import Door
from zmtp import COMMAND, LONG, MORE, Cut, Wire, cut_times

FRAME = 1 << 20
CONTROL_FRAME = 80 << 10
"""The longest frame that a shard and the publisher take."""
SMALL = 1 << 10
"""The longest that the live channel takes."""


def _longest(door: Door) -> int:
    return {"live": SMALL, "control": CONTROL_FRAME}.get(door.kind, FRAME)


def _owe_cut(siege: Siege, what: str, wires: List[Wire], seconds: float,
             least: float = 0.0) -> None:
    """Everybody is cut off in time."""
    times = cut_times(wires, seconds + 2.0)
    cut = [each for each in times if each is not None]
    late = [each for each in cut if each > seconds]
    siege.owe(len(cut) == len(times), f"{what}: {len(times) - len(cut)} were not cut off")
    if late:
        siege.slow.append(f"{what}: {len(late)} of {len(times)} not cut off within {seconds:.1f} s")
    siege.owe(not cut or min(cut) >= least,
              f"{what}: cut off after {min(cut, default=0):.1f} s already")
    if cut:
        siege.tell(f"{what}: {len(cut)} of {len(times)} cut off, "
                   f"the last after {max(cut):.1f} s")


def _more_than_a_greeting(wire: Wire) -> bool:
    """Whether the other side has said more than anybody is told."""
    try:
        wire.read(zmtp.GREETING_BYTES + 1, 0.0)
    except (TimeoutError, Cut):
        return False
    return True


def garbage(siege: Siege) -> None:
    """Bytes that are nothing, on every port: thrown and left, and sent on and on."""
    dice = random.Random(1)
    blobs: List[Callable[[], bytes]] = [
        lambda: noise(dice.choice((1, 9, 10, 64, 65, 1_000, 100_000))),
        lambda: bytes(70_000), lambda: b"\xff" * 70_000,
        lambda: b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
        lambda: b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + noise(508),
        lambda: zmtp.greeting() + noise(dice.randrange(1, 3_000)),
        lambda: zmtp.greeting()[:dice.randrange(1, 64)],
        lambda: zmtp.greeting(noise(20), noise(2)) + noise(200),
        lambda: zmtp.greeting() + b"".join(
            bytes([dice.randrange(8), size := dice.randrange(256)]) + noise(size)
            for _ in range(40))]
    sent = 0
    for _ in range(siege.size(12, 150)):
        for door in siege.target.doors:
            for blob in blobs:
                wire = siege.dial(door)
                what = blob()
                sent += wire.send_until_cut(lambda: what, 0.2, len(what))
                siege.let_in += _more_than_a_greeting(wire)
                wire.close()
    for door in siege.target.doors:
        for _ in range(4):
            sent += siege.dial(door).send_until_cut(lambda: noise(65_536), 0.2, 8 << 20)
    siege.tell(f"{sent / allowed.MEBIBYTE:.1f} MiB of it")


def endless_more(siege: Siege) -> None:
    """A message without an end instead of a handshake: frames that each say that more follow."""
    wires, sent = [], 0
    for door in siege.target.doors:
        for size in (0, 1, 200, 60_000, _longest(door) - 9):
            for start in (zmtp.greeting(), zmtp.greeting() + zmtp.command(b"HELLO", bytes(194))):
                for _ in range(siege.size(1, 8)):
                    wire = siege.dial(door)
                    more = zmtp.frame(bytes(size), MORE) * max(1, 65_536 // (size + 9))
                    wire.send_until_cut(lambda: start, 0.2, len(start))
                    sent += wire.send_until_cut(lambda: more, 0.1, 64 << 20)
                    wires.append(wire)
    siege.tell(f"{sent / allowed.MEBIBYTE:.1f} MiB taken of {len(wires)}")
    _owe_cut(siege, "endless messages", wires, allowed.AT_ONCE)


def subscriptions(siege: Siege) -> None:
    """Subscriptions without a handshake, on the live channel and elsewhere."""
    wires = []
    for door in siege.target.doors:
        for mechanism in (b"NULL", b"CURVE"):
            for ready in (b"", zmtp.command(b"READY", zmtp.properties({b"Socket-Type": b"SUB"}))):
                wire = siege.dial(door)
                start = zmtp.greeting(mechanism) + ready
                wire.send_until_cut(lambda: start, 0.2, len(start))
                wire.send_until_cut(
                    lambda: zmtp.frame(b"\x01" + noise(200)) + zmtp.command(b"SUBSCRIBE", b"ML"),
                    0.1, siege.size(1, 64) << 20)
                wires.append(wire)
    _owe_cut(siege, "subscribers", wires, allowed.AT_ONCE)


def long_sizes(siege: Siege) -> None:
    """Frames and commands that announce more than anybody takes, up to 2^63 bytes."""
    wires = []
    for door in siege.target.doors:
        for size in (_longest(door) + CURVE_BYTES + 1, 1 << 31, (1 << 32) + 5, 1 << 62,
                     (1 << 63) - 1, 1 << 63, (1 << 64) - 1):
            for flags in (COMMAND, 0, MORE):
                for body in (b"", b"\x05HELLO\1\0", b"\x05READY"):
                    wire = siege.dial(door)
                    what = zmtp.greeting() + zmtp.head(flags | LONG, size) + body
                    wire.send_until_cut(lambda: what, 0.2, len(what))
                    wires.append(wire)
    _owe_cut(siege, "announcements", wires, allowed.AT_ONCE)


def long_handshakes(siege: Siege) -> None:
    """HELLO, INITIATE and READY as long as a frame may be, all but their last byte."""
    siege.node_each = allowed.UNENDED_HANDSHAKE
    wires, sent = [], 0
    count = siege.size(48, 400)
    for name in (b"HELLO", b"READY", b"INITIATE"):
        for door in siege.target.doors:
            for _ in range(count // 3):
                wire = siege.dial(door)
                size = _longest(door)
                body = zmtp.named(name) + bytes(size - len(name) - 2)
                what = zmtp.greeting() + zmtp.head(COMMAND | LONG, size) + body
                sent += wire.send_until_cut(lambda: what, 1.0, len(what))
                wires.append(wire)
    siege.tell(f"{sent / allowed.MEBIBYTE:.1f} MiB taken of {len(wires)}")
    _owe_cut(siege, "handshakes that are not ended", wires, allowed.HANDSHAKE_MAX)


def long_initiates(siege: Siege) -> None:
    """A right HELLO, and then an INITIATE that says very much of itself, by a key nobody knows."""
    for door in siege.target.doors:
        for size in (300, 600, 60_000, 1_000_000):
            peer = siege.peer(door, KeyPair.made())
            try:
                peer.enter(b"DEALER", {b"X-Much": bytes(size)})
            except Refused:
                continue
            siege.let_in += 1


def slow_handshakes(siege: Siege) -> None:
    """A byte now and then: some stop in the greeting, some in the HELLO."""
    wires, rests = [], []
    hello = zmtp.greeting() + zmtp.command(b"HELLO", bytes(194))
    for door in siege.target.doors:
        for number in range(siege.size(40, 400)):
            wire = siege.dial(door)
            begun = (0, 1, 10, 11, 32, 63, 64, 66, 150, 260)[number % 10]
            wire.send_until_cut(lambda: hello[:begun], 0.2, begun)
            wires.append(wire)
            rests.append(hello[begun:-1])
    end = time.monotonic() + allowed.HANDSHAKE_MAX + 2.0
    began, cut = time.monotonic(), 0.0
    while time.monotonic() < end:
        standing = [number for number, wire in enumerate(wires) if not wire.is_cut()]
        if not standing:
            break
        cut = time.monotonic() - began
        for number in standing:
            byte, rests[number] = rests[number][:1], rests[number][1:]
            wires[number].send_until_cut(lambda: byte, 0.01, len(byte))
        time.sleep(0.5)
    if cut > allowed.HANDSHAKE_MAX:
        siege.slow.append(f"some were not cut off within {cut:.1f} s")
    siege.tell(f"{len(wires)} handshakes, a byte each half second; the last was cut off "
               f"between {cut:.1f} and {cut + 0.5:.1f} s")


def idle(siege: Siege) -> None:
    """Very many connections on which nothing is said."""
    wires = [siege.dial(door) for _ in range(siege.size(500, 2_000))
             for door in siege.target.doors]
    _owe_cut(siege, "idle connections", wires, allowed.HANDSHAKE_MAX)


def half_handshakes(siege: Siege) -> None:
    """Right HELLOs again and again, each of which costs the other side a computation."""
    welcomed = 0
    end = time.monotonic() + siege.size(1, 10)
    while time.monotonic() < end:
        for door in siege.target.doors:
            wire = siege.dial(door)
            peer = CurvePeer(wire, door.key, KeyPair.made())
            try:
                peer.say_hello()
                peer.hear_welcome()
                welcomed += 1
            except (Cut, TimeoutError, Refused):
                pass
            wire.close()
    siege.tell(f"{welcomed} were welcomed and left")


ATTACKS = [
    Attack("garbage", garbage), Attack("endless-more", endless_more),
    Attack("subscriptions", subscriptions), Attack("long-sizes", long_sizes),
    Attack("long-handshakes", long_handshakes), Attack("long-initiates", long_initiates),
    Attack("half-handshakes", half_handshakes), Attack("slow-handshakes", slow_handshakes),
    Attack("idle", idle)]
