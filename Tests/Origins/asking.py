"""Many gets at once: in one volley, or at a rate.

Answers are read by their places alone, not by the strict decoder of Tests/Conformance, which takes
longer than the nodes do.
"""

from __future__ import annotations

import random
import struct
import threading
import time
from collections import deque
from typing import Any, Callable, Deque, Dict, List, NamedTuple, Optional, Sequence, Tuple

import zmq

import station  # noqa: F401  (finds the packages below)
import key_pair
from key_pair import KeyPair
from martlet_protocol import data, message
from martlet_protocol.data import Status
from martlet_protocol.fields import Fields
from martlet_protocol.header import Type
from martlet_protocol.message import Message
from martlet_protocol.reading import U64

_HEAD = struct.Struct("<2sBBHHQHHI")
_PROOF = struct.Struct("<IB3xQII")
_RESULT = struct.Struct("<BBBxIQQH6x")
_ID_AT = 8
_CODE = struct.Struct("<H")
_BUSY = 9


class Told(NamedTuple):
    """One answer to a get of one key; its status is BUSY if an ERROR says so, and 0 if it is
    another ERROR, or none came."""

    id: int
    status: int = 0
    flags: int = 0
    detail: int = 0
    value: bytes = b""
    epoch: int = 0
    sequence: int = 0
    age: int = 0
    """Milliseconds since the value was stored, or found to hold still."""

    @property
    def has_value(self) -> bool:
        """Whether the reader got a value, fresh or not."""
        return self.status in (Status.HIT, Status.STALE)

    @property
    def is_fresh(self) -> bool:
        """Whether the promises of docs/consistency.md hold for it."""
        return (self.status == Status.HIT
                and not self.flags & (data.SUSPECT | data.OVERTAKEN | data.UNFENCED))

    def __str__(self) -> str:
        name = Status(self.status).name if self.status in set(Status) else "no answer"
        return f"{name}, flags {self.flags}, detail {self.detail}, {self.value[:40]!r}"


def get_frame(key: bytes, space: str, options: int = 0, **fields: Any) -> bytearray:
    """A GET of one key, without an id."""
    made = Message(Type.GET, data.Get([data.GetOperation(key, options)]), U64(0),
                   Fields(namespace=space, **fields))
    return bytearray(message.encode(made))


def numbered(frame: bytearray, id: int) -> bytes:
    """The same with an id."""
    struct.pack_into("<Q", frame, _ID_AT, id)
    return bytes(frame)


def told(frame: bytes) -> Told:
    """What a frame with one result says."""
    magic, _, type, _, count, id, _, fields_bytes, _ = _HEAD.unpack_from(frame)
    at = _HEAD.size + fields_bytes
    if magic == b"ML" and type == Type.ERROR:
        return Told(id, Status.BUSY if _CODE.unpack_from(frame, at) == (_BUSY,) else 0)
    if magic != b"ML" or type != Type.RESULTS or count != 1:
        return Told(id)
    epoch, _, sequence, _, _ = _PROOF.unpack_from(frame, at)
    at += _PROOF.size
    status, flags, detail, value_bytes, age, _, more = _RESULT.unpack_from(frame, at)
    at += _RESULT.size + more
    value = bytes(frame[at : at + value_bytes])
    return Told(id, status, flags, detail, value, epoch, sequence, age)


def connected(context: zmq.Context, endpoint: str, keys: Optional[KeyPair] = None) -> zmq.Socket:
    """A DEALER that queues whatever it is given."""
    socket = context.socket(zmq.DEALER)
    socket.setsockopt(zmq.LINGER, 0)
    socket.setsockopt(zmq.SNDHWM, 0)
    socket.setsockopt(zmq.RCVHWM, 0)
    key_pair.connect(socket, endpoint, keys)
    return socket


