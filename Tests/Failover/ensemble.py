"""Three members of etcd, three publishers, three nodes, and a link between any two of them."""

from __future__ import annotations

from pathlib import Path
from typing import Dict, List, Optional

import paths  # noqa: F401
from clock import Clock
from leader_client import DirectAsker, Places, figure
from martlet_client import NoAnswer, ServerError
from martlet_protocol import admin
from members import Members
from process_tools import free_ports
from processes import NODE_MEMORY, Proxy, Role, url, wait_until
from truth import Place

LIVE = 3
RESIDENT = "resident"
"""The namespace of what is never invalidated."""


class SteadyClock(Clock):
    """Leaves the calendars of all processes alone."""

    def __init__(self, directory: Path) -> None:
        super().__init__(directory)
        self.is_there = False


class Ensemble:
    """The processes. Publishers reach etcd, nodes reach publishers, and clients reach publishers
    and nodes by links of their own, named `p1.m1`, `p1.control`, `p1.live`, `p1.admin` and
    `n1.shard`. Without a proxy all of them connect directly.
    """

    def __init__(self, program: str, directory: Path, settings: List[str],
                 policies: Dict[str, str], topology: str = "sharded",
                 is_proxied: bool = True) -> None:
        self.program, self.directory, self.topology = program, directory, topology
        clock = SteadyClock(directory)
        self.members = Members(directory, clock)
        self.publisher_names = ["p1", "p2", "p3"]
        self.node_names = ["n1", "n2", "n3"]
        ports = free_ports(9)
        self.control = dict(zip(self.publisher_names, map(url, ports[0:3])))
        self.live = dict(zip(self.publisher_names, map(url, ports[3:6])))
        self.shards = dict(zip(self.node_names, map(url, ports[6:9])))
        targets = self._targets()
        self.proxy = Proxy(targets, directory / "proxy.log") if is_proxied else None
        self.links = {link: self.proxy.url(link) if self.proxy else f"tcp://{target}"
                      for link, target in targets.items()}
        self.configuration = directory / "cluster.yaml"
        self.configuration.write_text(self._configuration(settings, policies))
        self.publishers = {
            name: Role(name, self._publisher(name), directory / f"{name}.log", clock)
            for name in self.publisher_names}
        self.nodes = {name: Role(name, self._node(name), directory / f"{name}.log", clock)
                      for name in self.node_names}

    def _targets(self) -> Dict[str, str]:
        targets = {}
        for name in self.publisher_names:
            for kind in ("control", "admin"):
                targets[f"{name}.{kind}"] = self.control[name].removeprefix("tcp://")
            targets[f"{name}.live"] = self.live[name].removeprefix("tcp://")
            for member in self.members.names:
                targets[f"{name}.{member}"] = f"127.0.0.1:{self.members.clients[member]}"
        for name in self.node_names:
            targets[f"{name}.shard"] = self.shards[name].removeprefix("tcp://")
        return targets

    def _configuration(self, settings: List[str], policies: Dict[str, str]) -> str:
        endpoints = ", ".join(f'"{self.members.url(name)}"' for name in self.members.names)
        lines = [f"topology: {self.topology}", "publisher:", "  log: etcd",
                 f"  etcd: {{endpoints: [{endpoints}], prefix: /martlet/failover/}}",
                 *(f"  {setting}" for setting in settings), "publishers:"]
        lines += [
            f'  - {{id: {name}, endpoint: "{self.control[name]}", '
            f'live-endpoint: "{self.live[name]}", '
            f"state-directory: {self.directory / name}}}" for name in self.publisher_names]
        lines.append("nodes:")
        lines += [f'  - {{id: {name}, endpoints: ["{self.shards[name]}"]}}'
                  for name in self.node_names]
        lines.append("namespaces:")
        lines += [f"  {space}: {{suspect: {policy}, load-lease: 500ms}}"
                  for space, policy in {**policies, RESIDENT: "serve"}.items()]
        return "\n".join(lines) + "\n"

    def _publisher(self, name: str) -> List[str]:
        endpoints = ",".join(self.links[f"{name}.{member}"].replace("tcp:", "http:")
                             for member in self.members.names)
        return [self.program, "publisher", "--config", str(self.configuration), "--id", name,
                "--etcd-endpoints", endpoints, "--advertise", self.links[f"{name}.control"],
                "--advertise-live", self.links[f"{name}.live"]]

    def _node(self, name: str) -> List[str]:
        links = [self.links[f"{each}.control"] for each in self.publisher_names]
        return [self.program, "node", "--id", name, "--memory", NODE_MEMORY,
                *(word for link in links for word in ("--publisher", link)),
                "--bind", self.shards[name], "--advertise", self.links[f"{name}.shard"]]

    @property
    def roles(self) -> List[Role]:
        """Every process but the proxy."""
        return [*self.members.roles.values(), *self.publishers.values(), *self.nodes.values()]

    @property
    def places(self) -> Places:
        """What a client needs to know."""
        return Places({self.links[f"{name}.control"]: self.links[f"{name}.admin"]
                       for name in self.publisher_names},
                      [self.links[f"{name}.shard"] for name in self.node_names])

    def start(self) -> None:
        """Starts etcd, and then the rest."""
        self.members.start()
        self.members.await_leader()
        for role in [*self.publishers.values(), *self.nodes.values()]:
            role.start()

    def close(self) -> None:
        """Ends everything."""
        for role in [*self.nodes.values(), *self.publishers.values()]:
            role.resume()
            role.kill()
        self.members.close()
        if self.proxy is not None:
            self.proxy.close()


