"""A real cluster, started by `martlet up`."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import socket
import subprocess
import tempfile
from pathlib import Path
from typing import Dict, Optional

from process_tools import wait_until

PATIENCE = 30.0
WITH_US = ["setpriv", "--pdeathsig", "TERM"] if shutil.which("setpriv") else []
"""What has a process end when the harness does, even if that was killed."""


def free_range(count: int) -> int:
    """The first of so many ports in a row that nobody has now."""
    while True:
        first = random.randrange(20_000, 32_000 - count)
        held = [socket.socket() for _ in range(count)]
        try:
            for index, each in enumerate(held):
                each.bind(("127.0.0.1", first + index))
            return first
        except OSError:
            continue
        finally:
            for each in held:
                each.close()


class World:
    """Everything it starts ends with it."""

    def __init__(self, program: str, *more: str, starts: bool = True) -> None:
        self.program = program
        self.directory = Path(tempfile.mkdtemp(prefix="martlet-top-"))
        self.port = free_range(64)
        self.cluster = f"tcp://127.0.0.1:{self.port}"
        self.more = more
        self.process: Optional[subprocess.Popen] = None
        self.starts = starts
        self.ready: Dict = {}

    def __enter__(self) -> "World":
        if self.starts:
            self.start()
        return self

    def start(self) -> None:
        ready = self.directory / "ready"
        with open(self.directory / "up.out", "ab") as output:
            self.process = subprocess.Popen(
                [*WITH_US, self.program, "up", "--port", str(self.port), "--ready-file", str(ready),
                 "--dir", str(self.directory / "cluster"), *self.more],
                stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        wait_until("the cluster is ready", ready.exists, PATIENCE)
        self.ready = json.loads(ready.read_text())

    def __exit__(self, *_: object) -> None:
        if self.process is not None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        shutil.rmtree(self.directory, ignore_errors=True)

    @property
    def environment(self) -> Dict[str, str]:
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
        return {
            **kept, "TERM": "xterm-256color", "MARTLET_CLUSTER": self.cluster,
            "XDG_CACHE_HOME": str(self.directory / "cache"),
        }

    def kill_node(self, name: str) -> None:
        os.kill(next(node["pid"] for node in self.ready["nodes"] if node["id"] == name),
                signal.SIGKILL)

    def kill_publisher(self) -> None:
        os.kill(self.ready["publisher"]["pid"], signal.SIGKILL)

    def do(self, *arguments: str, **more: object) -> subprocess.CompletedProcess:
        """A command of the program, to its end."""
        return subprocess.run(
            [self.program, *arguments], env=more.pop("env", self.environment), timeout=PATIENCE,
            stdin=subprocess.DEVNULL, capture_output=True, **more)
