"""A TCP proxy whose links can be made worse: a process of its own, told what to do line by line.

    proxy.py LISTEN:TARGET …        ports on loopback; it says "ready" once it listens on all

Each line of standard input is one JSON object, `{"link": PORT, …}` with any of

    up, down        "pass", or "hold": what comes is neither read on nor answered (half-open)
    refuse          whether new connections are closed at once, and those that stand are cut
    cut             true: cuts the connections that stand, once
    delay           [least, most] seconds that each piece is late; the order stays
    late_accept     seconds that a new connection waits at most before it is carried through, so
                    that connections are made in another order than they were asked for
    rate            bytes per second and direction; 0: as fast as it goes

and is answered with "done". It ends with its standard input.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
from typing import Dict, List, Set, Tuple

PIECE = 64 << 10
QUEUE = 64


class Link:
    """One listening port, the port behind it, and how bad the way between them is."""

    def __init__(self, port: int, target: int) -> None:
        self.port, self.target = port, target
        self.passing = {"up": asyncio.Event(), "down": asyncio.Event()}
        for event in self.passing.values():
            event.set()
        self.refuse = False
        self.delay: Tuple[float, float] = (0.0, 0.0)
        self.late_accept = 0.0
        self.rate = 0
        self.writers: Set[asyncio.StreamWriter] = set()

    def obey(self, order: Dict) -> None:
        """Takes over what an order says."""
        for way, event in self.passing.items():
            if way in order:
                (event.set if order[way] == "pass" else event.clear)()
        self.refuse = order.get("refuse", self.refuse)
        self.delay = tuple(order.get("delay", self.delay))
        self.late_accept = order.get("late_accept", self.late_accept)
        self.rate = order.get("rate", self.rate)
        if self.refuse or order.get("cut"):
            self.cut()

    def cut(self) -> None:
        """Ends every connection at once, with a reset."""
        for writer in list(self.writers):
            writer.transport.abort()

    async def carry(self, near: asyncio.StreamReader, back: asyncio.StreamWriter) -> None:
        """One connection, from its acceptance to its end."""
        if self.refuse:
            back.transport.abort()
            return
        self.writers.add(back)
        forth = None
        try:
            if self.late_accept:
                await asyncio.sleep(random.uniform(0, self.late_accept))
            far, forth = await asyncio.open_connection("127.0.0.1", self.target)
            self.writers.add(forth)
            ways = [self.pump(near, forth, "up"), self.pump(far, back, "down")]
            tasks = [asyncio.ensure_future(way) for way in ways]
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        except OSError:
            pass
        finally:
            for writer in (back, forth):
                if writer is not None:
                    self.writers.discard(writer)
                    writer.transport.abort()

    async def pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter,
                   way: str) -> None:
        """One direction of a connection, each piece as late as the link says."""
        queue: asyncio.Queue = asyncio.Queue(QUEUE)
        loop = asyncio.get_running_loop()

        async def read() -> None:
            while True:
                await self.passing[way].wait()
                piece = await reader.read(min(PIECE, max(512, self.rate // 20)) if self.rate
                                          else PIECE)
                await queue.put((loop.time() + random.uniform(*self.delay), piece))
                if not piece:
                    return
                if self.rate:
                    await asyncio.sleep(len(piece) / self.rate)

        reading = asyncio.ensure_future(read())
        try:
            while True:
                due, piece = await queue.get()
                if due > loop.time():
                    await asyncio.sleep(due - loop.time())
                await self.passing[way].wait()
                if not piece:
                    return
                writer.write(piece)
                await writer.drain()
        except OSError:
            pass
        finally:
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)


async def main(arguments: List[str]) -> None:
    """Listens, says so, and obeys until standard input ends."""
    links: Dict[int, Link] = {}
    for argument in arguments:
        port, target = (int(word) for word in argument.split(":"))
        links[port] = Link(port, target)
        await asyncio.start_server(links[port].carry, "127.0.0.1", port, backlog=256)
    orders = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(orders), sys.stdin)
    print("ready", flush=True)
    while line := await orders.readline():
        order = json.loads(line)
        links[order["link"]].obey(order)
        print("done", flush=True)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
