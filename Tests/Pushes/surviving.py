"""Processes that die, and readers that do not read."""

from __future__ import annotations

import asyncio
import json
import os
import socket as sockets
import time
from typing import List, Optional

import httpx
import websockets
from hearing import PATIENCE, closed, events, hear, hear_kind, sequence
from world import World


class _Follower:
    """Comes back with its last position, whatever happens, and writes down what it is told."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.place: Optional[str] = None
        self.told: List[str] = []
        self.kinds: List[str] = []

    async def follow(self) -> None:
        while True:
            try:
                async with websockets.connect(self.world.stream()) as socket:
                    ask = {"everything": True, **({"after": self.place} if self.place else {})}
                    await socket.send(json.dumps(ask))
                    async for text in socket:
                        self.take(json.loads(text))
            except (OSError, websockets.WebSocketException):
                await asyncio.sleep(0.05)

    def take(self, message: dict) -> None:
        self.kinds.append(message["type"])
        if message["type"] == "record":
            self.told.append(message["position"])
        if message["type"] != "end" and message["position"] is not None:
            self.place = message["position"]

    async def until(self, position: str) -> None:
        end = time.monotonic() + PATIENCE
        while position not in self.told:
            assert time.monotonic() < end, (position, self.told[-3:], self.kinds[-5:])
            await asyncio.sleep(0.02)


async def _started(world: World) -> "tuple[_Follower, asyncio.Task]":
    follower = _Follower(world)
    task = asyncio.create_task(follower.follow())
    end = time.monotonic() + PATIENCE
    while follower.place is None:
        assert time.monotonic() < end
        await asyncio.sleep(0.02)
    return follower, task


async def a_gateway_that_is_killed_loses_nobodys_place(program: str) -> None:
    with World(program) as world:
        follower, task = await _started(world)
        wanted: List[str] = []
        for turn in range(3):
            for each in range(20):
                wanted.append(
                    await asyncio.to_thread(world.invalidate, keys=[f"{turn}.{each}"]))
            world.kill("gateway")
            await asyncio.to_thread(world.start_gateway)
            # Told by another way while the follower may not be back yet.
            wanted.append(await asyncio.to_thread(world.invalidate, keys=[f"{turn}"]))
        await follower.until(wanted[-1])
        task.cancel()
        assert follower.told == wanted, (follower.told, wanted)
        assert "gone" not in follower.kinds


async def a_publisher_that_is_killed_is_said_to_be_away(program: str) -> None:
    with World(program) as world:
        async with websockets.connect(world.stream("?everything")) as socket:
            await hear(socket)
            first = world.invalidate(keys=["a"])
            assert (await hear(socket))["position"] == first
            world.kill("publisher")
            while True:
                beat = await hear_kind(socket, "heartbeat")
                if beat["publisher"] == "away":
                    break
            assert beat["silent_ms"] >= 3_000 and beat["position"] == first, beat
            world.start_publisher()
            second = await asyncio.to_thread(world.invalidate, keys=["b"])
            record = await hear(socket)
            assert record["type"] == "record" and record["position"] == second, record
            # In two records it says who the members are.
            assert 1 <= sequence(second) - sequence(first) <= 3, (first, second)


async def another_epoch_is_told_as_gone(program: str) -> None:
    with World(program) as world:
        async with websockets.connect(world.stream("?everything")) as socket:
            await hear(socket)
            first = world.invalidate(keys=["a"])
            assert (await hear(socket))["position"] == first
            world.kill("publisher")
            world.start_publisher("--new-epoch")
            gone = await hear(socket)
            assert gone["type"] == "gone" and gone["after"] == first, gone
            second = await asyncio.to_thread(world.invalidate, keys=["b"])
            assert (await hear(socket))["position"] == second
        async with websockets.connect(world.stream(f"?everything&after={first}")) as socket:
            kinds = [(await hear(socket))["type"] for _ in range(2)]
            assert kinds == ["hello", "gone"], kinds


async def a_slow_reader_is_cut_and_misses_nothing(program: str) -> None:
    with World(program) as world:
        small = sockets.socket()
        small.setsockopt(sockets.SOL_SOCKET, sockets.SO_RCVBUF, 4_096)
        small.connect(("127.0.0.1", world.port))
        wanted: List[str] = []
        async with websockets.connect(
            world.stream("?everything"), sock=small, max_queue=1) as socket:
            await hear(socket)
            keys = [f"{number}." + "k" * 1_000 for number in range(40)]
            for _ in range(40):
                wanted.append(await asyncio.to_thread(world.invalidate, keys=keys))
                # Who is cut has two seconds to read why.
                if await asyncio.to_thread(
                        world.figure, "martlet_gateway_push_cut_subscribers_total"):
                    break
            messages, code, _ = await closed(socket)
        assert code == 4008, code
        assert messages[-1]["type"] == "end" and messages[-1]["code"] == "slow", messages[-1]
        told = [each["position"] for each in messages if each["type"] == "record"]
        assert 0 < len(told) < len(wanted) and told == wanted[:len(told)], told
        wanted.append(await asyncio.to_thread(world.invalidate, keys=keys))
        async with websockets.connect(world.stream(f"?everything&after={told[-1]}")) as socket:
            while told[-1] != wanted[-1]:
                message = await hear(socket)
                if message["type"] == "record":
                    told.append(message["position"])
        assert told == wanted, told


async def a_gateway_that_stops_says_so(program: str) -> None:
    with World(program) as world:
        async with websockets.connect(world.stream("?everything")) as socket:
            await hear(socket)
            async with httpx.AsyncClient() as client:
                stream = events(client, f"{world.url}/v1/stream?everything")
                await anext(stream)
                await anext(stream)
                exit_code = asyncio.create_task(asyncio.to_thread(world.ask_to_stop, "gateway"))
                messages, code, _ = await closed(socket)
                assert code == 1012 and messages[-1]["code"] == "stopping", messages
                heard = [each async for each in stream]
                assert heard[-1]["event"] == "end" and "id" not in heard[-1], heard
                assert await exit_code == 0


async def a_reader_that_leaves_is_forgotten(program: str) -> None:
    with World(program) as world:
        for _ in range(200):
            async with websockets.connect(world.stream("?everything")) as socket:
                await hear(socket)
        sample = f"/proc/{world.gateway.pid}/fd"
        end = time.monotonic() + PATIENCE
        while len(os.listdir(sample)) > 60:
            assert time.monotonic() < end, len(os.listdir(sample))
            await asyncio.sleep(0.05)
