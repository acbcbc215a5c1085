"""What every scenario stands on: a publisher and nodes as processes, and an origin."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, Dict, List, Optional

HERE = Path(__file__).resolve().parent
sys.path += [str(HERE.parent / "Conformance"), str(HERE.parent / "Faults")]

from martlet_client import MartletClient, NoAnswer, ServerError  # noqa: E402
from processes import PATIENCE, WITH_US, Role, free_ports, url, wait_until  # noqa: E402

LIVE = 3
READY_MAX = 30.0
NAME = "MARTLET_ORIGINS_NODE"
"""The variable by which a node tells the origin who it is."""


class Names:
    """The environment of each process: its own name."""

    def environment(self, name: str) -> Dict[str, str]:
        """What a process has besides."""
        return {NAME: name}


class Station:
    """A cluster whose nodes have origins. Everything it starts ends with it.

    `namespaces` are settings as the configuration has them, by name.
    """

    def __init__(self, program: str, directory: Path, topology: str,
                 namespaces: Dict[str, Dict[str, Any]], count: int = 3,
                 lease: str = "1s") -> None:
        self.topology, self.lease = topology, lease
        self.names = [f"n{number + 1}" for number in range(count)]
        control, live, *ports = free_ports(2 + count)
        self.control, self.live = url(control), url(live)
        self.shards = {name: url(port) for name, port in zip(self.names, ports)}
        configuration = directory / "cluster.yaml"
        configuration.write_text(self._configuration(namespaces))
        names: Any = Names()
        self.publisher = Role(
            "publisher",
            [program, "publisher", "--config", str(configuration), "--log",
             str(directory / "log")], directory / "publisher.log", names)
        self.nodes = {
            name: Role(name, [
                program, "node", "--id", name, "--publisher", self.control, "--live", self.live,
                "--bind", self.shards[name], "--memory", "256MiB"],
                directory / f"{name}.log", names)
            for name in self.names}

    def _configuration(self, namespaces: Dict[str, Dict[str, Any]]) -> str:
        lines = [f"topology: {self.topology}", "publisher:", f"  endpoint: {self.control}",
                 f"  live-endpoint: {self.live}", f"  lease: {self.lease}",
                 "  heartbeat: 100ms", "nodes:"]
        lines += [f"  - {{id: {name}, endpoints: [{self.shards[name]}]}}" for name in self.names]
        lines += ["namespaces:"]
        lines += [f"  {name}: {json.dumps(settings)}" for name, settings in namespaces.items()]
        return "\n".join(lines) + "\n"

    def __enter__(self) -> "Station":
        for role in [self.publisher, *self.nodes.values()]:
            role.start()
        try:
            wait_until("every node is LIVE", READY_MAX, self.is_well)
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def is_well(self) -> bool:
        """Whether every node is LIVE."""
        try:
            with self.client(0.5) as client:
                return all(client.status(at).state == LIVE for at in self.shards.values())
        except (NoAnswer, ServerError):
            return False

    def client(self, timeout: float = 5.0) -> MartletClient:
        """A client of the cluster, which the caller closes."""
        return MartletClient(self.control, timeout=timeout)

    def fallen(self) -> List[str]:
        """Who is not there any more."""
        return [each.name for each in [self.publisher, *self.nodes.values()] if not each.is_up]

    def close(self) -> None:
        """Ends everybody."""
        for role in [*self.nodes.values(), self.publisher]:
            role.resume()
            role.kill()


class Origin:
    """The made-up origin's process."""

    def __init__(self, log: Path) -> None:
        self.port = free_ports(1)[0]
        self.lock = threading.Lock()
        self.process = subprocess.Popen(
            [*WITH_US, sys.executable, str(HERE / "madeup.py"), str(self.port)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=open(log, "ab"), text=True)
        self._expect("ready")

    def __enter__(self) -> "Origin":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait(PATIENCE)

    def settings(self, **more: Any) -> Dict[str, Any]:
        """What a namespace says of its origin."""
        return {"url": f"http://127.0.0.1:{self.port}/{{namespace}}/{{key}}",
                "headers": {"x-node": f"${{{NAME}}}"}, **more}

    def tell(self, **order: Any) -> Dict[str, Any]:
        """Has it behave otherwise. Back when it does, with what it has seen before."""
        with self.lock:
            assert self.process.stdin is not None
            self.process.stdin.write(json.dumps(order) + "\n")
            self.process.stdin.flush()
            return json.loads(self._expect("done"))

    def seen(self) -> Dict[str, Any]:
        """What it has seen."""
        return self.tell()

    def _expect(self, word: str) -> str:
        assert self.process.stdout is not None
        said, _, more = self.process.stdout.readline().strip().partition(" ")
        if said != word:
            raise AssertionError(f"the origin says {said!r} and not {word!r}")
        return more


def until_asked(origin: Origin, count: int = 1, seconds: float = 10.0) -> Dict[str, Any]:
    """Waits until the origin was asked so often, and gives what it has seen."""
    seen: Dict[str, Any] = {}

    def was_asked() -> bool:
        nonlocal seen
        seen = origin.seen()
        return seen["requests"] >= count

    wait_until(f"the origin is asked {count} times", seconds, was_asked)
    return seen


def owner_of(client: MartletClient, key: bytes, space: str) -> Optional[str]:
    """The node whose shard a key is asked of."""
    at = client.owner(key, space)
    return next((each.id for each in client.topology.nodes if at in each.endpoints), None)
