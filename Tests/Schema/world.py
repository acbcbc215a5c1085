"""A publisher, a node and a gateway: real processes on ports that are free."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import List

from process_tools import PATIENCE, WITH_US, free_ports


class World:
    """Everything it starts ends with it."""

    def __init__(self, program: str) -> None:
        self.directory = Path(tempfile.mkdtemp(prefix="martlet-schema-"))
        self.program = program
        self.processes: List[subprocess.Popen] = []
        control, live, port = free_ports(3)
        self.cluster = f"tcp://127.0.0.1:{control}"
        self.live = f"tcp://127.0.0.1:{live}"
        self.place = f"127.0.0.1:{port}"

    @property
    def document(self) -> str:
        return f"http://{self.place}/v1/openapi.json"

    def __enter__(self) -> "World":
        self._start("publisher", "--bind", self.cluster, "--live", self.live, "--nodes", "1")
        self._start(
            "node", "--id", "n1", "--publisher", self.cluster, "--live", self.live,
            "--bind", "tcp://127.0.0.1:*", "--memory", "64MiB")
        self._start("gateway", "--bind", self.place, "--cluster", self.cluster,
            "--timeout", "300ms")
        end = time.monotonic() + PATIENCE
        while not self._answers():
            assert time.monotonic() < end, f"the gateway did not answer within {PATIENCE} s"
            time.sleep(0.05)
        return self

    def __exit__(self, *_: object) -> None:
        for process in reversed(self.processes):
            process.kill()
            process.wait()
        shutil.rmtree(self.directory, ignore_errors=True)

    def _start(self, role: str, *arguments: str) -> None:
        with open(self.directory / f"{role}.out", "wb") as output:
            self.processes.append(subprocess.Popen(
                [*WITH_US, self.program, role, *arguments], stdin=subprocess.DEVNULL,
                stdout=output, stderr=output))

    def _answers(self) -> bool:
        self.check()
        try:
            with urllib.request.urlopen(f"http://{self.place}/v1/cluster", timeout=5) as answer:
                nodes = json.load(answer)["nodes"]
                return [each.get("state") for each in nodes] == ["LIVE"]
        except OSError:
            return False

    def check(self) -> None:
        """That nobody has ended."""
        for process in self.processes:
            role = process.args[len(WITH_US) + 1]
            said = (self.directory / f"{role}.out").read_text(errors="replace")
            assert process.poll() is None, f"the {role} ended: {process.returncode}\n{said}"
