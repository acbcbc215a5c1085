"""Peers who hold a key, and do too much of what they may, or half of it."""

from __future__ import annotations

import ctypes
import struct
import time
from typing import List, Tuple

import allowed
import zmtp
from allowed import KIBIBYTE, MEBIBYTE
from curve_peer import CurvePeer, Refused
from key_pair import KeyPair
from martlet_client import MartletClient, NoAnswer
from martlet_protocol import admin, control, data, limits, message
from martlet_protocol.admin import Kind, Scope
from martlet_protocol.errors import Code
from martlet_protocol.fields import Fields
from martlet_protocol.header import BYTES, Type, frame
from martlet_protocol.message import Message
from martlet_protocol.reading import U64, u16
from siege import Attack, Siege
from sodium import random as noise
from target import Door
from zmtp import MORE, Cut

SPACE = "crowd"
IN_FLIGHT, SCOPES = 64, 20
"""Of a flood of invalidations."""
"""The namespace of these peers. Their neighbour's is another."""


def _app(siege: Siege) -> KeyPair:
    return siege.target.keys("app")


def _doors(siege: Siege) -> List[Door]:
    """Those at which messages are taken."""
    return [siege.target.door("control"), siege.target.door("data")]


def _entered(siege: Siege, door: Door, name: str = "app", kind: bytes = b"DEALER") -> CurvePeer:
    return siege.peer(door, siege.target.keys(name)).enter(kind)


def _asked(id: int) -> bytes:
    return message.encode(Message(Type.TOPOLOGY, admin.Empty(), U64(id)))


