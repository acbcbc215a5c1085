"""Which spans there are, and whose."""

from __future__ import annotations

import json
import re
import secrets
from typing import List

from collector import Collector, Span
from opentelemetry.proto.trace.v1.trace_pb2 import Span as Definition
from process_tools import wait_until
from world import World

ASKER = "00f067aa0ba902b7"
SERVER = Definition.SPAN_KIND_SERVER
CLIENT = Definition.SPAN_KIND_CLIENT


def _trace() -> str:
    return secrets.token_hex(16)


def _given(trace: str, flags: str = "01") -> str:
    return f"00-{trace}-{ASKER}-{flags}"


def _come(collector: Collector, trace: str, count: int) -> List[Span]:
    """Spans of a trace, once so many are there, that of the server first."""
    wait_until(f"{count} spans of {trace} came", lambda: len(collector.of(trace)) >= count)
    collector.check()
    found = sorted(collector.of(trace), key=lambda span: span.kind != SERVER)
    assert len(found) == count, found
    return found


def a_read_is_one_tree_from_the_asker_to_the_origin(program: str) -> None:
    with Collector() as collector, World(
            program, "--traces", collector.url, "--trace-ratio", "0") as world:
        trace = _trace()
        status, fields, body = world.ask(
            "GET", "/v1/images/loaded", traceparent=_given(trace), tracestate="vendor=1")
        assert status == 200 and body == b"from the origin"
        server, client = _come(collector, trace, 2)
        assert server.parent == ASKER and server.kind == SERVER
        assert server.message.flags == 0x301, "recorded, and its parent is elsewhere"
        assert server.message.trace_state == "vendor=1"
        assert fields["traceparent"] == f"00-{trace}-{server.id}-01"
        assert server.name == "GET /v1/{namespace}/{key}"
        assert server.attributes == {
            "http.request.method": "GET", "http.route": "/v1/{namespace}/{key}",
            "url.path": "/v1/{namespace}/{key}", "url.scheme": "http",
            "http.response.status_code": 200, "martlet.cache": fields["cache-status"],
        }, server.attributes
        assert client.parent == server.id and client.kind == CLIENT
        assert client.name == "get images" and client.message.flags == 0x101
        assert client.attributes == {
            "db.system.name": "martlet", "db.operation.name": "get", "db.namespace": "images",
            "martlet.hit": False, "martlet.tier": "origin", "martlet.node": "n1",
        }, client.attributes
        # Its asker is the client.
        assert world.origin.seen["loaded"] == f"00-{trace}-{client.id}-01"
        inner, outer = client.message, server.message
        assert outer.start_time_unix_nano <= inner.start_time_unix_nano + 5_000_000
        assert inner.end_time_unix_nano <= outer.end_time_unix_nano + 5_000_000
        service = collector.resources[0]
        assert service["service.name"] == "martlet-gateway" and service["service.instance.id"]
        assert "loaded" not in str(server) + str(client), "no key is told"


def a_node_says_what_it_waited_for(program: str) -> None:
    """What it answers at once has no span of its own, nor what nobody records."""
    with Collector() as gateways, Collector() as nodes, World(
            program, "--traces", gateways.url, "--trace-ratio", "0",
            node=("--traces", nodes.url)) as world:
        trace, again, silent = _trace(), _trace(), _trace()
        assert world.ask("GET", "/v1/images/loaded", traceparent=_given(trace))[0] == 200
        assert world.ask("GET", "/v1/images/loaded", traceparent=_given(again))[0] == 200
        assert world.ask("GET", "/v1/images/other", traceparent=_given(silent, "00"))[0] == 200
        _, client = _come(gateways, trace, 2)
        node, = _come(nodes, trace, 1)
        assert node.kind == SERVER and node.name == "get images" and node.parent == client.id
        assert node.message.flags == 0x301, "recorded, and its parent is elsewhere"
        waited = node.attributes.pop("martlet.waited.origin")
        assert node.attributes == {
            "db.system.name": "martlet", "db.operation.name": "get", "db.namespace": "images",
            "martlet.node": "n1",
        }, node.attributes
        took = (node.message.end_time_unix_nano - node.message.start_time_unix_nano) / 1e9
        assert 0 < waited <= took + 1e-6, (waited, took)
        inner, outer = node.message, client.message
        assert outer.start_time_unix_nano <= inner.start_time_unix_nano + 5_000_000
        assert inner.end_time_unix_nano <= outer.end_time_unix_nano + 5_000_000
        assert nodes.resources[0]["service.name"] == "martlet-node"
        # Both stand below the client.
        assert world.origin.seen["loaded"] == f"00-{trace}-{client.id}-01"
        _come(gateways, again, 2)
        assert not nodes.of(again) and not nodes.of(silent)
        wait_until("it is counted", lambda: world.node_metric("exported") == 1)
        assert all(world.node_metric(each) == 0 for each in ("dropped", "refused", "failed"))
        world.stop("node")
        assert len(nodes.spans) == 1, nodes.spans


