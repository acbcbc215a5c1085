"""Real processes: a publisher, nodes, and the proxy between them."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Callable, Dict, List, Optional, Sequence, Set, Tuple

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "Harness"))

from clock import PATIENCE, Clock  # noqa: E402
from network import HUB, LOOPBACK, Namespaces  # noqa: E402
from process_tools import WITH_US, free_ports  # noqa: E402
from room import Room  # noqa: E402
from tiers import Tiers  # noqa: E402

NODE_MEMORY = "16MiB"
"""Everything fits. With a disk tier there is so little that most of what is read comes from it."""


def url(port: int, host: str = LOOPBACK) -> str:
    """The endpoint at a port."""
    return f"tcp://{host}:{port}"


class Role:
    """A process that is started, hurt and started again with the same command."""

    def __init__(self, name: str, command: Sequence[str], log: Path, clock: Clock) -> None:
        self.name, self.command, self.log, self.clock = name, list(command), log, clock
        self.more: List[str] = []
        """What its next life is told besides."""
        self.started = 0.0
        self.process: Optional[subprocess.Popen] = None

    def start(self) -> None:
        """Starts it; what it says is added to its log."""
        with open(self.log, "ab") as output:
            self.started = time.monotonic()
            self.process = subprocess.Popen(
                [*WITH_US, *self.command, *self.more], stdin=subprocess.DEVNULL,
                stdout=output, stderr=output,
                env={**os.environ, **self.clock.environment(self.name)})

    @property
    def is_up(self) -> bool:
        """Whether it runs."""
        return self.process is not None and self.process.poll() is None

    @property
    def pid(self) -> int:
        """Its number, while it runs; 0 before it was ever started."""
        return self.process.pid if self.process is not None else 0

    def send(self, what: signal.Signals) -> None:
        """Sends it a signal, if it is there."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(what)

    def kill(self) -> None:
        """Ends it in the middle of whatever it does."""
        self.send(signal.SIGKILL)
        if self.process is not None:
            self.process.wait(PATIENCE)

    def stop(self) -> int:
        """Asks it to end, and gives its exit code."""
        self.send(signal.SIGTERM)
        try:
            return self.process.wait(PATIENCE) if self.process is not None else 0
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"{self.name} did not end within {PATIENCE} s of SIGTERM")

    def write_stacks(self, path: Path) -> None:
        """Where each of its threads is, if a debugger is here."""
        if self.process is None or not self.is_up or shutil.which("gdb") is None:
            return
        command = ["gdb", "-p", str(self.process.pid), "-batch", "-ex", "thread apply all bt 24"]
        with open(path, "wb") as file:
            try:
                subprocess.run(command, stdin=subprocess.DEVNULL, stdout=file,
                               stderr=subprocess.STDOUT, timeout=60)
            except subprocess.TimeoutExpired:
                file.write(b"the debugger took too long\n")

    def said(self) -> bytes:
        """All that it has said so far."""
        return self.log.read_bytes() if self.log.exists() else b""

    def account(self) -> str:
        """Whether it runs, and the last lines of its log: for the message of a failure."""
        state = "runs" if self.is_up else f"ended with {self.process and self.process.returncode}"
        return f"{self.name} {state}; its log ends:\n" + "\n".join(
            self.said().decode(errors="replace").splitlines()[-8:])

    def pause(self) -> None:
        """Stops it as a debugger or an overloaded host does."""
        self.send(signal.SIGSTOP)

    def resume(self) -> None:
        """Has it go on."""
        self.send(signal.SIGCONT)


class Proxy:
    """The links, and one process that carries all of them."""

    def __init__(self, targets: Dict[str, str], log: Path, host: str = LOOPBACK) -> None:
        self.host = host
        self.ports = dict(zip(targets, free_ports(len(targets))))
        self.lock = threading.Lock()
        pairs = [f"{self.ports[name]}:{target}" for name, target in targets.items()]
        self.process = subprocess.Popen(
            [sys.executable, str(HERE / "proxy.py"), host, *pairs], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=open(log, "ab"), text=True)
        self._expect("ready")

    def set(self, link: str, **order: object) -> Dict[str, int]:
        """Makes a link worse or better. Back when that is so, with what has happened on it."""
        with self.lock:
            line = json.dumps({"link": self.ports[link], **order}) + "\n"
            assert self.process.stdin is not None
            self.process.stdin.write(line)
            self.process.stdin.flush()
            return json.loads(self._expect("done"))

    def heal(self, link: str, cut: bool) -> Dict[str, int]:
        """The link is as it was; what stood may have to be made anew."""
        return self.set(link, up="pass", down="pass", refuse=False, delay=[0, 0], late_accept=0,
                        overtake=0, lose=[0, 0], rate=0, cut=cut)

    def seen(self) -> Counter:
        """What has happened on all links."""
        return sum((Counter(self.set(link)) for link in self.ports), Counter())

    def url(self, link: str) -> str:
        """Where one connects to this link."""
        return url(self.ports[link], self.host)

    def _expect(self, word: str) -> str:
        assert self.process.stdout is not None
        said, _, more = self.process.stdout.readline().strip().partition(" ")
        if said != word:
            raise AssertionError(f"the proxy says {said!r} and not {word!r}")
        return more

    def close(self) -> None:
        """Ends the proxy."""
        self.process.kill()
        self.process.wait(PATIENCE)