class EnsembleWatch:
    """Asks every process, past the proxy, for its state."""

    def __init__(self, ensemble: Ensemble) -> None:
        self.ensemble = ensemble
        self.asker = DirectAsker()
        self.head: Place = (0, 0)
        """The leader's, when all was well last."""
        self.lacks = ""
        """What is not well yet, for the message of a failure."""

    def leader(self) -> Optional[str]:
        """The name of the publisher that says that it leads; `None`: none, or several."""
        leaders = []
        for name, endpoint in self.ensemble.control.items():
            try:
                leaders += [name] if figure(self.asker.status(endpoint), "leading") else []
            except (NoAnswer, ServerError):
                continue
        return leaders[0] if len(leaders) == 1 else None

    def await_leader(self) -> str:
        """The name of the leader, once there is one."""
        found: List[str] = []

        def look() -> bool:
            leader = self.leader()
            found.extend([leader] if leader else [])
            return bool(found)

        wait_until("one publisher leads", 30, look)
        return found[0]

    def is_well(self) -> bool:
        """Whether every member of etcd has a leader, one publisher leads, the others have read the
        log, and every node is LIVE and has applied the head."""
        try:
            return self._is_well()
        except (NoAnswer, ServerError) as error:
            self.lacks = str(error)
            return False

    def _is_well(self) -> bool:
        alone = self.ensemble.members.alone()
        if alone:
            self.lacks = f"members of etcd without a leader: {alone}"
            return False
        reports = {name: self.asker.status(endpoint)
                   for name, endpoint in self.ensemble.control.items()}
        leaders = [name for name, report in reports.items() if figure(report, "leading")]
        if len(leaders) != 1:
            self.lacks = f"leaders: {leaders}"
            return False
        late = [name for name, report in reports.items() if report.state != LIVE]
        if late:
            self.lacks = f"{leaders[0]} leads, and {late} have not read the log yet"
            return False
        leader = self.ensemble.control[leaders[0]]
        head = place_of(self.asker.status(leader))
        shards = {name: self.asker.status(endpoint)
                  for name, endpoint in self.ensemble.shards.items()}
        self.head = place_of(self.asker.status(leader))
        self.lacks = f"{leaders[0]} leads at {head}; nodes: " + ", ".join(
            f"{name} in state {shard.state} at {place_of(shard)}"
            for name, shard in shards.items())
        return all(shard.state == LIVE and head <= place_of(shard) <= self.head
                   for shard in shards.values())

    def await_well(self, seconds: float) -> float:
        """Waits until all is well; the seconds that it took."""
        try:
            return wait_until("one publisher leads and every node is LIVE at the head", seconds,
                              self.is_well)
        except AssertionError as error:
            raise AssertionError(f"{error}; {self.lacks}") from error

    def figures(self, name: str) -> Dict[str, int]:
        """The sum of a figure of all nodes' shards, by node."""
        return {node: figure(self.asker.status(endpoint), name)
                for node, endpoint in self.ensemble.shards.items()}

    def close(self) -> None:
        """Ends its connections."""
        self.asker.close()


def place_of(report: admin.StatusReport) -> Place:
    """The position in the log that a process reports."""
    return report.epoch, int(report.sequence)
