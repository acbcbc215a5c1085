"""Who asks for what, and comes back."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess

import httpx
import websockets
from hearing import PATIENCE, closed, events, hear, hear_kind, place
from world import World


async def a_websocket_is_told_what_it_asked_for(program: str) -> None:
    with World(program) as world:
        async with websockets.connect(world.stream()) as socket:
            await socket.send(json.dumps({"namespace": "n", "keys": ["a"], "tags": ["t"]}))
            assert (await hear(socket))["type"] == "hello"
            world.invalidate(namespace="n", keys=["b"])
            first = world.invalidate(namespace="n", keys=["a", "b"])
            second = world.invalidate(namespace="n", tags=["t"])
            record = await hear(socket)
            assert record == {
                "type": "record", "position": first, "strength": "hard",
                "scopes": [{"kind": "key", "name": "a", "namespace": "n"}]}, record
            record = await hear(socket)
            assert record["position"] == second, record
            beat = await hear_kind(socket, "heartbeat")
            assert beat["position"] == beat["head"] == second and beat["publisher"] == "here", beat
            await (await socket.ping())


async def a_url_says_what_is_asked_for(program: str) -> None:
    with World(program) as world:
        async with websockets.connect(world.stream("?prefix=n/p%3A&key=q")) as socket:
            assert (await hear(socket))["type"] == "hello"
            world.invalidate(namespace="n", keys=["x"])
            first = world.invalidate(namespace="n", keys=["p:1"])
            second = world.invalidate(keys=["q"])
            third = world.invalidate(everything=True)
            heard = [(await hear(socket))["position"] for _ in range(3)]
            assert heard == [first, second, third], heard


async def events_are_told_the_same(program: str) -> None:
    with World(program) as world:
        async with httpx.AsyncClient() as client:
            stream = events(client, f"{world.url}/v1/stream?namespace=n")
            assert (await anext(stream)) == {"retry": "1000"}
            assert (await anext(stream))["event"] == "hello"
            first = world.invalidate(namespace="n", keys=["a\nb"])
            event = await anext(stream)
            assert place(event["id"]) == first and event["event"] == "record", event
            assert json.loads(event["data"])["scopes"][0]["name"] == "a\nb", event
            await stream.aclose()
            second = world.invalidate(namespace="n", tags=["t"])
            again = events(client, f"{world.url}/v1/stream?namespace=n", last=event["id"])
            kinds = [await anext(again) for _ in range(3)]
            # The gateway may have learnt the cluster meanwhile.
            assert [place(kind["id"]) for kind in kinds[1:]] == [first, second], kinds
            await again.aclose()


async def curl_hears_events(program: str) -> None:
    with World(program) as world:
        position = world.invalidate(keys=["a"])
        epoch = position.split(":")[0]
        # It says at the end of its time that it was cut short.
        heard = subprocess.run(
            ["curl", "-sN", "--max-time", "2", "-H", f"Last-Event-ID: {epoch}:0",
             f"{world.url}/v1/stream?everything"], capture_output=True, text=True)
        assert heard.returncode == 28, heard
        told = rf"id: {position}(@[0-9a-f]{{16}})?\nevent: record\ndata: {{"
        assert re.search(told, heard.stdout), heard.stdout


async def who_comes_back_hears_what_it_missed_once(program: str) -> None:
    with World(program) as world:
        place = None
        told = []
        wanted = []
        for turn in range(5):
            message = {"everything": True, **({"after": place} if place else {})}
            async with websockets.connect(world.stream()) as socket:
                await socket.send(json.dumps(message))
                await hear(socket)
                wanted += [world.invalidate(keys=[f"{turn}.{each}"]) for each in range(3)]
                while not told or told[-1] != wanted[-1]:
                    told.append((await hear(socket))["position"])
                place = told[-1]
            wanted += [world.invalidate(keys=[f"away {turn}.{each}"]) for each in range(3)]
        async with websockets.connect(world.stream(f"?everything&after={place}")) as socket:
            await hear(socket)
            while told[-1] != wanted[-1]:
                told.append((await hear(socket))["position"])
        assert told == wanted, (told, wanted)


async def a_place_of_a_log_that_is_no_more_is_gone(program: str) -> None:
    with World(program) as world:
        position = world.invalidate(keys=["a"])
        epoch, number = position.split(":")
        for place in (f"{int(epoch) - 1}:5", f"{epoch}:{int(number) + 1000}", "4000000000:1"):
            async with websockets.connect(world.stream(f"?everything&after={place}")) as socket:
                assert (await hear(socket))["position"] == place
                gone = await hear(socket)
                assert gone == {"type": "gone", "after": place, "position": position}, gone


def _line(name: str, rights: str, patterns: str) -> str:
    return f"{name} {hashlib.sha256(name.encode()).hexdigest()} {rights} {patterns}\n"


async def a_token_is_told_what_it_may_read(program: str) -> None:
    tokens = _line("boss", "admin", "*") + _line("part", "read", "n/p:")
    with World(program, tokens) as world:
        async with websockets.connect(world.stream("?prefix=n/p:")) as socket:
            await socket.send(json.dumps({"token": "part"}))
            assert (await hear(socket))["type"] == "hello"
            world.invalidate(namespace="n", keys=["secret"])
            position = world.invalidate(namespace="n", tags=["secret"])
            record = await hear(socket)
            assert record["position"] == position, record
            assert record["scopes"] == [
                {"kind": "prefix", "name": "p:", "namespace": "n"}], record
            # Off the list, and out.
            (world.directory / "tokens").write_text(_line("boss", "admin", "*"))
            messages, code, _ = await closed(socket)
            assert messages[-1]["code"] == "expired" and code == 4001, (messages, code)
        for message, code in (
            ({}, 4001), ({"token": "nobody"}, 4001), ({"token": "boss"}, 1000)):
            async with websockets.connect(world.stream()) as socket:
                await socket.send(json.dumps({"keys": ["a"], **message}))
                if code == 1000:
                    assert (await hear(socket))["type"] == "hello"
                else:
                    messages, found, _ = await closed(socket)
                    assert found == code and messages[-1]["code"] == "unauthorised", messages
        answers = [
            httpx.get(f"{world.url}/v1/stream?key=a", headers=headers, timeout=PATIENCE).status_code
            for headers in ({}, {"Authorization": "Bearer nobody"})]
        assert answers == [401, 401], answers


async def a_foreign_page_may_not_read(program: str) -> None:
    with World(program) as world:
        try:
            async with websockets.connect(
                world.stream("?everything"), origin="https://evil.example"):
                raise AssertionError("it was let in")
        except websockets.InvalidStatus as refused:
            assert refused.response.status_code == 403, refused
        async with websockets.connect(world.stream("?everything"), origin=world.url) as socket:
            assert (await hear(socket))["type"] == "hello"


async def wrong_requests_are_answered_with_problems(program: str) -> None:
    with World(program) as world:
        for query, status in (
            ("", 400), ("?key=", 400), ("?nothing=1", 400), ("?everything&after=x", 400)):
            answer = httpx.get(f"{world.url}/v1/stream{query}")
            assert answer.status_code == status, (query, answer.text)
            assert answer.headers["content-type"] == "application/problem+json"
        answer = httpx.get(
            f"{world.url}/v1/stream?everything",
            headers={"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Key": "x",
                     "Sec-WebSocket-Version": "12"})
        assert answer.status_code == 400 and answer.headers["sec-websocket-version"] == "13"