class Cluster:
    """A publisher with a log on disk and nodes, with a link between any two of them.

    In namespaces publisher and nodes meet on wires of their own, and the proxy carries only what
    clients say. Whoever is spared is not killed. With disk tiers a node has little memory, and what
    it forgets is read from a file that outlives it.
    """

    def __init__(self, programs: Tuple[str, str], directory: Path, topology: str, nodes: int,
                 lease: float, policies: Dict[str, str], clock: Clock,
                 network: Optional[Namespaces] = None, has_tiers: bool = False) -> None:
        self.programs, self.directory, self.topology = programs, directory, topology
        self.network = network
        self.tiers = Tiers(directory / "tiers") if has_tiers else None
        self.spared: Set[str] = set()
        self.names = [f"n{number + 1}" for number in range(nodes)]
        control, live, *shards = free_ports(2 + nodes)
        self.hosts = {name: network.add(name) if network else LOOPBACK
                      for name in ["publisher", *self.names]}
        self.control = url(control, self.hosts["publisher"])
        self.live = url(live, self.hosts["publisher"])
        self.shards = {name: url(port, self.hosts[name])
                       for name, port in zip(self.names, shards)}
        self.proxy = Proxy(self._targets(), directory / "proxy.log", HUB if network else LOOPBACK)
        self.room = Room(directory / "room", 24)
        self.log = directory / "room" / "log"
        self.configuration = directory / "cluster.yaml"
        self.configuration.write_text(self._configuration(lease, policies))
        self.publisher = Role("publisher", self._publisher(), directory / "publisher.log", clock)
        self.nodes = {name: Role(name, self._node(name), directory / f"{name}.log", clock)
                      for name in self.names}
        self.dress()

    def dress(self) -> None:
        """The next life of every node has the tier that it should have."""
        if self.tiers is not None:
            for name, role in self.nodes.items():
                role.more = self.tiers.options(name)

    def _targets(self) -> Dict[str, str]:
        """The links by their names, and what lies behind each."""
        targets = {"admin": self.control}
        targets |= {f"{name}.shard": self.shards[name] for name in self.names}
        if self.network is None:
            targets |= {f"{name}.control": self.control for name in self.names}
            targets |= {f"{name}.live": self.live for name in self.names}
        return {link: target.removeprefix("tcp://") for link, target in targets.items()}

    def _configuration(self, lease: float, policies: Dict[str, str]) -> str:
        lines = [f"topology: {self.topology}", "publisher:",
                 f"  endpoint: {self.control}", f"  live-endpoint: {self.live}",
                 f"  lease: {int(lease * 1_000)}ms", "  heartbeat: 100ms",
                 "  retention: {bytes: 4MiB}", "nodes:"]
        lines += [f"  - {{id: {name}, endpoints: [{self.shards[name]}]}}" for name in self.names]
        lines += ["namespaces:"]
        share = f", memory-max: {self.tiers.share}" if self.tiers else ""
        lines += [f"  {space}: {{suspect: {policy}, load-lease: 500ms{share}}}"
                  for space, policy in policies.items()]
        return "\n".join(lines) + "\n"

    def _publisher(self) -> List[str]:
        return self._at("publisher", [
            self.programs[0], "publisher", "--config", str(self.configuration),
            "--log", str(self.log), "--advertise", self.admin])

    def _node(self, name: str) -> List[str]:
        direct = self.network is not None
        return self._at(name, [
            self.programs[1], "node", "--id", name,
            *(self.tiers.memory if self.tiers else ["--memory", NODE_MEMORY]),
            "--publisher", self.control if direct else self.proxy.url(f"{name}.control"),
            "--live", self.live if direct else self.proxy.url(f"{name}.live"),
            "--bind", self.shards[name], "--advertise", self.proxy.url(f"{name}.shard")])

    def _at(self, name: str, command: List[str]) -> List[str]:
        """The command in its namespace, whose address is beyond what a process takes for its own
        machine."""
        if self.network is None:
            return command
        return [*self.network.prefix(name), *command, "--insecure-bind"]

    @property
    def roles(self) -> List[Role]:
        """Every process but the proxy."""
        return [self.publisher, *self.nodes.values()]

    @property
    def mortals(self) -> List[str]:
        """The nodes that may be killed."""
        return [name for name in self.names if name not in self.spared]

    def started(self, endpoint: str) -> float:
        """When the node that clients find there was started last."""
        for name, role in self.nodes.items():
            if endpoint == self.proxy.url(f"{name}.shard"):
                return role.started
        raise AssertionError(f"no node is at {endpoint}")

    @property
    def admin(self) -> str:
        """Where clients begin."""
        return self.proxy.url("admin")

    def start(self) -> None:
        """Starts everybody."""
        for role in self.roles:
            role.start()

    def copy_log(self, to: Path) -> None:
        """What a backup would have taken now."""
        shutil.rmtree(to, ignore_errors=True)
        shutil.copytree(self.log, to, ignore=shutil.ignore_patterns("lock"))

    def close(self) -> None:
        """Ends everybody and gives back what was taken."""
        for role in self.roles:
            role.resume()
            role.kill()
        self.proxy.close()
        self.room.close()
        if self.tiers is not None:
            self.tiers.close()
        if self.network is not None:
            self.network.close()


def wait_until(what: str, seconds: float, condition: Callable[[], bool]) -> float:
    """Looks again and again; how long it took."""
    began = time.monotonic()
    while not condition():
        if time.monotonic() - began > seconds:
            raise AssertionError(f"not within {seconds:.0f} s: {what}")
        time.sleep(0.01)
    return time.monotonic() - began