def every_kind_of_request_has_its_spans(program: str) -> None:
    with Collector() as collector, World(
            program, "--traces", collector.url, "--trace-ratio", "0") as world:
        entry = "/v1/{namespace}/{key}"
        for method, target, body, names in [
            ("PUT", "/v1/default/a", b"1", [f"PUT {entry}", "set default"]),
            ("GET", "/v1/default/a", None, [f"GET {entry}", "get default"]),
            ("HEAD", "/v1/default/a", None, [f"HEAD {entry}", "get default"]),
            ("DELETE", "/v1/default/a", None, [f"DELETE {entry}", "delete default"]),
            ("POST", "/v1/default:batch", json.dumps({"keys": ["a", "b"]}).encode(),
             ["POST /v1/{namespace}:batch", "get default"]),
            ("POST", "/v1/invalidate",
             json.dumps({"namespace": "default", "keys": ["a"]}).encode(),
             ["POST /v1/invalidate", "invalidate"]),
            ("GET", "/v1/openapi.json", None, ["GET /v1/openapi.json"]),
            ("GET", "/coffee", None, ["GET"]),
            ("OPTIONS", "/v1/cluster", None, ["OPTIONS /v1/cluster"]),
            ("MKCOL", "/coffee", None, ["HTTP"]),
            ("GET", "/v1/%zz/a", None, [f"GET {entry}"]),
        ]:
            trace = _trace()
            status, _, text = world.ask(method, target, body, traceparent=_given(trace))
            spans = _come(collector, trace, len(names))
            assert [span.name for span in spans] == names, (target, spans, text)
            assert spans[0].attributes["http.response.status_code"] == status
            assert not spans[0].failed or status >= 500
            assert all(span.parent == spans[0].id for span in spans[1:])
        strange = [span for span in collector.spans if span.name == "HTTP"]
        assert strange[0].attributes["http.request.method"] == "_OTHER"


def who_is_not_sampled_is_not_recorded(program: str) -> None:
    with Collector() as collector, World(
            program, "--traces", collector.url, "--trace-ratio", "1") as world:
        silent = [_trace() for _ in range(20)]
        for number, trace in enumerate(silent):
            world.ask("GET", f"/v1/images/s{number}", traceparent=_given(trace, "00"))
        last = _trace()
        world.ask("GET", "/v1/default/first", traceparent=_given(last))
        _come(collector, last, 2)
        assert not any(collector.of(trace) for trace in silent)
        # It is followed all the same, as before there were spans.
        assert world.origin.seen["s0"].startswith(f"00-{silent[0]}-")
        assert world.origin.seen["s0"].endswith("-00")


def a_trace_that_begins_here_is_recorded_by_its_share(program: str) -> None:
    with Collector() as collector, World(
            program, MARTLET_TRACES=collector.url, MARTLET_TRACE_RATIO="0.5") as world:
        ids = [world.ask("GET", f"/v1/images/k{number}")[1]["martlet-request-id"]
               for number in range(200)]
        taken = [trace for trace in ids if int(trace[-14:], 16) >= 1 << 55]
        assert 50 < len(taken) < 150
        wait_until("all of the share came", lambda: all(
            len(collector.of(trace)) == 3 for trace in taken))
        collector.check()
        assert not any(collector.of(trace) for trace in set(ids) - set(taken))
        for trace in taken:
            server, node, client = sorted(
                _come(collector, trace, 3), key=lambda span: (span.kind == CLIENT, span.parent))
            assert server.parent == "" and client.parent == server.id
            assert server.message.flags == 0x103, "at random, recorded, and begun here"
            # The variable reaches the node, too.
            assert node.parent == client.id and node.attributes["martlet.waited.origin"] > 0
        told = [world.origin.seen[f"k{ids.index(trace)}"] for trace in taken]
        assert all(re.fullmatch(r"00-\w{32}-\w{16}-03", each) for each in told), told
        others = [world.origin.seen[f"k{ids.index(trace)}"] for trace in set(ids) - set(taken)]
        assert set(others) == {None}, "reads that nobody records share messages"


def what_is_remembered_has_a_span_too(program: str) -> None:
    with Collector() as collector, World(
            program, "--traces", collector.url, "--trace-ratio", "0", "--near-cache", "1MiB",
            "--near-cache-age", "60s") as world:
        wait_until("it is remembered", lambda: "near" in world.ask(
            "GET", "/v1/default/first")[1]["cache-status"])
        trace = _trace()
        world.ask("GET", "/v1/default/first", traceparent=_given(trace))
        server, = _come(collector, trace, 1)
        assert "near" in server.attributes["martlet.cache"] and server.parent == ASKER


def a_failure_is_marked(program: str) -> None:
    with Collector() as collector, World(
            program, "--traces", collector.url, "--timeout", "300ms") as world:
        world.processes["node"].kill()
        world.processes.pop("node").wait()
        trace = _trace()
        status, _, _ = world.ask("GET", "/v1/default/first", traceparent=_given(trace))
        server, client = _come(collector, trace, 2)
        assert status in (503, 504) and server.failed and client.failed
        assert server.attributes["error.type"] == str(status)
        assert client.attributes["error.type"] in ("disconnected", "timedOut")
