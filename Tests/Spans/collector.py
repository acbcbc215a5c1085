"""A collector of spans around OpenTelemetry's own definitions: it takes what they take."""

from __future__ import annotations

import base64
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable, Dict, List, NamedTuple

from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1 import trace_pb2


class Span(NamedTuple):
    """One that came, with its ids as they are written."""

    trace: str
    id: str
    parent: str
    name: str
    kind: int
    attributes: Dict[str, Any]
    message: trace_pb2.Span

    @property
    def failed(self) -> bool:
        return self.message.status.code == trace_pb2.Status.STATUS_CODE_ERROR


class Answer(NamedTuple):
    """What is answered to a batch."""

    status: int = 200
    body: bytes = b"{}"
    headers: Dict[str, str] = {}
    delay: float = 0


def with_bytes(document: Any) -> Any:
    """OTLP writes ids in hexadecimal; protobuf's JSON has bytes in base64. All else is the same."""
    if isinstance(document, list):
        return [with_bytes(each) for each in document]
    if not isinstance(document, dict):
        return document
    return {
        name: base64.b64encode(bytes.fromhex(value)).decode()
        if name in ("traceId", "spanId", "parentSpanId") else with_bytes(value)
        for name, value in document.items()
    }


def value_of(value: Any) -> Any:
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [value_of(each) for each in value.array_value.values]
    return getattr(value, kind)


def read(body: bytes) -> ExportTraceServiceRequest:
    """Refuses whatever the definitions do not know."""
    return json_format.ParseDict(
        with_bytes(json.loads(body)), ExportTraceServiceRequest(), ignore_unknown_fields=False)


class Collector:
    """Listens on a port of the system's choice until it is closed."""

    def __init__(self, answers: Callable[[int], Answer] = lambda number: Answer(), port: int = 0):
        self.spans: List[Span] = []
        self.faults: List[str] = []
        self.requests: List[float] = []
        self.resources: List[Dict[str, Any]] = []
        self.answers = answers
        self._lock = threading.Lock()
        collector = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                collector._take(self)

            def log_message(self, *_: object) -> None:
                pass

        class Server(ThreadingHTTPServer):
            def handle_error(self, *_: object) -> None:
                """A gateway that was killed has broken its connection off."""

        self._server = Server(("127.0.0.1", port), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()

    @property
    def port(self) -> int:
        return self._server.server_address[1]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> "Collector":
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _take(self, request: BaseHTTPRequestHandler) -> None:
        body = request.rfile.read(int(request.headers["content-length"]))
        with self._lock:
            number = len(self.requests)
            self.requests.append(time.monotonic())
        answer = self.answers(number)
        time.sleep(answer.delay)
        if answer.status == 200:
            self._keep(request, body)
        try:
            request.send_response(answer.status)
            for name, value in answer.headers.items():
                request.send_header(name, value)
            request.send_header("content-type", "application/json")
            request.send_header("content-length", str(len(answer.body)))
            request.end_headers()
            request.wfile.write(answer.body)
        except OSError:
            pass

    def _keep(self, request: BaseHTTPRequestHandler, body: bytes) -> None:
        try:
            assert request.path == "/v1/traces", request.path
            assert request.headers["content-type"] == "application/json"
            message = read(body)
        except Exception as error:
            with self._lock:
                self.faults.append(f"{error}: {body[:300]!r}")
            return
        with self._lock:
            for group in message.resource_spans:
                self.resources.append(
                    {each.key: value_of(each.value) for each in group.resource.attributes})
                for scope in group.scope_spans:
                    assert scope.scope.name == "martlet"
                    self.spans += [self._span(each) for each in scope.spans]

    @staticmethod
    def _span(span: trace_pb2.Span) -> Span:
        assert len(span.trace_id) == 16 and len(span.span_id) == 8
        assert len(span.parent_span_id) in (0, 8)
        assert 0 < span.start_time_unix_nano <= span.end_time_unix_nano
        assert abs(span.end_time_unix_nano / 1e9 - time.time()) < 120
        return Span(
            span.trace_id.hex(), span.span_id.hex(), span.parent_span_id.hex(), span.name,
            span.kind, {each.key: value_of(each.value) for each in span.attributes}, span)

    def of(self, trace: str) -> List[Span]:
        """Spans of one trace that came so far."""
        with self._lock:
            return [each for each in self.spans if each.trace == trace]

    def check(self) -> None:
        """That all that came could be read."""
        with self._lock:
            assert not self.faults, self.faults[0]
            ids = [each.id for each in self.spans]
        assert len(ids) == len(set(ids)), "a span came twice"
