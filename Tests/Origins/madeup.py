"""An origin that is made up: a process of its own, told what to do line by line.

    madeup.py PORT      it listens on 127.0.0.1 and says "ready"

It answers `GET /NAMESPACE/KEY` with `KEY VERSION`, and with 304 where the asker holds that version.
Each line of standard input is one JSON object with any of

    delay       seconds that each answer takes
    limit       how many requests it bears at a time; one more is answered 503. 0: any
    mode        "ok" · "down": nobody is there · "broken": 500 · "busy": 503 · "silent"
    cut         how many of the next requests are cut after half of their delay
    version     the version of every key from now on
    fields      what its answers say besides, as HTTP fields
    size        bytes that its values have at least
    forget      true: begins to count anew

and is answered with "done" and what it has seen, as JSON. It ends with its standard input.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections import Counter
from typing import Dict, List, Optional, Set

HOST = "127.0.0.1"
PATHS_TOLD = 50


class Seen:
    """What was asked since the last forgetting."""

    def __init__(self) -> None:
        self.requests = 0
        self.refused = 0
        self.unchanged = 0
        self.most = 0
        """Requests at a time, at most, whose askers were there."""
        self.worked = 0
        """The same with those that had been given up by then: an origin goes on with them."""
        self.paths: Counter = Counter()
        self.nodes: Counter = Counter()
        self.order: List[str] = []
        """Who asked, as far as the first requests."""
        self.began = time.monotonic()

    def told(self) -> Dict[str, object]:
        """As JSON has it."""
        return {"requests": self.requests, "refused": self.refused, "most": self.most,
                "worked": self.worked,
                "unchanged": self.unchanged, "keys": len(self.paths),
                "paths": dict(self.paths.most_common(PATHS_TOLD)), "nodes": dict(self.nodes),
                "order": self.order}


class MadeUp:
    """What it answers, and how."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.server: Optional[asyncio.AbstractServer] = None
        self.writers: Set[asyncio.StreamWriter] = set()
        self.seen = Seen()
        self.readers: List[asyncio.StreamReader] = []
        """Where the requests of this moment came from."""
        self.delay, self.limit, self.mode, self.cut = 0.0, 0, "ok", 0
        self.version, self.size = 1, 0
        self.fields: Dict[str, str] = {}

    async def obey(self, order: Dict) -> None:
        """Takes over what an order says."""
        for name in ("delay", "limit", "mode", "cut", "version", "fields", "size"):
            setattr(self, name, order.get(name, getattr(self, name)))
        if order.get("forget"):
            self.seen = Seen()
        await (self.leave() if self.mode == "down" else self.listen())

    async def listen(self) -> None:
        """Takes connections."""
        if self.server is None:
            self.server = await asyncio.start_server(self.serve, HOST, self.port, backlog=1024)

    async def leave(self) -> None:
        """Nobody is there any more."""
        if self.server is not None:
            self.server.close()
            self.server = None
        for writer in self.writers:
            writer.transport.abort()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection, request after request."""
        self.writers.add(writer)
        try:
            while (head := await reader.readuntil(b"\r\n\r\n")):
                await self.answer(head, reader, writer)
        except (asyncio.IncompleteReadError, OSError):
            pass
        finally:
            self.writers.discard(writer)
            writer.transport.abort()

    async def answer(self, head: bytes, reader: asyncio.StreamReader,
                     writer: asyncio.StreamWriter) -> None:
        """One request."""
        line, *rest = head.decode("latin-1").rstrip("\r\n").split("\r\n")
        path = line.split(" ")[1]
        fields = {name.lower(): value.strip()
                  for name, _, value in (each.partition(":") for each in rest)}
        self.readers.append(reader)
        now = sum(not each.at_eof() for each in self.readers)
        try:
            seen = self.seen
            seen.requests += 1
            seen.most = max(seen.most, now)
            seen.worked = max(seen.worked, len(self.readers))
            seen.paths[path] += 1
            node = fields.get("x-node", "")
            seen.nodes[node] += 1
            if len(seen.order) < PATHS_TOLD:
                seen.order.append(node)
            if self.limit and now > self.limit:
                seen.refused += 1
                return await self.send(writer, "503 Service Unavailable", {}, b"too many")
            if self.cut > 0:
                self.cut -= 1
                await asyncio.sleep(self.delay / 2)
                writer.transport.abort()
                return
            if self.delay:
                await asyncio.sleep(self.delay)
            await self.reply(path, fields, writer)
        finally:
            self.readers.remove(reader)

    async def reply(self, path: str, fields: Dict[str, str],
                    writer: asyncio.StreamWriter) -> None:
        """What it says in the end."""
        if self.mode == "silent":
            await asyncio.sleep(3_600)
        if self.mode == "broken":
            return await self.send(writer, "500 Internal Server Error", {}, b"")
        if self.mode == "busy":
            return await self.send(writer, "503 Service Unavailable", {}, b"")
        etag = f'"{self.version}"'
        told = {"ETag": etag, **self.fields}
        if fields.get("if-none-match") == etag:
            self.seen.unchanged += 1
            return await self.send(writer, "304 Not Modified", told, None)
        value = f"{path.rsplit('/', 1)[-1]} {self.version}".encode()
        await self.send(writer, "200 OK", told, value.ljust(self.size, b"."))

    async def send(self, writer: asyncio.StreamWriter, status: str, fields: Dict[str, str],
                   body: Optional[bytes]) -> None:
        """An answer; without a body where the status has none."""
        lines = [f"HTTP/1.1 {status}", *(f"{name}: {value}" for name, value in fields.items())]
        if body is not None:
            lines.append(f"Content-Length: {len(body)}")
        writer.write("\r\n".join([*lines, "", ""]).encode("latin-1") + (body or b""))
        await writer.drain()


async def main(port: int) -> None:
    """Listens, says so, and obeys until standard input ends."""
    origin = MadeUp(port)
    await origin.listen()
    orders = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(orders), sys.stdin)
    print("ready", flush=True)
    while line := await orders.readline():
        await origin.obey(json.loads(line))
        print("done " + json.dumps(origin.seen.told()), flush=True)


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))
