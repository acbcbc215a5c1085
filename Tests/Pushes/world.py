"""A publisher with its log on disk and a gateway: real processes on ports that are free."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Optional

import httpx
from process_tools import PATIENCE, WITH_US, free_ports, wait_until


class World:
    """Everything it starts ends with it."""

    def __init__(self, program: str, tokens: Optional[str] = None) -> None:
        self.directory = Path(tempfile.mkdtemp(prefix="martlet-pushes-"))
        self.program = program
        control, live, self.port, self.metrics_port = free_ports(4)
        self.cluster = f"tcp://127.0.0.1:{control}"
        self.live = f"tcp://127.0.0.1:{live}"
        self.tokens = tokens
        self.publisher: Optional[subprocess.Popen] = None
        self.gateway: Optional[subprocess.Popen] = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def stream(self, query: str = "") -> str:
        """Where a WebSocket connects."""
        return f"ws://127.0.0.1:{self.port}/v1/stream{query}"

    def __enter__(self) -> "World":
        self.start_publisher()
        self.start_gateway()
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        for process in (self.gateway, self.publisher):
            if process is not None and process.poll() is None:
                process.kill()
                process.wait()
        if kind is not None and os.environ.get("MARTLET_PUSHES_KEEP"):
            kept = Path(os.environ["MARTLET_PUSHES_KEEP"])
            kept.mkdir(parents=True, exist_ok=True)
            for log in self.directory.glob("*.out"):
                shutil.copy(log, kept / f"{self.directory.name}-{log.name}")
        shutil.rmtree(self.directory, ignore_errors=True)

    def _start(self, name: str, *arguments: str) -> subprocess.Popen:
        with open(self.directory / f"{name}.out", "ab") as output:
            return subprocess.Popen(
                [*WITH_US, self.program, name, *arguments], stdin=subprocess.DEVNULL,
                stdout=output, stderr=output)

    def start_publisher(self, *more: str) -> None:
        self.publisher = self._start(
            "publisher", "--bind", self.cluster, "--live", self.live, "--nodes", "1",
            "--log", str(self.directory / "log"), *more)

    def start_gateway(self) -> None:
        if self.tokens is not None:
            path = self.directory / "tokens"
            path.write_text(self.tokens)
            path.chmod(0o600)
        arguments = ["--bind", f"127.0.0.1:{self.port}", "--cluster", self.cluster,
                     "--http", f"127.0.0.1:{self.metrics_port}"]
        self.gateway = self._start(
            "gateway", *arguments,
            *([] if self.tokens is None else ["--tokens", str(self.directory / "tokens")]))
        wait_until("the gateway answers", self._answers)

    def _answers(self) -> bool:
        assert self.gateway is not None
        assert self.gateway.poll() is None, (self.directory / "gateway.out").read_text()
        try:
            return httpx.get(f"{self.url}/v1/openapi.json").status_code == 200
        except httpx.TransportError:
            return False

    def figure(self, name: str) -> float:
        """What the gateway's metrics say of it."""
        page = httpx.get(f"http://127.0.0.1:{self.metrics_port}/metrics").text
        return next(float(line.split()[-1]) for line in page.splitlines()
                    if line.startswith((name + " ", name + "{")))

    def kill(self, name: str) -> None:
        """As kill -9 does."""
        process = getattr(self, name)
        process.kill()
        process.wait()

    def ask_to_stop(self, name: str) -> int:
        """SIGTERM; its exit code."""
        process = getattr(self, name)
        process.send_signal(signal.SIGTERM)
        return process.wait(PATIENCE)

    def invalidate(self, **members: object) -> str:
        """The position of the record. Asks again where it is told that nothing was sent."""
        end = time.monotonic() + PATIENCE
        while True:
            answer = self._ask_to_invalidate(members)
            is_away = answer.status_code == 503 and answer.json()["type"].endswith(":unreachable")
            if not is_away or time.monotonic() > end:
                break
            time.sleep(float(answer.headers["retry-after"]))
        assert answer.status_code in (200, 202), answer.text
        return answer.json()["position"]

    def _ask_to_invalidate(self, members: "dict[str, object]") -> httpx.Response:
        headers = {"Authorization": "Bearer boss"} if self.tokens else {}
        return httpx.post(
            f"{self.url}/v1/invalidate", json={"wait": "none", **members}, headers=headers,
            timeout=PATIENCE)
