"""curl, httpx, urllib3, and requests by hand, at a gateway without anything between."""

from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
import threading
import time
import warnings
from collections import Counter
from typing import Dict, Iterator, List, Optional

import httpx
import urllib3

import shapes
from wire import Ended, Wire, answers, request, tls_context
from world import World, problem, shared

CLIENTS = 500
LAST = ["Connection: close"]
OF_THIS_ANSWER = {"date", "age", "martlet-request-id"}

REFUSALS: "list[tuple[bytes, int]]" = [
    (request("GET", "/v1/default/absent"), 404),
    (request("GET", "/v1/default/a%zz"), 400),
    (request("GET", "/nothing"), 404),
    (request("GET", "/v1/default/hit?a"), 400),
    (request("PATCH", "/v1/default/hit", body=b"abc"), 405),
    (request("TRACE", "/v1/default/hit"), 405),
    (request("OPTIONS", "/v1/default/hit"), 405),
    (request("GET", "/v1/default/hit", host="elsewhere.example"), 421),
    (request("PUT", "/v1/default/hit", "Origin: https://elsewhere.example", body=b"a"), 403),
    (request("PUT", "/v1/default/hit", "Martlet-TTL: 01", body=b"abc"), 400),
    (request("PUT", "/v1/default/hit", 'If-Match: "x"', body=b"abc"), 412),
    (request("GET", "/v1/default/hit", 'If-Match: "x"'), 412),
    (request("GET", "/v1/default/absent", "Cache-Control: only-if-cached"), 504),
    (request("GET", "/v1/default/hit", "Martlet-At-Least: 9:9"), 503),
    (request("POST", "/v1/invalidate", body=b"{"), 400),
    (request("POST", "/v1/default:batch", body=b"[" * 300), 400),
    (request("GET", "/v1/stream"), 400),
    (request("PUT", "/v1/default/large", "Content-Length: 99999999"), 413),
    (request("PUT", "/v1/default/large", "Content-Length: 99999999",
             "Expect: 100-continue"), 413),
    (request("PUT", "/v1/default/a%zz", body=b"x" * 100_000), 400),
    (request("PUT", "/v1/default/old", "Martlet-Version: 1", body=b"x"), 409),
    (request("BREW", "/v1/default/hit"), 400),
]
"""Requests that are refused, and with what."""


@contextlib.contextmanager
def stand(program: str) -> Iterator[World]:
    """Three gateways before one node, the same for all that is here: `gateway`, one that remembers,
    `near`, and one over TLS that does too, `tls`."""
    yield shared(program, _furnish)


def _furnish(world: World) -> None:
    world.gateway("--timeout", "1s")
    world.gateway("--timeout", "1s", "--near-cache", "1MiB", name="near")
    world.gateway("--timeout", "1s", "--near-cache", "1MiB", *world.tls, name="tls")
    url = f"{world.url()}/v1/default"
    httpx.put(f"{url}/hit", content=b"hit", headers={"Surrogate-Key": "t"})
    httpx.put(f"{url}/old", content=b"old", headers={"Martlet-Version": "7"})


def _fields(fields: Dict[str, str]) -> Dict[str, str]:
    return {name.lower(): value for name, value in fields.items()
            if name.lower() not in OF_THIS_ANSWER}