def unended_message(siege: Siege) -> None:
    """One message without an end, by somebody who was let in."""
    length = siege.size(24, 192) * MEBIBYTE
    siege.member(length * allowed.UNENDED_FACTOR + allowed.MEMBERS_MEMORY)
    for door in _doors(siege):
        peer = _entered(siege, door)
        piece = noise(64 * KIBIBYTE)
        for _ in range(length // len(piece)):
            peer.send(piece, more=True)
        siege.owe(not peer.wire.is_cut(0.2), f"{door.kind}: it was cut off meanwhile")
        # Whole at last, it is passed over, and the same peer is served.
        peer.send(b"", more=False)
        peer.send(_asked(7))
        answer = message.decode(peer.receive())
        siege.owe(answer.request_id == 7, f"{door.kind}: {answer.type.name} to something else")
        peer.close()
    siege.tell(f"a message of {length // MEBIBYTE} MiB in frames of 64 KiB, at two doors")


def small_unended_message(siege: Siege) -> None:
    """The same in frames of one byte."""
    count = siege.size(100_000, 1_000_000)
    for door in _doors(siege):
        peer = _entered(siege, door)
        size = len(peer.packed(b"x", MORE))
        siege.member(count * size * allowed.SMALL_FRAMES_FACTOR + allowed.MEMBERS_MEMORY / 4)
        for _ in range(count // 1_000):
            peer.wire.send(b"".join(peer.packed(b"x", MORE) for _ in range(1_000)))
        time.sleep(0.2)
        peer.close()
    siege.tell(f"{count} frames of a byte at two doors")


def unended_messages(siege: Siege) -> None:
    """Very many messages that were begun."""
    count, size = siege.size(60, 400), 64 * KIBIBYTE
    siege.member(count * size * allowed.UNENDED_FACTOR + allowed.MEMBERS_MEMORY)
    for door in _doors(siege):
        peers = [_entered(siege, door) for _ in range(count)]
        for peer in peers:
            peer.send(noise(size), more=True)
        time.sleep(0.5)
        siege.owe(not any(peer.wire.is_cut() for peer in peers), "some were cut off")
    siege.tell(f"{count} begun at each of two doors")


def followers_subscriptions(siege: Siege) -> None:
    """Whoever may follow the log subscribes to ever more topics."""
    count, size = siege.size(20_000, 200_000), 200
    siege.member(allowed.MEMBERS_MEMORY)
    peer = _entered(siege, siege.target.door("live"), "app", b"SUB")
    for _ in range(count // 1_000):
        try:
            peer.wire.send(b"".join(peer.packed(b"\x01" + noise(size)) for _ in range(1_000)))
        except Cut:
            break
    time.sleep(1.0)
    siege.tell(f"{count} subscriptions of {size} bytes")


def invalidations(siege: Siege) -> None:
    """A flood of invalidations by one holder of a key."""
    siege.member(4 * allowed.MEMBERS_MEMORY)
    seconds = siege.size(1, 20)
    records, refused = _flood_of_invalidations(siege, seconds)
    siege.tell(f"{records} were done in {seconds} s, {refused} refused as too many")


def _flood_of_invalidations(siege: Siege, seconds: float) -> Tuple[int, int]:
    """How many were done, and how many refused."""
    done = refused = sent = 0
    with siege.target.client("app") as client:
        connection = client.publisher
        siege.count(siege.target.door("control"), 1)
        scopes = [Scope(Kind.key, b"key %d" % number, SPACE) for number in range(SCOPES)]
        body = admin.Invalidate(admin.WAIT_NONE, admin.HARD, 1_000, scopes)
        end = time.monotonic() + seconds
        while time.monotonic() < end or done + refused < sent:
            if time.monotonic() < end and sent - done - refused < IN_FLIGHT:
                connection.send(Type.INVALIDATE, body)
                sent += 1
                if connection.socket.poll(0) == 0:
                    continue
            try:
                answer = message.decode(connection.receive_raw(2.0))
            except NoAnswer:
                break
            done += answer.type == Type.RECEIPT
            refused += answer.type == Type.ERROR and answer.body.code == Code.busy
        siege.owe(done > 0, "none was done")
        siege.owe(done + refused >= sent, f"{sent - done - refused} of {sent} were not answered")
    return done, refused


def _whole(size: int, type: Type, id: int, key: bytes) -> bytes:
    """A GET's frame of exactly that length, with an operation too much in it."""
    body = u16(len(key)) + u16(0) + key
    return frame(type, 1, id, b"", body + bytes(size - BYTES - len(body)))


def longest_frames(siege: Siege) -> None:
    """Frames of the longest length there is, as fast as they go; and those a byte longer."""
    siege.member(4 * allowed.MEMBERS_MEMORY)
    with siege.target.client("app") as client:
        keys = [b"long %d" % number for number in range(8)]
        end, stored = time.monotonic() + siege.size(1, 20), 0
        endpoint = client.owner(keys[0], SPACE)
        connection = client.connection(endpoint)
        keys = [key for key in keys if client.owner(key, SPACE) == endpoint]
        ids: List[int] = []
        while time.monotonic() < end:
            while len(ids) < 16:
                ids.append(connection.send(
                    Type.SET, _longest_set(keys[stored % len(keys)]), Fields(SPACE)))
            answer = connection.answer(ids.pop(0), 5.0)
            siege.owe(answer.type == Type.RESULTS, f"{answer.type.name} to a frame of 1 MiB")
            stored += 1
            if siege.wrong:
                break
        siege.tell(f"{stored} frames of 1 MiB")
        for door in _doors(siege):
            _longer(siege, client, door)


def _longest_set(key: bytes) -> data.SetBody:
    values = [bytes(limits.PART_BYTES), b""]
    body = data.SetBody([data.SetOperation(key, value) for value in values])
    made = message.encode(Message(Type.SET, body, U64(1), Fields(SPACE)))
    body.operations[1].value = bytes(limits.FRAME_BYTES - len(made))
    return body


def _longer(siege: Siege, client: MartletClient, door: Door) -> None:
    """A frame a byte too long is not answered, and costs the connection that it came over."""
    connection = client.fresh_connection(door.endpoint)
    try:
        connection.request(Type.TOPOLOGY, admin.Empty())
        connection.send_raw(_whole(limits.FRAME_BYTES + 1, Type.GET, 5, b"k"))
        try:
            answer = message.decode(connection.receive_raw(0.3))
            siege.owe(False, f"{door.kind}: {answer.type.name} to a frame that is too long")
        except NoAnswer:
            pass
        connection.request(Type.TOPOLOGY, admin.Empty())
    finally:
        connection.close()


def unread_replies(siege: Siege) -> None:
    """Somebody asks for long values, again and again, and reads no answer."""
    count = siege.size(200, 1_000)
    siege.member(2 * allowed.MEMBERS_MEMORY)
    with siege.target.client("app") as client:
        client.set(b"long", noise(limits.PART_BYTES), SPACE)
        place = client.owner(b"long", SPACE)
    door = next(each for each in siege.target.doors if each.endpoint == place)
    peer = _entered(siege, door)
    for id in range(count):
        peer.send(message.encode(Message(
            Type.GET, data.Get([data.GetOperation(b"long")]), U64(id + 1), Fields(SPACE))))
    time.sleep(1.0)
    siege.tell(f"{count} gets of 512 KiB, of which nothing is read")


def unread_middling_replies(siege: Siege) -> None:
    """One key asks over many connections for values of which no answer is long, and reads none."""
    count, peers = siege.size(2_000, 8_000), 8
    siege.member(6 * allowed.MEMBERS_MEMORY)
    with siege.target.client("app") as client:
        client.set(b"middling", noise(15 * KIBIBYTE), SPACE)
        place = client.owner(b"middling", SPACE)
    door = next(each for each in siege.target.doors if each.endpoint == place)
    # With a key of its own: what one key leaves is counted together.
    deaf = [_entered(siege, door, "admin") for _ in range(peers)]
    for id in range(count):
        asked = message.encode(Message(
            Type.GET, data.Get([data.GetOperation(b"middling")]), U64(id + 1), Fields(SPACE)))
        for peer in deaf:
            peer.send(asked)
    time.sleep(1.0)
    siege.tell(f"{count} gets of 15 KiB over each of {peers} connections, none of them read")


def unread_replays(siege: Siege) -> None:
    """Somebody who may follow the log asks for all of it, again and again, and reads nothing."""
    count = siege.size(200, 1_000)
    siege.member(2 * allowed.MEMBERS_MEMORY)
    with siege.target.client("app") as client:
        scopes = [Scope(Kind.key, noise(1_000), SPACE) for _ in range(60)]
        for _ in range(12):
            client.invalidate(scopes, admin.WAIT_NONE)
    peer = _entered(siege, siege.target.door("control"), "app")
    nothing = control.Mark(0, U64(0), U64(0))
    body = control.Resume(U64(0), U64(0), nothing, limits.RESUME_RECORDS)
    for id in range(count):
        peer.send(message.encode(Message(Type.RESUME, body, U64(id + 1))))
    time.sleep(1.0)
    siege.tell(f"{count} replays of up to 512 KiB, of which nothing is read")


def unread_stream(siege: Siege) -> None:
    """Somebody follows the log and reads nothing, while very much is said."""
    siege.member(5 * allowed.MEMBERS_MEMORY)
    peer = _entered(siege, siege.target.door("live"), "n1", b"SUB")
    peer.send(b"\x01")
    seconds = siege.size(1, 20)
    _flood_of_invalidations(siege, seconds)


def commands(siege: Siege) -> None:
    """Commands after the handshake: none that there are, cut short ones, pings that promise to
    come back at once and never do, subscriptions where nobody publishes."""
    siege.member(allowed.MEMBERS_MEMORY)
    odd = [b"", b"\xff", b"\x00", b"\x04", b"\x04PIN", b"\x04PING", b"\x04PING\x00",
           b"\x04PING\x00\x01", b"\x04PING\xff\xff" + bytes(40), b"\x04PONG",
           b"\x04PONG" + bytes(60_000), b"\x09SUBSCRIBE", b"\x09SUBSCRIBEML", b"\x06CANCEL",
           b"\x06CANCELnothing", b"\x05READY", b"\x05ERROR\xff", b"\x05ERROR\x03abc",
           b"\x05HELLO" + bytes(194), b"\x08INITIATE" + bytes(300), b"\x07MESSAGE",
           b"\x0cnothing here", noise(900)]
    sent = 0
    for door in siege.target.doors:
        is_live = door.kind == "live"
        for _ in range(siege.size(1, 10)):
            for what in odd:
                for flags in (2, 3, 0):
                    peer = _entered(siege, door, "n1" if is_live else "app",
                                    b"SUB" if is_live else b"DEALER")
                    try:
                        for _ in range(3):
                            peer.wire.send(peer.packed(what, flags))
                            sent += 1
                        peer.wire.send(zmtp.frame(what, zmtp.COMMAND))
                    except Cut:
                        pass
    time.sleep(0.3)
    siege.tell(f"{sent} of them")


def claimed_ids(siege: Siege) -> None:
    """Peers that name themselves as the ROUTER would name the next to come. libzmq 4.3.4 ends its
    whole process when it comes to a name that somebody has, and begins where the C library's
    dice do."""
    siege.member(allowed.MEMBERS_MEMORY)
    library = ctypes.CDLL(None)
    library.srand(1)
    starts = [(library.rand() | library.rand() << 31) & 0xFFFFFFFF for _ in range(4)]
    for door in _doors(siege):
        for start in starts:
            for ahead in range(2, 2 + siege.size(40, 400)):
                name = struct.pack(">BI", 0, (start + ahead) & 0xFFFFFFFF)
                siege.peer(door, _app(siege)).enter(b"DEALER", {b"Identity": name})
        for _ in range(siege.size(40, 400)):
            try:
                _entered(siege, door)
            except (Refused, OSError):
                break
        siege.end_connections()
    siege.tell(f"{len(starts) * siege.size(40, 400)} names at each of two doors")


ATTACKS = [
    Attack("claimed-ids", claimed_ids, wants_new=True), Attack("commands", commands),
    Attack("unended-message", unended_message),
    Attack("unended-small-frames", small_unended_message),
    Attack("unended-messages", unended_messages),
    Attack("followers-subscriptions", followers_subscriptions),
    Attack("longest-frames", longest_frames),
    Attack("unread-replies", unread_replies),
    Attack("unread-middling-replies", unread_middling_replies),
    Attack("unread-replays", unread_replays),
    Attack("unread-stream", unread_stream), Attack("invalidations", invalidations)]
