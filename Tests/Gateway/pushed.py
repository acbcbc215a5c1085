"""The stream through nginx: as events and over a WebSocket, across reloads and deaths."""

from __future__ import annotations

import contextlib
import json
import ssl
import threading
import time
from typing import Callable, Dict, Iterator, List, Optional

import httpx
from websockets.exceptions import WebSocketException
from websockets.sync.client import connect

from front import Front, fronted
from wire import tls_context
from process_tools import wait_until
from world import World

PROMPT = 1.5
"""Seconds within which a record is with whoever reads through nginx."""


@contextlib.contextmanager
def _stand(program: str) -> Iterator["tuple[World, Front]"]:
    with World(program) as world:
        world.gateway()
        with Front(world) as front:
            yield world, front
            world.check()


def _invalidate(world: World, *keys: str) -> str:
    """The position of the record."""
    end = time.monotonic() + 20
    while True:
        with contextlib.suppress(httpx.TransportError):
            answer = httpx.post(f"{world.url()}/v1/invalidate",
                                json={"keys": list(keys), "wait": "none"}, timeout=20.0)
            if answer.status_code in (200, 202):
                return answer.json()["position"]
        assert time.monotonic() < end, "nothing could be invalidated"
        time.sleep(0.05)


class _Reader:
    """Comes back with its last position whatever happens, and writes down what it is told."""

    def __init__(self, name: str, once: Callable[["_Reader"], None]) -> None:
        self.name = name
        self.place: Optional[str] = None
        self.told: List[str] = []
        self.kinds: List[str] = []
        self.is_over = threading.Event()
        self._once = once
        self.thread = threading.Thread(target=self._follow, daemon=True)
        self.thread.start()

    def _follow(self) -> None:
        while not self.is_over.is_set():
            try:
                self._once(self)
            except (OSError, httpx.HTTPError, WebSocketException):
                time.sleep(0.05)

    def take(self, message: Dict[str, object]) -> bool:
        """- Returns: whether more is wanted."""
        self.kinds.append(str(message["type"]))
        if message["type"] == "record":
            self.told.append(str(message["position"]))
        if message["type"] != "end" and message["position"] is not None:
            self.place = str(message["position"])
        return not self.is_over.is_set()

    def until(self, position: str, patience: float = 20.0) -> None:
        """Waits until it was told that."""
        wait_until(f"{self.name} is told {position}, it has {self.told[-3:]} {self.kinds[-5:]}",
                   lambda: position in self.told, patience)


def _events(front: Front, server: str) -> Callable[[_Reader], None]:
    def once(reader: _Reader) -> None:
        headers = {"Host": "localhost", "Accept": "text/event-stream"}
        if reader.place:
            headers["Last-Event-ID"] = reader.place
        with httpx.Client(verify=False, http2=True, timeout=20.0) as client:
            url = f"{front.url(server)}/v1/stream?everything"
            with client.stream("GET", url, headers=headers) as answer:
                for line in answer.iter_lines():
                    if line.startswith("data: ") and not reader.take(json.loads(line[6:])):
                        return
    return once


def _frames(front: Front, server: str) -> Callable[[_Reader], None]:
    def once(reader: _Reader) -> None:
        after = f"&after={reader.place}" if reader.place else ""
        context: Optional[ssl.SSLContext] = tls_context() if server == "tls" else None
        scheme = "wss" if server == "tls" else "ws"
        url = f"{scheme}://localhost:{front.ports[server]}/v1/stream?everything{after}"
        with connect(url, ssl=context, open_timeout=20.0) as socket:
            for text in socket:
                if not reader.take(json.loads(text)):
                    return
    return once


def _readers(front: Front, *servers: str) -> List[_Reader]:
    readers = [_Reader(f"{kind.__name__.strip('_')} through {server}", kind(front, server))
               for server in servers for kind in (_events, _frames)]
    for each in readers:
        wait_until(f"{each.name} has a place, after {each.kinds}", lambda: each.place is not None)
    return readers


def the_stream_goes_through(program: str) -> str:
    """Each record at once, also where nginx buffers answers, and over HTTP/2."""
    with fronted(program) as (world, front):
        readers = _readers(front, "plain", "unbuffered", "tls", "cache")
        readers.append(_Reader("events through HTTP/1.0", _events(front, "old")))
        slowest = 0.0
        for number in range(20):
            began = time.monotonic()
            position = _invalidate(world, f"k{number}")
            for each in readers:
                each.until(position, PROMPT)
            slowest = max(slowest, time.monotonic() - began)
        for each in readers:
            each.is_over.set()
        return f"{len(readers)} readers, the slowest record {1_000 * slowest:.0f} ms"


def a_place_outlives_reloads_and_deaths(program: str) -> str:
    """Each record once and in order, while nginx is reloaded and the gateway is killed."""
    with _stand(program) as (world, front):
        readers = _readers(front, "plain", "tls")
        wanted: List[str] = []
        for turn in range(3):
            for each in range(10):
                wanted.append(_invalidate(world, f"{turn}.{each}"))
            if turn == 1:
                world.kill("gateway")
                world.again("gateway")
                wanted.append(_invalidate(world, f"{turn}"))
            else:
                # Old workers go on with the connections they have: those are ended, too.
                old = front.workers()
                front.reload()
                wanted.append(_invalidate(world, f"{turn}"))
                front.stop_old(old)
        for each in readers:
            each.until(wanted[-1])
            each.is_over.set()
            assert each.told == wanted, (each.name, each.told, wanted)
            assert "gone" not in each.kinds
        return f"{len(wanted)} records to {len(readers)} readers"