def conditions_and_ranges(program: str) -> None:
    """304, 412, 206 and 416 by urllib3 and httpx over both versions."""
    with stand(program) as world:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for name in ("gateway", "tls"):
                url = f"{world.url(name)}/v1/default/hit"
                with urllib3.PoolManager(cert_reqs="CERT_NONE", retries=False) as pool, \
                        httpx.Client(verify=False, http2=True) as client:
                    def status(**headers: str) -> "set[int]":
                        fields = {key.replace("_", "-"): value for key, value in headers.items()}
                        return {pool.request("GET", url, headers=fields).status,
                                client.get(url, headers=fields).status_code}

                    etag = client.get(url).headers["etag"]
                    assert status(If_None_Match=etag) == {304}
                    assert status(If_None_Match=f"W/{etag}") == {304}
                    assert status(If_None_Match="*") == {304}
                    assert status(If_None_Match='"x"') == {200}
                    assert status(If_Match=etag) == {200}
                    assert status(If_Match=f"W/{etag}") == {412}
                    assert status(Range="bytes=0-0") == {206}
                    assert status(Range="bytes=9-", If_Range=etag) == {416}
                    assert status(Range="bytes=9-", If_Range='"x"') == {200}
                    assert status(Range="bytes=0-0,2-2") == {200}
                    part = client.get(url, headers={"Range": "bytes=1-"})
                    assert part.content == b"it" and part.headers["content-range"] == "bytes 1-2/3"


def heads_are_as_of_gets(program: str) -> None:
    """HEAD says what GET says, without the body."""
    with stand(program) as world:
        paths = ["/v1/default/hit", "/v1/default/absent", "/v1/default/a%zz", "/v1/default/hit?a"]
        for name in ("gateway", "near", "tls"):
            with httpx.Client(verify=False, http2=True) as client:
                for path in paths:
                    for headers in ({}, {"If-None-Match": "*"}, {"If-Match": '"x"'}):
                        got = client.get(f"{world.url(name)}{path}", headers=headers)
                        head = client.head(f"{world.url(name)}{path}", headers=headers)
                        assert head.status_code == got.status_code and not head.content
                        # Once asked for it may be remembered: that alone may differ.
                        left, right = _fields(got.headers), _fields(head.headers)
                        for fields in (left, right):
                            fields.pop("cache-status", None)
                        assert left == right, (path, headers, left, right)


def what_is_accepted_changes_nothing(program: str) -> None:
    """Nothing is compressed: same bytes, same ETag, whatever Accept-… says."""
    with stand(program) as world:
        for name in ("gateway", "tls"):
            with httpx.Client(verify=False, http2=True) as client:
                found = set()
                for accepted in ("identity", "gzip, br", "*;q=0", "zstd"):
                    answer = client.get(f"{world.url(name)}/v1/default/hit", headers={
                        "Accept-Encoding": accepted, "Accept": "text/html",
                        "Accept-Language": "de"})
                    assert "content-encoding" not in answer.headers
                    assert "vary" not in answer.headers
                    found.add((answer.status_code, answer.content, answer.headers["etag"]))
                assert len(found) == 1, found
        shown = _curl("--compressed", f"{world.url()}/v1/default/hit")
        assert shown.stdout == b"hit"


def _curl(*arguments: str, body: Optional[bytes] = None) -> subprocess.CompletedProcess:
    return subprocess.run(
        ["curl", "-sk", "--max-time", "20", *arguments], input=body or b"", capture_output=True,
        timeout=30)


def curl_stores_as_it_likes(program: str) -> None:
    """With 100-continue, in chunks, over each version; and stops where it is refused."""
    with stand(program) as world:
        whole = os.urandom(8 << 20)
        path = world.directory / "whole"
        path.write_bytes(whole)
        version = ["-o", "/dev/null", "-w", "%{http_code} %{size_upload} %{http_version}"]
        for name, flags, wanted in (
            ("gateway", ["--http1.1"], "1.1"), ("gateway", ["--http1.0"], "1"),
            ("gateway", ["-H", "Transfer-Encoding: chunked"], "1.1"),
            ("tls", ["--http2"], "2"), ("tls", ["--http1.1"], "1.1"),
        ):
            url = f"{world.url(name)}/v1/curl/whole"
            put = _curl(*flags, *version, "-H", "Expect: 100-continue", "-T", str(path), url)
            status, sent, spoken = put.stdout.decode().split()
            # In chunks, their sizes are sent, too.
            assert status == "204" and int(sent) >= len(whole), (flags, put)
            assert wanted == "1" or spoken == wanted, (flags, spoken)
            assert _curl(*(each for each in flags if each.startswith("--")), url).stdout == whole
            assert _curl("-X", "DELETE", url, *version).stdout.startswith(b"204")
        path.write_bytes(whole * 3)
        refused = _curl(*version, "-H", "Expect: 100-continue", "-T", str(path),
                        f"{world.url()}/v1/curl/whole")
        assert refused.stdout.decode().split()[:2] == ["413", "0"], refused
        head = _curl("-I", f"{world.url('tls')}/v1/default/hit")
        assert head.stdout.startswith(b"HTTP/2 200"), head


