"""A TCP proxy whose links can be made worse: a process of its own, told what to do line by line.

    proxy.py HOST LISTEN:TARGET …   it listens on ports of HOST; a TARGET is PORT or HOST:PORT.
                                    It says "ready" once it listens on all

Each line of standard input is one JSON object, `{"link": PORT, …}` with any of

    up, down        "pass", or "hold": what comes is neither read on nor answered (half-open)
    refuse          whether new connections are closed at once, and those that stand are cut
    cut             true: cuts the connections that stand, once
    delay           [least, most] seconds that each piece is late; the order stays
    late_accept     seconds that a new connection waits at most before it is carried through, so
                    that connections are made in another order than they were asked for
    overtake        seconds that a new connection waits at most until a newer one is through: who
                    came first is served last. Of three, one waits, one loses its maker meanwhile,
                    who makes another, and one does not wait
    stale           seconds, once: those who connected lose their connections and make others; only
                    when a newer one is through, at most so long after, the other end reads what
                    the old ones said last
    lose            [up, down]: which share of the messages of each direction never arrives
    rate            bytes per second and direction; 0: as fast as it goes

and is answered with "done" and what has happened on this link, as JSON. It ends with its standard
input.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
from collections import Counter
from typing import Dict, List, Optional, Set, Tuple

from messages import Messages

PIECE = 64 << 10
QUEUE = 64
GATHERING = (0.05, 0.3)
"""Seconds in which an old connection says what will be read late."""
NEWER_MAX = 5.0
"""Nobody waits longer for a newer connection: there may never be one."""
READING = 0.1
"""Seconds that the other end is given to read the last of a connection before its end."""


class Link:
    """One listening port, the port behind it, and how bad the way between them is."""

    def __init__(self, target: Tuple[str, int]) -> None:
        self.target = target
        self.passing = {"up": asyncio.Event(), "down": asyncio.Event()}
        for event in self.passing.values():
            event.set()
        self.refuse = False
        self.delay: Tuple[float, float] = (0.0, 0.0)
        self.late_accept = 0.0
        self.overtake = 0.0
        self.lose = (0.0, 0.0)
        self.rate = 0
        self.connections: Set[Connection] = set()
        self.newest = 0
        self.through: asyncio.Condition = asyncio.Condition()
        self.newest_through = 0
        self.seen: Counter = Counter()

    def obey(self, order: Dict) -> None:
        """Takes over what an order says."""
        for way, event in self.passing.items():
            if way in order:
                (event.set if order[way] == "pass" else event.clear)()
        self.refuse = order.get("refuse", self.refuse)
        self.delay = tuple(order.get("delay", self.delay))
        self.late_accept = order.get("late_accept", self.late_accept)
        self.overtake = order.get("overtake", self.overtake)
        self.lose = tuple(order.get("lose", self.lose))
        self.rate = order.get("rate", self.rate)
        standing = [each for each in self.connections if each.late is None]
        for connection in standing:
            if self.refuse or order.get("cut"):
                connection.cut()
            elif "stale" in order:
                connection.outlive(order["stale"])

    async def carry(self, near: asyncio.StreamReader, back: asyncio.StreamWriter) -> None:
        """One connection, from its acceptance to its end."""
        if self.refuse:
            back.transport.abort()
            return
        self.newest += 1
        connection = Connection(self, self.newest, back)
        self.connections.add(connection)
        try:
            await connection.run(near)
        except OSError:
            pass
        finally:
            self.connections.discard(connection)
            connection.cut()

    async def wait_passed(self, number: int, seconds: float, name: str) -> None:
        """Until a connection newer than this one is through, which is counted under this name, or
        that time is over."""
        async with self.through:
            newer = self.through.wait_for(lambda: self.newest_through > number)
            try:
                await asyncio.wait_for(newer, seconds)
            except asyncio.TimeoutError:
                return
        self.seen[name] += 1

    async def let_through(self, number: int) -> None:
        """A first message of this connection was carried."""
        async with self.through:
            self.newest_through = max(self.newest_through, number)
            self.through.notify_all()


class Connection:
    """Two streams and what is carried between them."""

    def __init__(self, link: Link, number: int, back: asyncio.StreamWriter) -> None:
        self.link, self.number, self.back = link, number, back
        self.forth: Optional[asyncio.StreamWriter] = None
        self.late: Optional[asyncio.Event] = None
        self.is_through = False
        self.outliving: Optional[asyncio.Future] = None

    def cut(self) -> None:
        """Ends it at once, with a reset."""
        for writer in (self.back, self.forth):
            if writer is not None:
                writer.transport.abort()

    async def run(self, near: asyncio.StreamReader) -> None:
        """Connects to the target, and carries until one side ends."""
        link = self.link
        if link.late_accept:
            await asyncio.sleep(random.uniform(0, link.late_accept))
        if link.overtake:
            await self._be_overtaken(link.overtake)
        far, self.forth = await asyncio.open_connection(*link.target)
        up = asyncio.ensure_future(self.pump(near, self.forth, "up"))
        down = asyncio.ensure_future(self.pump(far, self.back, "down"))
        await asyncio.wait([up, down], return_when=asyncio.FIRST_COMPLETED)
        if self.late is not None:
            await up
            await asyncio.sleep(READING)
        for task in (up, down):
            task.cancel()
        await asyncio.gather(up, down, return_exceptions=True)

    async def _be_overtaken(self, most: float) -> None:
        dice = random.randrange(3)
        if dice == 0:
            return
        if dice == 1:
            self.back.transport.abort()
            most = NEWER_MAX
        await self.link.wait_passed(self.number, most, "overtaken")

    def outlive(self, most: float) -> None:
        """Has its own end be late: who made it is gone, and what it said is still to be read."""
        self.late = asyncio.Event()
        self.outliving = asyncio.ensure_future(self._be_late(self.late, most))

    async def _be_late(self, late: asyncio.Event, most: float) -> None:
        await asyncio.sleep(random.uniform(*GATHERING))
        self.back.transport.abort()
        await self.link.wait_passed(self.number, NEWER_MAX, "outlived")
        await asyncio.sleep(random.uniform(0, most))
        late.set()

    async def pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter,
                   way: str) -> None:
        """One direction, each piece as late as the link says."""
        queue: asyncio.Queue = asyncio.Queue(QUEUE)
        reading = asyncio.ensure_future(self.read(reader, queue, way))
        loop = asyncio.get_running_loop()
        messages = Messages()
        try:
            while True:
                due, piece = await queue.get()
                if due > loop.time():
                    await asyncio.sleep(due - loop.time())
                await self.link.passing[way].wait()
                if self.late is not None and way == "up":
                    await self.late.wait()
                if not piece:
                    return
                await self.write(writer, piece, way, messages)
        except OSError:
            pass
        finally:
            self.link.seen["lost"] += messages.lost
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)

    async def read(self, reader: asyncio.StreamReader, queue: asyncio.Queue, way: str) -> None:
        """Takes what comes, no faster than the link allows."""
        loop = asyncio.get_running_loop()
        while True:
            await self.link.passing[way].wait()
            rate = self.link.rate
            try:
                piece = await reader.read(min(PIECE, max(512, rate // 20)) if rate else PIECE)
            except OSError:
                piece = b""
            await queue.put((loop.time() + random.uniform(*self.link.delay), piece))
            if not piece:
                return
            if rate:
                await asyncio.sleep(len(piece) / rate)

    async def write(self, writer: asyncio.StreamWriter, piece: bytes, way: str,
                    messages: Messages) -> None:
        """Carries a piece on, without the messages that get lost."""
        if self.late is not None and way == "down":
            return
        before = messages.carried
        writer.write(messages.feed(piece, self.link.lose[way == "down"]))
        await writer.drain()
        if self.late is not None:
            self.link.seen["late messages"] += messages.carried - before
        elif messages.carried and not self.is_through:
            self.is_through = True
            await self.link.let_through(self.number)


async def main(host: str, arguments: List[str]) -> None:
    """Listens, says so, and obeys until standard input ends."""
    links: Dict[int, Link] = {}
    for argument in arguments:
        port, *target_host, target = argument.split(":")
        links[int(port)] = Link((target_host[0] if target_host else host, int(target)))
        await asyncio.start_server(links[int(port)].carry, host, int(port), backlog=256)
    orders = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(orders), sys.stdin)
    print("ready", flush=True)
    while line := await orders.readline():
        order = json.loads(line)
        link = links[order["link"]]
        link.obey(order)
        print("done " + json.dumps(link.seen), flush=True)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2:]))
