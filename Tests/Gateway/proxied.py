"""nginx between clients and a gateway: methods, keys, names, long bodies, restarts."""

from __future__ import annotations

import contextlib
import hashlib
import os
import threading
import time
from collections import Counter
from typing import Dict, Iterator, List

import httpx

import shapes
from front import Front, fronted
from wire import Ended, Wire, request
from world import World, problem

KEYS = {
    "a%2Fb": "a/b", "a%25b": None, "%C3%BC%E2%98%83": None, "a%3Fb": None, "%FF%0A": None,
    "2026/11/logo.png": "2026%2F11%2Flogo.png", "%2E%2E%2Fup": None, "a%2F%2Fb": None, "~a": "%7Ea",
    "a%20b+c": "a%20b%2Bc",
}
"""Paths of keys, and another way to write the same."""
OF_THIS_ANSWER = {
    "date", "server", "connection", "age", "martlet-request-id", "transfer-encoding", "keep-alive"}
RESTART_MAX = 8.0


@contextlib.contextmanager
def _stand(program: str, gateways: int = 1) -> Iterator["tuple[World, Front]"]:
    """A world of its own, for who ends a part of it."""
    with World(program) as world:
        names = ["gateway", *(f"gateway {number + 2}" for number in range(gateways - 1))]
        for name in names:
            world.gateway(name=name)
        with Front(world, *names) as front:
            yield world, front
            world.check()


def _client(**more: object) -> httpx.Client:
    return httpx.Client(verify=False, http2=True, timeout=20.0, **more)


def every_method_goes_through(program: str) -> str:
    """What nginx hands on is what the gateway answers, over HTTP/1.1 and HTTP/2."""
    with fronted(program) as (world, front), _client() as client:
        for name in ("plain", "unbuffered", "tls"):
            url = f"{front.url(name)}/v1/through"
            headers = {"Host": "localhost"} if name == "tls" else {}
            assert client.get(f"{url}/k", headers=headers).status_code == 404
            stored = client.put(f"{url}/k", content=b"one", headers={
                **headers, "Surrogate-Key": "t", "Martlet-TTL": "60000"})
            assert stored.status_code == 204, (name, stored.text)
            found = client.get(f"{url}/k", headers=headers)
            assert (found.content, found.http_version) == (
                b"one", "HTTP/2" if name == "tls" else "HTTP/1.1")
            direct = client.get(f"{world.url()}/v1/through/k")
            assert _fields(found) == _fields(direct), (found.headers, direct.headers)
            head = client.head(f"{url}/k", headers=headers)
            assert (head.status_code, head.content) == (200, b"")
            assert _fields(head) == _fields(found), (head.headers, found.headers)
            etag = found.headers["etag"]
            for condition, status in (({"If-None-Match": etag}, 304), ({"If-Match": '"x"'}, 412),
                                      ({"If-None-Match": f'"x", W/{etag}'}, 304)):
                answer = client.get(f"{url}/k", headers={**headers, **condition})
                assert answer.status_code == status, (name, condition, answer.status_code)
                assert status != 304 or answer.headers["etag"] == etag
            purged = client.request("PURGE", url, headers={**headers, "Surrogate-Key": "t"})
            assert purged.json()["complete"] and "cache-group-invalidation" in purged.headers
            assert client.get(f"{url}/k", headers=headers).status_code == 404
            client.put(f"{url}/k", content=b"two", headers=headers)
            assert client.delete(f"{url}/k", headers=headers).status_code == 204
            batch = client.post(f"{url}:batch", json={"keys": ["k"]}, headers=headers)
            assert batch.status_code == 200, batch.text
            assert client.get(f"{url}/k", headers=headers).status_code == 404


def _fields(answer: httpx.Response) -> Dict[str, str]:
    return {name: value for name, value in answer.headers.items() if name not in OF_THIS_ANSWER}


