"""What is attacked: a cluster as `martlet up` runs it, with a key for each of its processes."""

from __future__ import annotations

import json
import os
import random
import socket
import subprocess
import sys
from pathlib import Path
from typing import Dict, List, NamedTuple, Optional

HERE = Path(__file__).resolve().parent
sys.path += [str(HERE.parent / "Origins")]

import station  # noqa: E402,F401  (finds the packages of Tests/Conformance and Tests/Faults)
from key_pair import KeyPair, split  # noqa: E402
from martlet_client import MartletClient  # noqa: E402
from processes import PATIENCE, WITH_US, wait_until  # noqa: E402
from process_tools import PORTS  # noqa: E402

READY_MAX = 40.0
NODES = 2
PORT_COUNT = 2 + NODES
"""The publisher's two, and one for each shard."""


class Door(NamedTuple):
    """A port that somebody may knock at, and whose it is."""

    process: str
    kind: str
    endpoint: str

    @property
    def host(self) -> str:
        """Its address."""
        return split(self.endpoint)[0].removeprefix("tcp://").rsplit(":", 1)[0]

    @property
    def port(self) -> int:
        """Its port."""
        return int(split(self.endpoint)[0].rsplit(":", 1)[1])

    @property
    def key(self) -> bytes:
        """Its server's key."""
        key = split(self.endpoint)[1]
        assert key is not None
        return key


def _room() -> int:
    """The first of so many ports in a row that nobody has now."""
    for _ in range(500):
        first = random.randrange(PORTS[0], PORTS[1] - PORT_COUNT)
        held: List[socket.socket] = []
        try:
            for port in range(first, first + PORT_COUNT):
                held.append(socket.socket())
                held[-1].bind(("127.0.0.1", port))
            return first
        except OSError:
            continue
        finally:
            for each in held:
                each.close()
    raise AssertionError(f"no {PORT_COUNT} ports in a row are free")


class Target:
    """A publisher and two nodes. Everything it starts ends with it."""

    def __init__(self, program: str, directory: Path) -> None:
        self.program, self.directory = program, directory
        self.process: Optional[subprocess.Popen] = None
        self.processes: Dict[str, int] = {}
        self.doors: List[Door] = []

    def __enter__(self) -> "Target":
        # Another program may take a port between the look and the start.
        for attempt in range(3):
            try:
                self._start(_room())
                return self
            except AssertionError:
                self.close()
                if attempt == 2:
                    raise
        raise AssertionError

    def __exit__(self, *_: object) -> None:
        self.close()

    def _start(self, port: int) -> None:
        self.directory.mkdir(parents=True, exist_ok=True)
        ready = self.directory / "ready.json"
        with open(self.directory / "up.log", "ab") as output:
            self.process = subprocess.Popen(
                [*WITH_US, self.program, "up", "--secure", "--dir", str(self.directory),
                 "--port", str(port), "--nodes", str(NODES), "--memory", "64MiB",
                 "--ready-file", str(ready)],
                stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        wait_until("the cluster is live", READY_MAX,
                   lambda: ready.exists() or self.process.poll() is not None)
        assert ready.exists(), f"it did not start: {self.said('up')[-400:]}"
        report = json.loads(ready.read_text())
        self.control = report["publisher"]["endpoint"]
        self.processes = {"publisher": report["publisher"]["pid"],
                          **{node["id"]: node["pid"] for node in report["nodes"]}}
        with self.client("admin") as client:
            topology = client.topology
        self.doors = [Door("publisher", "control", topology.control),
                      Door("publisher", "live", topology.live)]
        self.doors += [Door(node.id, "data", endpoint)
                       for node in topology.nodes for endpoint in node.endpoints]

    @property
    def nodes(self) -> List[str]:
        """The ids of its nodes."""
        return [name for name in self.processes if name != "publisher"]

    def door(self, kind: str) -> Door:
        """The first door of a kind."""
        return next(each for each in self.doors if each.kind == kind)

    def key_file(self, name: str) -> Path:
        """Where the key of that name is."""
        return self.directory / "keys" / f"{name}.key"

    def keys(self, name: str) -> KeyPair:
        """The key of that name."""
        return KeyPair.read(self.key_file(name))

    def client(self, name: str, timeout: float = 5.0) -> MartletClient:
        """A client with the key of that name, which the caller closes."""
        return self.client_with(self.keys(name), timeout)

    def client_with(self, keys: KeyPair, timeout: float = 5.0) -> MartletClient:
        """A client with a key, which the caller closes."""
        return MartletClient(self.control, timeout=timeout, keys=keys)

    # The list

    @property
    def _list(self) -> Path:
        return self.directory / "allow-list"

    def enrol(self, name: str, rights: str, patterns: str = "*", until: str = "") -> KeyPair:
        """A new key in the list."""
        keys = KeyPair.made()
        line = f"{name} {keys.public.hex()} {rights} {patterns} {until}".rstrip()
        self._write(self._list.read_text() + line + "\n")
        return keys

    def strike(self, name: str) -> None:
        """Takes a name out of the list."""
        kept = [line for line in self._list.read_text().splitlines()
                if line.split()[:1] != [name]]
        self._write("\n".join(kept) + "\n")

    def _write(self, text: str) -> None:
        new = self._list.with_suffix(".new")
        new.write_text(text)
        new.rename(self._list)

    # Its processes

    def fallen(self) -> List[str]:
        """Who has ended, or been started again."""
        return [name for name, pid in self.processes.items() if not _lives(pid)]

    def said(self, name: str) -> str:
        """All that a process has written."""
        log = self.directory / f"{name}.log"
        return log.read_text(errors="replace") if log.exists() else ""

    def close(self) -> None:
        """Ends everybody."""
        if self.process is None:
            return
        self.process.terminate()
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(PATIENCE)
        self.process = None


def _lives(pid: int) -> bool:
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return ") Z " not in status and os.path.exists(f"/proc/{pid}/exe")
