"""A publisher, nodes and gateways: real processes on ports that are free."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path
from typing import Callable, Dict, List, Optional

import httpx
from process_tools import PATIENCE, WITH_US, free_ports, wait_until


class World:
    """Everything it starts ends with it."""

    def __init__(self, program: str, nodes: int = 1, is_watched: bool = False) -> None:
        self.directory = Path(tempfile.mkdtemp(prefix="martlet-gateway-"))
        # nginx' workers have no rights in what is root's alone.
        self.directory.chmod(0o755)
        self.program = program
        self.processes: Dict[str, subprocess.Popen] = {}
        self.arguments: Dict[str, List[str]] = {}
        self.ports: Dict[str, int] = {}
        """Of each process and `publisher live`; of those that are watched `… http`, too."""
        self.nodes = [f"n{number + 1}" for number in range(nodes)]
        self.is_watched = is_watched
        self._take("publisher", "publisher live", *self.nodes)

    def _take(self, *names: str) -> None:
        self.ports.update(zip(names, free_ports(len(names))))

    @property
    def cluster(self) -> str:
        """Where the publisher is."""
        return f"tcp://127.0.0.1:{self.ports['publisher']}"

    def url(self, name: str = "gateway") -> str:
        """Of a gateway."""
        scheme = "https" if "--tls-key" in self.arguments[name] else "http"
        return f"{scheme}://127.0.0.1:{self.ports[name]}"

    def __enter__(self) -> "World":
        try:
            live = f"tcp://127.0.0.1:{self.ports['publisher live']}"
            self.start("publisher", "publisher", "--bind", self.cluster, "--live", live,
                       "--nodes", str(len(self.nodes)), "--log", str(self.directory / "log"))
            for each in self.nodes:
                self.start(each, "node", "--id", each, "--publisher", self.cluster, "--live", live,
                           "--bind", f"tcp://127.0.0.1:{self.ports[each]}", "--memory", "128MiB")
        except BaseException:
            self.__exit__(None)
            raise
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        for name, process in reversed(list(self.processes.items())):
            if process.poll() is None:
                # nginx is asked, so that its workers go with it.
                process.terminate() if name == "nginx" else process.kill()
                process.wait(PATIENCE)
        if kind is not None and os.environ.get("MARTLET_GATEWAY_KEEP"):
            kept = Path(os.environ["MARTLET_GATEWAY_KEEP"])
            kept.mkdir(parents=True, exist_ok=True)
            for log in [*self.directory.glob("*.out"), *self.directory.glob("*.log")]:
                shutil.copy(log, kept / f"{self.directory.name}-{log.name}")
        shutil.rmtree(self.directory, ignore_errors=True)

    # Processes

    def start(self, name: str, role: str, *arguments: str) -> None:
        """Starts a process of the program."""
        self.arguments[name] = [role, *arguments]
        if self.is_watched:
            self._take(f"{name} http")
            self.arguments[name] += ["--http", f"127.0.0.1:{self.ports[f'{name} http']}"]
        self.again(name)

    def again(self, name: str) -> None:
        """Starts one again as it was."""
        self.run(name, [self.program, *self.arguments[name]])

    def run(self, name: str, command: List[str], last: str = "KILL") -> subprocess.Popen:
        """Starts any process, which ends with the world, and by that signal with the harness."""
        with_us = [*WITH_US[:2], last] if WITH_US else []
        with open(self.directory / f"{name}.out", "ab") as output:
            self.processes[name] = subprocess.Popen(
                [*with_us, *command], stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        return self.processes[name]

    def gateway(self, *arguments: str, name: str = "gateway", is_awaited: bool = True) -> None:
        """Starts a gateway, and waits until all nodes are live to it."""
        self._take(name)
        self.start(name, "gateway", "--bind", f"127.0.0.1:{self.ports[name]}",
                   "--cluster", self.cluster, *arguments)
        if is_awaited:
            self.wait_for(name)

    def wait_for(self, name: str = "gateway") -> None:
        """Until a gateway sees all nodes live."""
        with httpx.Client(verify=False, timeout=5.0) as client:
            wait_until("the cluster is live", lambda: self._is_live(client, name))

    def _is_live(self, client: httpx.Client, name: str) -> bool:
        self.check()
        try:
            answer = client.get(f"{self.url(name)}/v1/cluster")
        except httpx.TransportError:
            return False
        states = [each.get("state") for each in answer.json()["nodes"]]
        return states == ["LIVE"] * len(self.nodes)

    def kill(self, name: str) -> None:
        """As kill -9 does."""
        self.processes[name].kill()
        self.processes[name].wait()

    def ask_to_stop(self, name: str) -> int:
        """SIGTERM; its exit code."""
        self.processes[name].send_signal(signal.SIGTERM)
        return self.processes[name].wait(PATIENCE)

    def check(self) -> None:
        """That nobody has ended."""
        for name, process in self.processes.items():
            assert process.poll() is None, f"{name} ended: {process.returncode}\n{self.said(name)}"

    def said(self, name: str) -> str:
        """All that a process has written."""
        return (self.directory / f"{name}.out").read_text(errors="replace")

    def certificate(self) -> "tuple[str, str]":
        """Paths of a certificate for localhost and 127.0.0.1, and of its key."""
        chain, key = self.directory / "tls.pem", self.directory / "tls-key.pem"
        if not chain.exists():
            subprocess.run(
                ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
                 "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
                 "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", key, "-out", chain],
                check=True, stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE)
        return str(chain), str(key)

    @property
    def tls(self) -> List[str]:
        """What a gateway is told to speak TLS."""
        chain, key = self.certificate()
        return ["--tls-certificate", chain, "--tls-key", key]


class Figures:
    """What a process holds of the machine."""

    def __init__(self, process: Optional[int]) -> None:
        self.path = Path(f"/proc/{process}")

    def descriptors(self) -> int:
        """Open files and sockets."""
        return len(os.listdir(self.path / "fd"))

    def memory(self, field: str = "VmRSS") -> int:
        """Bytes; VmHWM is the most since `forget_peak`."""
        for line in (self.path / "status").read_text().splitlines():
            if line.startswith(field + ":"):
                return int(line.split()[1]) << 10
        raise AssertionError(f"{self.path}: no {field}")

    def forget_peak(self) -> None:
        """The most that it has held is what it holds now."""
        (self.path / "clear_refs").write_text("5")


_SHARED: "Dict[Callable[[World], None], World]" = {}


def shared(program: str, furnish: Callable[[World], None]) -> World:
    """One world for all who furnish it in the same way, which they leave as they found it."""
    if furnish not in _SHARED:
        world = World(program).__enter__()
        try:
            furnish(world)
        except BaseException as error:
            world.__exit__(type(error))
            raise
        _SHARED[furnish] = world
    _SHARED[furnish].check()
    return _SHARED[furnish]


def end_shared(kind: object = None) -> None:
    """Ends them. With a kind, as if an error of that kind had ended them."""
    for world in _SHARED.values():
        world.__exit__(kind)
    _SHARED.clear()


def problem(body: bytes) -> str:
    """The kind of a problem document."""
    return json.loads(body)["type"].removeprefix("urn:martlet:problem:")