def keys_arrive_as_they_were_sent(program: str) -> None:
    """nginx hands on the path as it came where proxy_pass names none."""
    with fronted(program) as (world, front):
        for name in ("plain", "unbuffered"):
            for key, other in KEYS.items():
                value = f"{name} {key}".encode()
                with Wire(front.ports[name]) as wire:
                    wire.say(request("PUT", f"/v1/keys/{key}", body=value))
                    assert wire.answer().status == 204, key
                for each in filter(None, (key, other)):
                    for port in (front.ports[name], world.ports["gateway"]):
                        with Wire(port) as wire:
                            wire.say(request("GET", f"/v1/keys/{each}"))
                            found = wire.answer()
                            assert (found.status, found.body) == (200, value), (each, found)
        with Wire(front.ports["plain"]) as wire:
            wire.say(request("GET", "/v1/keys/a?b"))
            assert wire.answer().status == 400
        # nginx lets no zero byte through; who has such keys asks for them in a batch.
        with Wire(front.ports["plain"]) as wire:
            wire.say(request("GET", "/v1/keys/a%00b"))
            assert wire.answer().status == 400


def connections_are_used_again(program: str) -> str:
    """A proxy that keeps connections needs few of them, also across refusals."""
    with World(program, is_watched=True) as world:
        world.gateway()
        with Front(world) as front, _client() as client:
            client.put(f"{front.url()}/v1/default/k", content=b"v")
            before = _accepted(world)
            for number in range(200):
                path = ["k", "absent", "k?", "k%zz"][number % 4]
                client.get(f"{front.url()}/v1/default/{path}")
            more = _accepted(world) - before
            # One is of who reads the figures.
            assert more <= 3, f"{more} connections for 200 requests"
            return f"{more} connections"


def _accepted(world: World) -> int:
    """Connections that the gateway has taken so far."""
    page = httpx.get(f"http://127.0.0.1:{world.ports['gateway http']}/metrics").text
    for line in page.splitlines():
        if line.startswith("martlet_gateway_connections_opened_total"):
            return int(float(line.split()[-1]))
    raise AssertionError(page)


def names_are_checked_as_they_arrive(program: str) -> None:
    """Host decides, and nothing that says X-Forwarded."""
    with fronted(program) as (world, front), _client() as client:
        def asked(server: str, **headers: str) -> httpx.Response:
            fields = {name.replace("_", "-"): value for name, value in headers.items()}
            return client.get(f"{front.url(server)}/v1/cluster", headers=fields)

        assert asked("plain", Host="cache.example").status_code == 200
        bare = asked("bare")
        assert (bare.status_code, problem(bare.content)) == (421, "misdirected"), bare.text
        assert asked("named", Host="cache.example").status_code == 421
        assert asked("named", Host="cache.example", X_Forwarded_Host="localhost",
                     Forwarded="host=localhost").status_code == 421
        assert asked("named", Host="localhost", X_Forwarded_Host="cache.example").status_code == 200
        for origin, status in (("http://localhost", 204), ("https://elsewhere.example", 403)):
            answer = client.put(f"{front.url('named')}/v1/default/k", content=b"v", headers={
                "Host": "localhost", "Origin": origin, "X-Forwarded-Host": "elsewhere.example"})
            assert answer.status_code == status, (origin, answer.text)


def with_tokens_it_has_any_name(program: str) -> None:
    """TLS that ends at nginx, a name of its own, a page of that name, and Authorization."""
    with World(program) as world:
        tokens = world.directory / "tokens"
        tokens.write_text(f"web {hashlib.sha256(b'secret').hexdigest()} admin\n")
        tokens.chmod(0o600)
        world.gateway("--tokens", str(tokens), is_awaited=False)
        with Front(world) as front, _client() as client:
            url = f"{front.url('tls')}/v1/default/k"
            headers = {"Host": "cache.example", "Authorization": "Bearer secret"}
            end = time.monotonic() + 20
            while client.get(url, headers=headers).status_code != 404:
                assert time.monotonic() < end
                time.sleep(0.05)
            refused = client.get(url, headers={"Host": "cache.example"})
            assert refused.status_code == 401 and "bearer" in refused.headers[
                "www-authenticate"].lower()
            own = {**headers, "Origin": "https://cache.example"}
            assert client.put(url, content=b"v", headers=own).status_code == 204
            foreign = {**headers, "Origin": "https://elsewhere.example"}
            assert client.put(url, content=b"v", headers=foreign).status_code == 403
            assert client.get(url, headers=headers).content == b"v"