def trailers_are_passed_over(program: str) -> None:
    """A body in chunks, with extensions and trailers, and another request behind it."""
    with stand(program) as world, Wire(world.ports["gateway"]) as wire:
        wire.say(b"PUT /v1/default/chunks HTTP/1.1\r\nHost: localhost\r\nTrailer: ETag, X-A\r\n"
                 b"Transfer-Encoding: chunked\r\n\r\n3;a=b\r\nabc\r\n2\r\nde\r\n0\r\n"
                 b'ETag: "trailer"\r\nX-A: b\r\nMartlet-TTL: 1\r\n\r\n'
                 + request("GET", "/v1/default/chunks"))
        assert wire.answer().status == 204
        found = wire.answer()
        assert (found.status, found.body) == (200, b"abcde"), found
        assert found.fields["etag"] != '"trailer"'


def a_refusal_leaves_the_connection_or_ends_it(program: str) -> str:
    """Either the next request is answered, or `Connection: close` is said and kept."""
    with stand(program) as world:
        kept, ending = 0, []
        for name, context in (("gateway", None), ("near", None), ("tls", tls_context("http/1.1"))):
            for what, status in REFUSALS:
                wire = Wire(world.ports[name], context)
                wire.say(what)
                answer = wire.answer()
                assert answer.status == status, (what[:80], answer)
                assert answer.fields["content-type"] == "application/problem+json"
                assert status != 503 or "retry-after" in answer.fields
                if answer.says_close:
                    ending.append((wire, what))
                    continue
                wire.say(request("GET", shapes.VALUE))
                after = wire.answer()
                assert (after.status, after.body) == (200, b"hit"), (what[:80], after)
                kept += 1
                wire.close()
        for wire, what in ending:
            assert wire.is_ended(), what[:80]
            wire.close()
        return f"{kept} kept, {len(ending)} ended"


def no_request_hides_in_another(program: str) -> str:
    """One answer to what others would take for two requests, and the end of the connection."""
    with stand(program) as world:
        told: Counter = Counter()
        for name, shape in shapes.SMUGGLED.items():
            with Wire(world.ports["gateway"]) as wire:
                wire.say(shape)
                answer = wire.answer()
                told[answer.status] += 1
                if name == "two spaces":
                    # RFC 9112, 3: a reader may take more than one space for one.
                    continue
                # RFC 9112, 6.1 and 6.3: a coding that is not known, or that cannot be ended.
                refusals = {400, 501} if name in shapes.OTHER_CODINGS else {400}
                assert answer.status in refusals, (name, answer)
                assert problem(answer.body) in (
                    "malformed-target", "malformed-field", "malformed-body",
                    "unknown-coding"), (name, answer)
                assert answer.says_close and wire.is_ended(), (name, answer)
        with httpx.Client() as client:
            assert client.get(f"{world.url()}/v1/default/torn").status_code == 404
        return f"{dict(told)}"


