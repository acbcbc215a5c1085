"""Thousands of subscribers: how late they hear, what they cost, and a reconnection of all at once.

What is printed is measured with readers in this process, which share the processors with the
gateway: a slower reader makes a gateway look slower than it is, never faster.
"""

from __future__ import annotations

import asyncio
import json
import os
import resource
import time
from pathlib import Path
from typing import Dict, List, Optional, Tuple

import httpx
import websockets
from light import LightReader
from world import World

SUBSCRIBERS = int(os.environ.get("MARTLET_PUSHES_SUBSCRIBERS", "5000"))
PER_RECORD = 50
EVERYTHING = 500
RATE = 100
SECONDS = float(os.environ.get("MARTLET_PUSHES_SECONDS", "10"))
LATE_MAX = 0.050
BYTES_MAX = 24 << 10
RECONNECT_MAX = 10.0


def _resident(pid: int) -> int:
    text = Path(f"/proc/{pid}/status").read_text()
    return int(text.split("VmRSS:")[1].split()[0]) << 10


class _Reader:
    """A subscriber that notes how late it hears, and every position that it is told."""

    def __init__(self, world: World, ask: Dict[str, object]) -> None:
        self.world, self.ask = world, ask
        self.place: Optional[str] = None
        self.told: List[str] = []
        self.late: List[float] = []
        self.gone = 0
        self.socket: Optional[websockets.ClientConnection] = None

    async def open(self) -> None:
        self.socket = await websockets.connect(
            self.world.stream(), compression=None, ping_interval=None, open_timeout=60)
        ask = {**self.ask, **({"after": self.place} if self.place else {})}
        await self.socket.send(json.dumps(ask))
        hello = json.loads(await self.socket.recv())
        assert hello["type"] == "hello", hello
        self.take(hello)

    async def follow(self) -> None:
        try:
            async for text in self.socket:
                self.take(json.loads(text))
        except websockets.WebSocketException:
            pass

    def take(self, message: dict) -> None:
        if message["type"] == "record":
            self.told.append(message["position"])
            sent = int(message["scopes"][0]["name"].split(":")[2])
            self.late.append((time.monotonic_ns() - sent) / 1e9)
        if message["type"] == "gone":
            self.gone += 1
        if message["type"] != "end" and message["position"] is not None:
            self.place = message["position"]


async def _open(readers: List[_Reader]) -> None:
    """A few hundred at a time: what is asked for is not how fast this process connects."""
    gate = asyncio.Semaphore(200)

    async def one(reader: _Reader) -> None:
        async with gate:
            await reader.open()

    await asyncio.gather(*map(one, readers))


async def _publish(world: World, groups: int, count: int) -> Dict[int, List[str]]:
    """So many records at the rate, each for one group; the positions of each group's."""
    positions: Dict[int, List[str]] = {group: [] for group in range(groups)}
    start = time.monotonic()
    async with httpx.AsyncClient(timeout=60) as client:
        for number in range(count):
            await asyncio.sleep(max(0.0, start + number / RATE - time.monotonic()))
            group = number % groups
            body = {"wait": "none", "keys": [f"u:{group}:{time.monotonic_ns()}"]}
            answer = await client.post(f"{world.url}/v1/invalidate", json=body)
            positions[group].append(answer.json()["position"])
    return positions


def _room_for(count: int) -> None:
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(4 * count, 8_192)), hard))


def _report(name: str, late: List[float], bytes_each: float) -> None:
    late.sort()
    p50, p99 = late[len(late) // 2], late[int(len(late) * 0.99)]
    print(f"    {name}: {len(late)} messages, p50 {p50 * 1e3:.1f} ms, p99 {p99 * 1e3:.1f} ms, "
          f"max {late[-1] * 1e3:.1f} ms, {bytes_each / 1024:.1f} KiB each")


async def _settled(readers: List[_Reader], wanted: int) -> None:
    end = time.monotonic() + 60
    while sum(len(each.told) for each in readers) < wanted and time.monotonic() < end:
        await asyncio.sleep(0.05)


async def many_hear_in_time_and_all_come_back_at_once(program: str) -> None:
    _room_for(SUBSCRIBERS)
    with World(program) as world:
        groups = SUBSCRIBERS // PER_RECORD
        readers = [
            _Reader(world, {"prefixes": [f"u:{number % groups}:"]})
            for number in range(SUBSCRIBERS)]
        before = _resident(world.gateway.pid)
        await _open(readers)
        tasks = [asyncio.create_task(each.follow()) for each in readers]
        positions = await _publish(world, groups, int(RATE * SECONDS))
        wanted = sum(len(each) for each in positions.values()) * PER_RECORD
        await _settled(readers, wanted)
        each = (_resident(world.gateway.pid) - before) / SUBSCRIBERS
        late = [one for reader in readers for one in reader.late]
        _report(f"{SUBSCRIBERS} subscribers", late, each)

        # All gone at once, as behind a proxy that restarts; they miss a second of records.
        for reader in readers:
            reader.socket.transport.abort()
        await asyncio.gather(*tasks)
        missed = await _publish(world, groups, RATE)
        start = time.monotonic()
        await _open(readers)
        tasks = [asyncio.create_task(reader.follow()) for reader in readers]
        wanted += sum(len(each) for each in missed.values()) * PER_RECORD
        await _settled(readers, wanted)
        took = time.monotonic() - start
        print(f"    all {SUBSCRIBERS} were back and told after {took:.1f} s")
        for number, reader in enumerate(readers):
            group = number % groups
            assert reader.told == positions[group] + missed[group], (number, reader.told)
            assert reader.gone == 0
        for task in tasks:
            task.cancel()
        assert each <= BYTES_MAX, f"{each} bytes each"
        assert took <= RECONNECT_MAX, f"{took} s"
        assert sorted(late)[int(len(late) * 0.99)] <= LATE_MAX


async def some_hear_everything(program: str) -> None:
    """What a gateway takes for the records that it keeps, it takes for one subscriber as for all:
    a subscriber takes what 500 take more than one."""
    _room_for(EVERYTHING)
    alone, _ = await _everything(program, 1)
    grown, late = await _everything(program, EVERYTHING)
    each = (grown - alone) / (EVERYTHING - 1)
    _report(f"{EVERYTHING} to everything", late, each)
    print(f"    {grown / EVERYTHING / 1024:.1f} KiB each with the {alone >> 10} KiB of one alone")
    assert each <= BYTES_MAX, f"{each} bytes each"
    assert sorted(late)[int(len(late) * 0.99)] <= LATE_MAX


async def _everything(program: str, count: int) -> Tuple[int, List[float]]:
    """How much a gateway grows for so many that hear every record, and how late they hear."""
    with World(program) as world:
        before = _resident(world.gateway.pid)
        readers = [await LightReader.opened(world, {"everything": True}) for _ in range(count)]
        positions = await _publish(world, 1, int(RATE * SECONDS))
        await _settled(readers, len(positions[0]) * count)
        grown = _resident(world.gateway.pid) - before
        for reader in readers:
            reader.transport.abort()
            assert reader.told == positions[0]
        return grown, [one for reader in readers for one in reader.late]