class Volley:
    """The same get over many connections, many times on each, all in flight at once."""

    def __init__(self, endpoints: Sequence[str], connections: int) -> None:
        self.context = zmq.Context()
        self.sockets = [(endpoints[number % len(endpoints)],
                         connected(self.context, endpoints[number % len(endpoints)]))
                        for number in range(connections)]
        self.sent = 0
        self.began = 0.0
        self.answers: Dict[int, Told] = {}
        self.asked: Dict[int, str] = {}

    def send(self, frame: bytearray, each: int) -> None:
        """Sends it that often on each connection."""
        self.began = time.monotonic()
        for _ in range(each):
            for endpoint, socket in self.sockets:
                self.sent += 1
                self.asked[self.sent] = endpoint
                socket.send(numbered(frame, self.sent), zmq.DONTWAIT)

    def collect(self, seconds: float, besides: Sequence[str] = ()) -> float:
        """Waits for the answers of all endpoints but these; how long they took since `send`."""
        deadline = time.monotonic() + seconds
        poller = zmq.Poller()
        for endpoint, socket in self.sockets:
            if endpoint not in besides:
                poller.register(socket, zmq.POLLIN)
        wanted = sum(endpoint not in besides for endpoint in self.asked.values())
        got = sum(self.asked[id] not in besides for id in self.answers)
        while got < wanted and time.monotonic() < deadline:
            for socket, _ in poller.poll(100):
                got += self._drain(socket)
        return time.monotonic() - self.began

    def _drain(self, socket: zmq.Socket) -> int:
        count = 0
        try:
            while True:
                answer = told(socket.recv(zmq.DONTWAIT))
                self.answers[answer.id] = answer
                count += 1
        except zmq.Again:
            return count

    def of(self, endpoints: Sequence[str]) -> List[Told]:
        """What was answered by these, or not at all."""
        return [self.answers.get(id, Told(id)) for id, endpoint in self.asked.items()
                if endpoint in endpoints]

    def close(self) -> None:
        """Closes all connections."""
        self.context.destroy(linger=0)


class Asked(NamedTuple):
    """A get that is in flight."""

    key: bytes
    endpoint: str
    sent: float


Hear = Callable[[Asked, Told], None]


class Load(threading.Thread):
    """Gets at a rate, whether they are answered or not, from one thread.

    `choose` gives the next key and where it is asked; `hear` is told each answer, or that there was
    none for `patience` seconds.
    """

    def __init__(self, rate: float, choose: Callable[[random.Random], Tuple[bytes, str]],
                 frames: Callable[[bytes], bytearray], hear: Hear, patience: float = 7.0,
                 seed: int = 1, keys: Optional[KeyPair] = None) -> None:
        super().__init__(daemon=True)
        self.rate, self.choose, self.frames, self.hear = rate, choose, frames, hear
        self.patience, self.keys = patience, keys
        self.random = random.Random(seed)
        self.stopping = threading.Event()
        self.context = zmq.Context()
        self.sockets: Dict[str, zmq.Socket] = {}
        self.poller = zmq.Poller()
        self.open: Dict[int, Asked] = {}
        self.order: Deque[Tuple[float, int]] = deque()
        self.sent = 0
        self.error: Optional[BaseException] = None

    def run(self) -> None:
        """Until it is told to stop, and everybody was answered."""
        try:
            began = time.monotonic()
            while not self.stopping.is_set():
                due = int((time.monotonic() - began) * self.rate)
                while self.sent < due:
                    self._send()
                self._receive(1)
            while self.open:
                self._receive(50)
        except BaseException as error:  # told by `end`
            self.error = error
        finally:
            self.context.destroy(linger=0)

    def _send(self) -> None:
        key, endpoint = self.choose(self.random)
        socket = self.sockets.get(endpoint)
        if socket is None:
            socket = self.sockets[endpoint] = connected(self.context, endpoint, self.keys)
            self.poller.register(socket, zmq.POLLIN)
        self.sent += 1
        now = time.monotonic()
        self.open[self.sent] = Asked(key, endpoint, now)
        self.order.append((now, self.sent))
        socket.send(numbered(self.frames(key), self.sent), zmq.DONTWAIT)

    def _receive(self, milliseconds: int) -> None:
        for socket, _ in self.poller.poll(milliseconds):
            for _ in range(200):
                try:
                    answer = told(socket.recv(zmq.DONTWAIT))
                except zmq.Again:
                    break
                asked = self.open.pop(answer.id, None)
                if asked is not None:
                    self.hear(asked, answer)
        late = time.monotonic() - self.patience
        while self.order and (self.order[0][0] < late or self.order[0][1] not in self.open):
            _, id = self.order.popleft()
            asked = self.open.pop(id, None)
            if asked is not None:
                self.hear(asked, Told(id))

    def end(self) -> None:
        """Sends no more, and waits for what is in flight."""
        self.stopping.set()
        self.join(self.patience + 10)
        if self.error is not None:
            raise self.error
        if self.is_alive():
            raise AssertionError("a load did not end")