def fields_that_come_twice(program: str) -> None:
    """Lists may come in parts; what is one thing may not."""
    with stand(program) as world:
        port = world.ports["gateway"]
        etag = httpx.get(f"{world.url()}{shapes.VALUE}").headers["etag"]
        for fields, status in (
            (['If-None-Match: "x"', f"If-None-Match: {etag}"], 304),
            (['If-Match: "x"', f"If-Match: {etag}"], 200),
            (["Cache-Control: max-age=60", "Cache-Control: only-if-cached"], 200),
            (["Cache-Control: max-stale", "Cache-Control: no-cache"], 400),
            (["Martlet-At-Least: 1:0", "Martlet-At-Least: 1:0"], 400),
            (["Host: localhost"], 400),
        ):
            found = answers(port, request("GET", shapes.VALUE, *LAST, *fields), ["GET"])
            assert [each.status for each in found] == [status], (fields, found)
        for fields, status in (
            (["Surrogate-Key: a", "Surrogate-Key: b c"], 204),
            (["Martlet-Version: 8", "Martlet-Version: 9"], 400),
            (["Martlet-TTL: 1000", "Martlet-TTL: 2000"], 400),
        ):
            found = answers(port, request("PUT", "/v1/default/twice", *LAST, *fields, body=b"v"),
                            ["PUT"])
            assert [each.status for each in found] == [status], (fields, found)
        tags = httpx.get(f"{world.url()}/v1/default/twice").headers["surrogate-key"]
        assert set(tags.split()) == {"a", "b", "c"}, tags


def the_last_request_is_the_last(program: str) -> None:
    """`Connection: close` in any letters, and HTTP/1.0: one answer, without chunks, and the end."""
    with stand(program) as world:
        for port in (world.ports["gateway"], world.ports["near"]):
            _owe_the_end(port)


def _owe_the_end(port: int) -> None:
    httpx.get(f"http://127.0.0.1:{port}{shapes.VALUE}")
    for head, line in (
        (b"GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n", b"HTTP/1.1 200"),
        (b"GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: Close\r\n", b"HTTP/1.1 200"),
        (b"GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: x, CLOSE\r\n", b"HTTP/1.1 200"),
        (b"GET %s HTTP/1.0\r\n", b"HTTP/1.0 200"),
        (b"GET %s HTTP/1.0\r\nHost: localhost\r\n", b"HTTP/1.0 200"),
        (b"GET %s HTTP/1.0\r\nConnection: keep-alive\r\n", b"HTTP/1.0 200"),
    ):
        what = head % shapes.VALUE.encode() + b"\r\n"
        with Wire(port, patience=3.0) as wire:
            wire.say(what + request("GET", shapes.VALUE))
            told = wire.rest()
        assert told.startswith(line) and told.endswith(b"\r\n\r\nhit"), (what, told)
        assert told.count(b"HTTP/1.") == 1, (what, told)
        assert b"\r\nconnection: close\r\n" in told.lower(), (what, told)
    with Wire(port) as wire:
        wire.say(b"GET /v1/stream?everything HTTP/1.0\r\n\r\n")
        told = wire.until(b"event: hello\n")
    assert told.startswith(b"HTTP/1.0 200") and b"chunked" not in told.lower(), told
    assert told.partition(b"\r\n\r\n")[2].startswith(b"retry: "), told


def a_whole_url_names_its_host(program: str) -> None:
    """What a proxy would write: whom it names counts, and not Host."""
    with stand(program) as world:
        for url, status in (("http://localhost", 200), ("http://elsewhere.example", 421),
                            ("http://elsewhere.example@localhost", 421)):
            found = answers(world.ports["gateway"],
                            request("GET", f"{url}{shapes.VALUE}", *LAST), ["GET"])
            assert [each.status for each in found] == [status], (url, found)


def pipelined_requests_are_answered_in_order(program: str) -> None:
    """Two hundred at once, of many kinds; with what is remembered and without."""
    with stand(program) as world:
        kinds = [("GET", shapes.VALUE, 200), ("HEAD", shapes.VALUE, 200),
                 ("GET", "/v1/default/absent", 404), ("PUT", "/v1/default/piped", 204),
                 ("GET", "/v1/default/piped", 200), ("GET", "/v1/default/a%zz", 400)]
        for port, context in ((world.ports["gateway"], None), (world.ports["near"], None),
                              (world.ports["tls"], tls_context("http/1.1"))):
            with Wire(port, context) as wire:
                wire.say(b"".join(
                    request(method, path, f"Martlet-Request: {number}",
                            body=b"%d" % number if method == "PUT" else b"")
                    for number, (method, path, _) in enumerate(kinds * 34)))
                for number, (method, path, status) in enumerate(kinds * 34):
                    answer = wire.answer(method)
                    assert answer.status == status, (number, method, path, answer)
                    if path.endswith("piped") and method == "GET":
                        assert answer.body == b"%d" % (number - 1), (number, answer)


