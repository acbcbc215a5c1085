"""A publisher, two nodes and a gateway: real processes on ports that are free."""

from __future__ import annotations

import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Callable, Dict, List, Optional

import httpx
from process_tools import WITH_US, free_ports

PATIENCE = 30.0


class World:
    """Everything it starts ends with it."""

    def __init__(
        self, program: str, tokens: Optional[str] = None, shards: int = 2,
        node_flags: Optional[List[str]] = None, has_tls: bool = False, publishers: int = 1,
        slots: bool = False,
    ) -> None:
        self.directory = Path(tempfile.mkdtemp(prefix="martlet-dashboard-"))
        self.program = program
        control, live, self.port = free_ports(3)
        self.cluster = f"tcp://127.0.0.1:{control}"
        self.live = f"tcp://127.0.0.1:{live}"
        self.tokens = tokens
        self.shards = shards
        self.node_flags = node_flags or []
        self.has_tls = has_tls
        self.publishers = publishers
        self.slots = slots
        self.processes: Dict[str, subprocess.Popen] = {}

    @property
    def url(self) -> str:
        return f"{'https' if self.has_tls else 'http'}://127.0.0.1:{self.port}"

    def __enter__(self) -> "World":
        try:
            self.start_publisher() if self.publishers == 1 else self._start_publishers()
            for node in ("n1", "n2", "n3") if self.slots else ("n1", "n2"):
                self.start_node(node)
            self.start_gateway()
            self.wait_until("both nodes are live", self._is_live)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for process in self.processes.values():
            if process.poll() is None:
                process.kill()
                process.wait()
        shutil.rmtree(self.directory, ignore_errors=True)

    def _start(self, name: str, *arguments: str) -> None:
        self._start_program(name, self.program, *arguments)

    def _start_program(self, name: str, program: str, *arguments: str) -> None:
        with open(self.directory / f"{name}.out", "ab") as output:
            self.processes[name] = subprocess.Popen(
                [*WITH_US, program, *arguments], stdin=subprocess.DEVNULL, stdout=output,
                stderr=output)

    def start_publisher(self) -> None:
        if self.slots:
            return self._start_by_slots()
        self._start(
            "publisher", "publisher", "--bind", self.cluster, "--live", self.live, "--nodes", "2",
            "--shards", str(self.shards), "--log", str(self.directory / "log"))

    def _start_by_slots(self) -> None:
        """Three nodes, of which the third copies entries slowly."""
        nodes = "".join(f"  - {{id: {each}, shards: {self.shards}}}\n" for each in ("n1", "n2"))
        (self.directory / "cluster.yaml").write_text(
            "topology: slots\npublisher:\n"
            f'  endpoint: "{self.cluster}"\n  live-endpoint: "{self.live}"\n'
            f"  log: {self.directory / 'log'}\n  failover-after: 1s\n"
            f"nodes:\n{nodes}  - {{id: n3, shards: {self.shards}, warm-up-rate: 20}}\n")
        self._start("publisher", "publisher", "--config", str(self.directory / "cluster.yaml"))

    def _start_publishers(self) -> None:
        """Several on an etcd with one member; they and the nodes read one file."""
        etcd, peer, *ports = free_ports(2 + 2 * self.publishers)
        self.etcd = f"http://127.0.0.1:{etcd}"
        self.names = [f"p{number + 1}" for number in range(self.publishers)]
        lines = [
            "publisher:", "  log: etcd", f"  etcd: {{endpoints: [{self.etcd}]}}", "publishers:"]
        for number, name in enumerate(self.names):
            control, live = (
                f"tcp://127.0.0.1:{port}" for port in ports[2 * number:2 * number + 2])
            lines.append(
                f'  - {{id: {name}, endpoint: "{control}", live-endpoint: "{live}", '
                f"state-directory: {self.directory / name}}}")
        lines.append("nodes:")
        lines += [f"  - {{id: {each}, shards: {self.shards}}}" for each in ("n1", "n2")]
        (self.directory / "cluster.yaml").write_text("\n".join(lines) + "\n")
        self.cluster = f"tcp://127.0.0.1:{ports[0]}"
        self._start_program(
            "etcd", "etcd", "--name", "m1", "--data-dir", str(self.directory / "etcd"),
            "--listen-client-urls", self.etcd, "--advertise-client-urls", self.etcd,
            "--listen-peer-urls", f"http://127.0.0.1:{peer}", "--initial-advertise-peer-urls",
            f"http://127.0.0.1:{peer}", "--initial-cluster", f"m1=http://127.0.0.1:{peer}")
        for name in self.names:
            self._start(
                name, "publisher", "--config", str(self.directory / "cluster.yaml"), "--id", name)

    def start_node(self, name: str) -> None:
        bind = ["--bind", "tcp://127.0.0.1:*"] * self.shards
        flags = [each.replace("NODE", str(self.directory / name)) for each in self.node_flags]
        place = ["--publisher", self.cluster, "--live", self.live]
        if self.publishers > 1 or self.slots:
            place = ["--config", str(self.directory / "cluster.yaml")]
        self._start(
            name, "node", "--id", name, *place, "--shards", str(self.shards), *bind,
            "--memory", "64MiB", *flags)

    def start_gateway(self) -> None:
        arguments = ["--bind", f"127.0.0.1:{self.port}", "--cluster", self.cluster]
        if self.tokens is not None:
            path = self.directory / "tokens"
            path.write_text(self.tokens)
            path.chmod(0o600)
            arguments += ["--tokens", str(path)]
        if self.has_tls:
            arguments += self._certificate()
        self._start("gateway", "gateway", *arguments)
        self.wait_until("the gateway answers", self._answers)

    def _certificate(self) -> List[str]:
        certificate, key = (str(self.directory / each) for each in ("cert.pem", "key.pem"))
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
             "-nodes", "-subj", "/CN=127.0.0.1", "-days", "2", "-addext",
             "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate],
            check=True, capture_output=True)
        return ["--tls-certificate", certificate, "--tls-key", key]

    def wait_until(self, what: str, is_so: Callable[[], bool]) -> None:
        end = time.monotonic() + PATIENCE
        while not is_so():
            for name, process in self.processes.items():
                assert process.poll() is None, (
                    f"{name} ended:\n{(self.directory / f'{name}.out').read_text()}")
            assert time.monotonic() < end, f"it took longer than {PATIENCE} s until {what}"
            time.sleep(0.05)

    def _answers(self) -> bool:
        try:
            return self.ask("GET", "/v1/openapi.json").status_code == 200
        except httpx.TransportError:
            return False

    def _is_live(self) -> bool:
        answer = self.ask("GET", "/v1/cluster")
        return answer.status_code == 200 and all(
            node["reachable"] and node["state"] == "LIVE" for node in answer.json()["nodes"])

    def ask(self, method: str, path: str, **more: object) -> httpx.Response:
        headers = {"Authorization": "Bearer boss"} if self.tokens else {}
        headers.update(more.pop("headers", {}))  # type: ignore[arg-type]
        return httpx.request(
            method, self.url + path, headers=headers, timeout=PATIENCE, verify=False,
            **more)  # type: ignore

    def put(self, path: str, value: bytes = b"value", **fields: str) -> None:
        headers = {name.replace("_", "-"): text for name, text in fields.items()}
        answer = self.ask("PUT", f"/v1/{path}", content=value, headers=headers)
        assert answer.status_code == 204, answer.text

    def invalidate(self, **members: object) -> dict:
        """The receipt."""
        answer = self.ask("POST", "/v1/invalidate", json={"wait": "all", **members})
        assert answer.status_code in (200, 202), answer.text
        return answer.json()

    def kill(self, name: str) -> None:
        """As kill -9 does."""
        process = self.processes.pop(name)
        process.kill()
        process.wait()

    def suspend(self, name: str) -> None:
        """Its connections stand, and it says nothing any more."""
        self.processes[name].send_signal(signal.SIGSTOP)

    def stop(self, name: str) -> None:
        """SIGTERM, and waits for it."""
        process = self.processes.pop(name)
        process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE)
