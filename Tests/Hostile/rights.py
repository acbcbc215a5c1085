"""Every request by everybody who has no right to make it: refused, and nobody learns anything."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, NamedTuple, Set

from checking import Failure
from curve_peer import Refused
from impostors import until_in
from key_pair import KeyPair
from martlet_client import NoAnswer
from martlet_protocol import (
    admin, control, data, explaining, leaving, message, pacing, queueing)
from martlet_protocol.admin import Kind, Scope
from martlet_protocol.data import Status
from martlet_protocol.errors import Code
from martlet_protocol.fields import Fields
from martlet_protocol.header import Type
from martlet_protocol.reading import U64
from siege import Attack, Siege

SPACE = "rights"
PRESENT, ABSENT = b"it is there", b"it is not  "
"""As long as each other, so that answers can be compared byte by byte."""
MARK = control.Mark(0, U64(0), U64(0))
NOBODY = U64(0xDEAD)

HOLDERS: Dict[str, str] = {
    "read": "read", "write": "write", "invalidate": "invalidate", "metrics": "metrics",
    "relay": "relay", "node": "node", "narrow": "read,write,invalidate"}
"""Whose keys are tried, and their rights. `narrow` has them in another namespace, and `node` is
a node that is not in the configuration."""


class Request(NamedTuple):
    """A message, whom it is for, and who of those may send it."""

    type: Type
    to: str
    body: Callable[[bytes], Any]
    may: Set[str]
    has_key: bool = False


def _scopes(key: bytes) -> List[Scope]:
    return [Scope(Kind.key, key, SPACE)]


REQUESTS = [
    Request(Type.GET, "data", lambda key: data.Get([data.GetOperation(key)]), {"read", "node"},
            True),
    Request(Type.SET, "data", lambda key: data.SetBody([data.SetOperation(key, b"forged")]),
            {"write"}, True),
    Request(Type.TOUCH, "data", lambda key: data.Touch([data.TouchOperation(key, U64(1))]),
            {"write"}, True),
    Request(Type.DELETE, "data", lambda key: data.Delete([data.DeleteOperation(key)]),
            {"write", "invalidate"}, True),
    Request(Type.CHUNK, "data", lambda _: data.Chunk(U64(7), 9, 0, b"forged"),
            {"write", "narrow", "node"}),
    Request(Type.SCAN, "data", lambda key: admin.Scan(U64(0), 10, Kind.prefix, 0, key[:9]),
            {"read", "node"}, True),
    Request(Type.COUNT, "data", lambda key: admin.Count(_scopes(key)), {"read", "invalidate"},
            True),
    Request(Type.EXPLAIN, "data", explaining.Explain, {"read"}, True),
    Request(Type.COMPARE, "data", explaining.Explain, {"read"}, True),
    Request(Type.STATUS, "data", lambda _: admin.Empty(), {"metrics", "node"}),
    Request(Type.QUEUE, "data", lambda _: queueing.Queue(queueing.LIST), set()),
    Request(Type.DRAIN, "data", lambda _: leaving.NodeOrder("n1"), set()),
    Request(Type.INVALIDATE, "control",
            lambda key: admin.Invalidate(admin.WAIT_NONE, admin.HARD, 100, _scopes(key)),
            {"invalidate", "node"}, True),
    Request(Type.INVALIDATE, "control",
            lambda _: admin.Invalidate(admin.WAIT_NONE, admin.HARD, 100,
                                       [Scope(Kind.everything)]), {"invalidate", "node"}),
    Request(Type.INVALIDATE, "control",
            lambda _: admin.Invalidate(admin.WAIT_NONE, admin.HARD, 100,
                                       [Scope(Kind.tag, b"t", SPACE)]), {"invalidate", "node"}),
    Request(Type.PACE, "control",
            lambda key: pacing.Pace(pacing.BEGIN, 0, 60_000, U64(0), _scopes(key)),
            {"invalidate", "node"}, True),
    Request(Type.AWAIT, "control", lambda _: admin.Await(0, 0, 1, U64(1)),
            {"invalidate", "node", "narrow"}),
    Request(Type.STATUS, "control", lambda _: admin.Empty(), {"metrics", "node"}),
    Request(Type.FORGET, "control", lambda _: leaving.NodeOrder("n1"), set()),
    Request(Type.RESUME, "control", lambda _: control.Resume(U64(0), U64(0), MARK, 10),
            {"read", "relay", "node"}),
    Request(Type.RESUME, "control", lambda _: control.Resume(NOBODY, U64(0), MARK, 10), {"node"}),
    Request(Type.HELLO, "control",
            lambda _: control.Hello(NOBODY, U64(0), MARK, "n1", ["tcp://127.0.0.1:9"]), set()),
    Request(Type.PING, "control", lambda _: control.Ping(NOBODY, U64(1), MARK, 3), {"node"}),
    Request(Type.ACK, "control", lambda _: control.Ack(NOBODY, MARK), {"node"}),
    Request(Type.BYE, "control", lambda _: control.Bye(NOBODY), {"node"}),
    Request(Type.FLOORS, "control", lambda _: control.Floors(NOBODY, U64(0), MARK, 0), {"node"})]
UNSAFE = {Type.SET, Type.DELETE, Type.TOUCH, Type.INVALIDATE, Type.PACE, Type.ACK, Type.BYE}
"""What is not sent by those who may: it would be done, or is not answered."""


class Holder:
    """Somebody with a key, and what he is answered."""

    def __init__(self, siege: Siege, name: str, keys: KeyPair) -> None:
        self.siege, self.name, self.keys = siege, name, keys
        self.client = until_in(siege, self.keys)
        self.places = {"control": self.client.topology.control}

    def answer(self, request: Request, key: bytes) -> message.Message:
        """What is answered to a request about a key."""
        fields = Fields(SPACE) if request.to == "data" else Fields()
        place = self.places.get(request.to) or self.client.owner(PRESENT, SPACE)
        connection = self.client.connection(place)
        try:
            return connection.answer(
                connection.send(request.type, request.body(key), fields), 5.0)
        except NoAnswer as error:
            raise Failure(f"{self.name}: {request.type.name}: {error}") from error

    def try_all(self) -> int:
        """Everything that he may not do, and what of the rest does no harm; how much it was."""
        denied = 0
        for request in REQUESTS:
            if self.name in request.may:
                if request.type not in UNSAFE:
                    self._owe_taken(request)
                continue
            self._owe_denied(request)
            denied += 1
        return denied

    def _owe_taken(self, request: Request) -> None:
        answer = self.answer(request, PRESENT)
        is_denied = answer.type == Type.ERROR and answer.body.code == Code.unauthorised
        self.siege.owe(not is_denied, f"{self.name} may not {request.type.name}")

    def _owe_denied(self, request: Request) -> None:
        texts = set()
        for key in (PRESENT, ABSENT) if request.has_key else (PRESENT,):
            answer = self.answer(request, key)
            if answer.type != Type.ERROR or answer.body.code != Code.unauthorised:
                self.siege.let_in += 1
                self.siege.owe(False, f"{self.name}: {request.type.name} is answered with "
                               f"{answer.type.name} {str(answer.body)[:80]}")
                return
            answer.request_id = U64(0)
            texts.add(message.encode(answer))
        self.siege.owe(len(texts) == 1,
                       f"{self.name}: {request.type.name} tells whether a key is there")

    def follows(self) -> bool:
        """Whether the live channel lets him in."""
        door = self.siege.target.door("live")
        try:
            self.siege.peer(door, self.keys).enter(b"SUB").close()
        except Refused:
            return False
        return True


def requests_without_right(siege: Siege) -> None:
    """Each role tries what it may not, of keys that are there and of keys that are not."""
    app = siege.target.client("app")
    try:
        stored = app.set(PRESENT, b"as it was", SPACE)
        siege.owe(stored.status == Status.STORED, f"it is not stored: {stored}")
        denied = 0
        keys = {name: siege.target.enrol(
            f"may-{name}", rights, "other-*" if name == "narrow" else "*")
            for name, rights in HOLDERS.items()}
        for name in HOLDERS:
            holder = Holder(siege, name, keys[name])
            try:
                denied += holder.try_all()
                siege.owe(holder.follows() == (name in {"read", "relay", "node"}),
                          f"{name} on the live channel")
            finally:
                holder.client.close()
        after = app.get(PRESENT, SPACE)
        siege.owe(after.status == Status.HIT and after.value == b"as it was",
                  f"what was there is now {after} {after.value!r}")
        siege.tell(f"{denied} requests of {len(HOLDERS)} roles were refused")
    finally:
        app.close()


def nodes_for_others(siege: Siege) -> None:
    """A node's key speaks for another node: it cannot acknowledge, say goodbye or be greeted."""
    keys = siege.target.keys("n1")
    with siege.target.client("admin") as admin_client:
        others = [each for each in admin_client.status().nodes if each.id == "n2"]
        incarnation = others[0].incarnation
        head = admin_client.status()
        mark = control.Mark(head.epoch, head.sequence, head.digest)
    bodies = [
        (Type.HELLO, control.Hello(U64(5), U64(0), MARK, "n2", ["tcp://127.0.0.1:9"])),
        (Type.PING, control.Ping(incarnation, U64(1), mark, 3)),
        (Type.ACK, control.Ack(incarnation, mark)), (Type.BYE, control.Bye(incarnation)),
        (Type.RESUME, control.Resume(incarnation, U64(0), MARK, 10)),
        (Type.FLOORS, control.Floors(incarnation, U64(0), MARK, 0))]
    with siege.target.client_with(keys) as client:
        for type, body in bodies:
            answer = client.publisher.answer(client.publisher.send(type, body), 3.0)
            is_denied = answer.type == Type.ERROR and answer.body.code == Code.unauthorised
            siege.let_in += not is_denied
            siege.owe(is_denied, f"{type.name} for n2 is answered with {answer.type.name}")
    with siege.target.client("app") as client:
        receipt = client.invalidate(_scopes(b"k"))
        applied = sorted(each.id for each in receipt.applied)
        siege.owe(applied == ["n1", "n2"], f"afterwards a receipt is of {applied}")


ATTACKS = [Attack("requests-without-right", requests_without_right),
           Attack("nodes-for-others", nodes_for_others)]