def what_is_no_request_is_answered_in_its_turn(program: str) -> None:
    """A problem document behind the answers to what came before, and the end."""
    with stand(program) as world:
        for garbage in (b"GARBAGE\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n",
                        request("GET", shapes.VALUE, "X: " + "x" * 20_000)):
            for port in (world.ports["gateway"], world.ports["near"]):
                found = answers(port, request("GET", shapes.VALUE) * 5 + garbage, ["GET"])
                assert [each.status for each in found[:5]] == [200] * 5, found
                assert [each.status for each in found[5:]] in ([400], [431]), found
                assert found[5].fields["content-type"] == "application/problem+json", found


def five_hundred_clients_at_once(program: str) -> str:
    """Each its own connection, and each its own value."""
    with stand(program) as world:
        began = time.monotonic()

        async def one(number: int) -> None:
            reader, writer = await asyncio.open_connection("127.0.0.1", world.ports["gateway"])
            value = b"%d" % number * 50
            for what in (request("PUT", f"/v1/many/{number}", body=value),
                         *[request("GET", f"/v1/many/{number}")] * 8):
                writer.write(what)
                head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 20.0)
                status = int(head.split()[1])
                assert status == (204 if what.startswith(b"PUT") else 200), head
                if status == 200:
                    assert await asyncio.wait_for(reader.readexactly(len(value)), 20.0) == value
            writer.close()

        async def all_of_them() -> None:
            await asyncio.gather(*(one(number) for number in range(CLIENTS)))

        asyncio.run(all_of_them())
        return f"{CLIENTS * 9} answers in {time.monotonic() - began:.1f} s"


def many_streams_of_one_connection(program: str) -> str:
    """A hundred requests of HTTP/2 side by side: each is answered what it asked for."""
    with stand(program) as world:
        async def run() -> "List[httpx.Response]":
            limits = httpx.Limits(max_connections=1)
            async with httpx.AsyncClient(
                    verify=False, http2=True, limits=limits, timeout=20.0) as client:
                url = f"{world.url('tls')}/v1/streams"
                await asyncio.gather(*(
                    client.put(f"{url}/{number}", content=b"%d" % number * 2_000)
                    for number in range(100)))
                return list(await asyncio.gather(*(
                    client.request(("GET", "HEAD", "PURGE")[number % 3], f"{url}/{number}")
                    for number in range(100))))

        for number, answer in enumerate(asyncio.run(run())):
            assert (answer.status_code, answer.http_version) == (200, "HTTP/2"), answer
            if number % 3 == 0:
                assert answer.content == b"%d" % number * 2_000


def connections_that_break_off_leave_nothing(program: str) -> None:
    """Uploads that end in their middle, and answers that are not waited for."""
    with stand(program) as world:
        def leave(port: int, tls: bool) -> None:
            for number in range(20):
                with contextlib.suppress(OSError, Ended), \
                        Wire(port, tls_context("http/1.1") if tls else None) as wire:
                    wire.say(request("PUT", "/v1/default/torn", "Content-Length: 900000")
                             + b"x" * (number * 10_000) if number % 2
                             else request("GET", shapes.VALUE))

        threads = [threading.Thread(target=leave, args=(world.ports[name], name == "tls"))
                   for name in ("gateway", "tls") for _ in range(4)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        assert httpx.get(f"{world.url()}/v1/default/torn").status_code == 404
        assert httpx.get(f"{world.url()}{shapes.VALUE}").content == b"hit"
