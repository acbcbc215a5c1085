"""A cluster in one process group, a gateway and an origin: on ports that are free."""

from __future__ import annotations

import http.client
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Dict, Optional, Sequence, Tuple

from process_tools import PATIENCE, WITH_US, free_ports, wait_until


class Origin:
    """Answers every path, and notes which trace asked."""

    def __init__(self) -> None:
        self.seen: Dict[str, Optional[str]] = {}
        origin = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                origin.seen[self.path.lstrip("/")] = self.headers.get("traceparent")
                body = b"from the origin"
                self.send_response(200)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class World:
    """Everything it starts ends with it."""

    def __init__(
        self, program: str, *gateway: str, node: Sequence[str] = (), **variables: str
    ) -> None:
        self.directory = Path(tempfile.mkdtemp(prefix="martlet-spans-"))
        self.program = program
        self.arguments = gateway
        self.node = node
        self.variables = variables
        self.origin = Origin()
        control, live, shard, self.port, self.health, self.node_health = free_ports(6)
        self.cluster = f"tcp://127.0.0.1:{control}"
        self.live = f"tcp://127.0.0.1:{live}"
        self.shard = f"tcp://127.0.0.1:{shard}"
        self.processes: Dict[str, subprocess.Popen] = {}

    def __enter__(self) -> "World":
        try:
            config = self.directory / "martlet.yaml"
            config.write_text(
                "topology: sharded\npublisher:\n"
                f"  endpoint: {self.cluster}\n  live-endpoint: {self.live}\n"
                f"nodes:\n  - {{id: n1, endpoints: [{self.shard}]}}\n"
                "namespaces:\n  images:\n    origin:\n"
                f"      url: {self.origin.url}/{{key}}\n")
            self._start("publisher", "--config", str(config))
            self._start(
                "node", "--id", "n1", "--config", str(config), "--http",
                f"127.0.0.1:{self.node_health}", *self.node)
            self._start(
                "gateway", "--bind", f"127.0.0.1:{self.port}", "--cluster", self.cluster,
                "--http", f"127.0.0.1:{self.health}", *self.arguments)
            wait_until("the gateway answers", self._answers)
        except BaseException:
            self.__exit__(AssertionError)
            raise
        return self

    def __exit__(self, kind: object = None, *_: object) -> None:
        for process in reversed(self.processes.values()):
            if process.poll() is None:
                process.kill()
            process.wait()
        self.origin.close()
        if kind is not None and os.environ.get("MARTLET_SPANS_KEEP"):
            kept = Path(os.environ["MARTLET_SPANS_KEEP"])
            kept.mkdir(parents=True, exist_ok=True)
            for log in self.directory.glob("*.out"):
                shutil.copy(log, kept / f"{self.directory.name}-{log.name}")
        shutil.rmtree(self.directory, ignore_errors=True)

    def _start(self, role: str, *arguments: str) -> None:
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith("MARTLET_")}
        with open(self.directory / f"{role}.out", "wb") as output:
            self.processes[role] = subprocess.Popen(
                [*WITH_US, self.program, role, *arguments], stdin=subprocess.DEVNULL,
                stdout=output, stderr=output, env={**environment, **self.variables})

    def said(self, role: str = "gateway") -> str:
        return (self.directory / f"{role}.out").read_text(errors="replace")

    def check(self) -> None:
        """That nobody has ended."""
        for role, process in self.processes.items():
            assert process.poll() is None, f"the {role} ended\n{self.said(role)}"

    def _answers(self) -> bool:
        self.check()
        try:
            return self.ask("PUT", "/v1/default/first", b"1")[0] in (201, 204)
        except OSError:
            return False

    def ask(
        self, method: str, target: str, body: Optional[bytes] = None, **fields: str
    ) -> Tuple[int, Dict[str, str], bytes]:
        """Status, fields by lower-case names, and body."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request(method, target, body, dict(fields))
            answer = connection.getresponse()
            names = {name.lower(): value for name, value in answer.getheaders()}
            return answer.status, names, answer.read()
        finally:
            connection.close()

    def metric(self, outcome: str) -> int:
        """Spans of one outcome, as the gateway counts them."""
        return self._count(self.health, f'martlet_gateway_spans_total{{outcome="{outcome}"}}')

    def node_metric(self, outcome: str) -> int:
        """Spans of one outcome, as the node counts them."""
        return self._count(
            self.node_health, f'martlet_node_spans_total{{node="n1",outcome="{outcome}"}}')

    def _count(self, port: int, sample: str) -> int:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        try:
            connection.request("GET", "/metrics")
            text = connection.getresponse().read().decode()
        finally:
            connection.close()
        found = re.search(rf"^{re.escape(sample)} (\d+)$", text, re.M)
        assert found, text
        return int(found.group(1))

    def resident_bytes(self) -> int:
        status = Path(f"/proc/{self.processes['gateway'].pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+) kB", status).group(1)) << 10

    def stop(self, role: str) -> float:
        """SIGTERM; how long it took."""
        process = self.processes[role]
        start = time.monotonic()
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == 0, self.said(role)
        return time.monotonic() - start