def long_bodies_go_through(program: str) -> None:
    """Whole or not at all, with requests buffered and not."""
    whole, value = os.urandom(1 << 16) * 128, b"x" * (8 << 20)
    with fronted(program) as (world, front), _client() as client:
        for name in ("plain", "unbuffered", "tls"):
            headers = {"Host": "localhost"}
            url = f"{front.url(name)}/v1/long"
            for body in (whole, (value[at:at + 100_000] for at in range(0, len(value), 100_000))):
                stored = client.put(f"{url}/k", content=body, headers=headers)
                assert stored.status_code == 204, (name, stored.text)
            client.put(f"{url}/k", content=whole, headers=headers)
            for each in ("plain", "unbuffered", "tls"):
                found = client.get(f"{front.url(each)}/v1/long/k", headers=headers)
                assert found.content == whole, (name, each, found.status_code)
            much = client.put(f"{url}/k", content=whole * 2 + b"x", headers=headers)
            assert much.status_code == 413, (name, much.status_code, much.text[:200])
            assert problem(much.content) == "body-too-large"
        world.check()


def no_request_hides_in_another(program: str) -> str:
    """What nginx lets through leaves its connections to the gateway as they were."""
    with fronted(program) as (world, front), _client() as client:
        client.put(f"{front.url()}{shapes.VALUE}", content=b"hit")
        told: Counter = Counter()
        for name, shape in shapes.SMUGGLED.items():
            for server in ("plain", "unbuffered"):
                with Wire(front.ports[server], patience=3.0) as wire:
                    wire.say(shape)
                    with contextlib.suppress(Ended, TimeoutError, AssertionError):
                        told[wire.answer().status] += 1
                for _ in range(3):
                    found = client.get(f"{front.url(server)}{shapes.VALUE}")
                    assert (found.status_code, found.content) == (200, b"hit"), (name, found)
        assert 500 not in told and 502 not in told, told
        return f"{dict(told)}"


def a_gateway_that_is_away_is_a_502_and_no_more(program: str) -> str:
    """While a gateway is killed and started again, nginx says so, and at once."""
    with _stand(program) as (world, front):
        statuses: List[int] = []
        slowest = [0.0]
        is_over = threading.Event()

        def ask() -> None:
            with _client() as client:
                while not is_over.is_set():
                    began = time.monotonic()
                    statuses.append(client.get(f"{front.url()}{shapes.VALUE}").status_code)
                    slowest[0] = max(slowest[0], time.monotonic() - began)

        httpx.put(f"{front.url()}{shapes.VALUE}", content=b"hit")
        askers = [threading.Thread(target=ask, daemon=True) for _ in range(3)]
        for each in askers:
            each.start()
        for end in (world.kill, world.ask_to_stop):
            end("gateway")
            time.sleep(0.3)
            world.again("gateway")
            world.wait_for()
        time.sleep(0.2)
        is_over.set()
        for each in askers:
            each.join(20)
        found = Counter(statuses)
        assert set(found) == {200, 502}, found
        assert slowest[0] < RESTART_MAX, slowest
        assert statuses[-1] == 200
        return f"{dict(found)}, the slowest {slowest[0]:.2f} s"


def of_two_gateways_one_may_be_replaced(program: str) -> str:
    """nginx asks the other where one is stopped in order: no reader sees anything of it."""
    with _stand(program, gateways=2) as (world, front):
        client = _client()
        client.put(f"{front.url()}{shapes.VALUE}", content=b"hit")
        statuses: Counter = Counter()
        is_over = threading.Event()

        def ask() -> None:
            with _client() as client:
                while not is_over.is_set():
                    answer = client.get(f"{front.url()}{shapes.VALUE}")
                    statuses[answer.status_code if answer.content == b"hit" else -1] += 1

        askers = [threading.Thread(target=ask, daemon=True) for _ in range(4)]
        for each in askers:
            each.start()
        for name in ("gateway", "gateway 2", "gateway"):
            assert world.ask_to_stop(name) == 0
            world.again(name)
            world.wait_for(name)
        is_over.set()
        for each in askers:
            each.join(20)
        client.close()
        assert set(statuses) == {200}, statuses
        return f"{statuses[200]} answers"
