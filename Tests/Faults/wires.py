"""What befalls wires and packets where every process has a network namespace of its own."""

from __future__ import annotations

from typing import Dict, List

from clock import Clock
from fault import Fault
from network import HUB, Namespaces
from processes import Cluster


class WireFault(Fault):
    """Something happens to the wires of some processes: nodes, or the publisher."""

    @classmethod
    def can(cls, cluster: Cluster, clock: Clock) -> bool:
        return cluster.network is not None

    @property
    def network(self) -> Namespaces:
        """The wires."""
        assert self.cluster.network is not None
        return self.cluster.network

    def begin(self) -> None:
        self.hurt = self.dice.choice([self.some_nodes(), self.some_nodes(), ["publisher"]])
        self.told = " ".join(self.hurt)
        self.plan()
        for name in self.hurt:
            self.hurt_one(name)

    def end(self) -> None:
        for name in self.hurt:
            self.heal_one(name)

    def plan(self) -> None:
        """Decides what is the same for all of them."""

    def hurt_one(self, name: str) -> None:
        """Does it to the wire of one."""
        raise NotImplementedError

    def heal_one(self, name: str) -> None:
        """Undoes it."""
        raise NotImplementedError


class CablePulled(WireFault):
    """The switch's end of a wire is down: what is sent vanishes, and nobody is told."""

    def hurt_one(self, name: str) -> None:
        self.network.plug(name, False)

    def heal_one(self, name: str) -> None:
        self.network.plug(name, True)


class InterfaceDown(WireFault):
    """A process's own end is down: there is no way to anywhere, and it is told so at once."""

    def hurt_one(self, name: str) -> None:
        self.network.run(name, "ip", "link", "set", "wire", "down")

    def heal_one(self, name: str) -> None:
        self.network.run(name, "ip", "link", "set", "wire", "up")


class NarrowWire(WireFault):
    """What a process sends has to fit through little, and much of it is lost."""

    def plan(self) -> None:
        self.rate = self.dice.choice(["32kbit", "256kbit"])
        self.told += f" {self.rate}"

    def hurt_one(self, name: str) -> None:
        self.network.narrow(name, self.rate)

    def heal_one(self, name: str) -> None:
        self.network.narrow(name, None)


class Filtered(WireFault):
    """A packet filter decides."""

    @classmethod
    def can(cls, cluster: Cluster, clock: Clock) -> bool:
        return cluster.network is not None and cluster.network.can_filter

    def rules(self) -> Dict[str, str]:
        """What the filter does to what comes in and what goes out."""
        raise NotImplementedError

    def plan(self) -> None:
        self.decided = self.rules()
        self.told += f" {self.decided}"

    def hurt_one(self, name: str) -> None:
        self.network.filter(name, self.decided)

    def heal_one(self, name: str) -> None:
        self.network.filter(name, {})

    def some_ways(self) -> List[str]:
        """Both ways, or one."""
        return self.dice.choice([["input", "output"], ["input"], ["output"]])


class PacketsLost(Filtered):
    """Single packets are lost."""

    def rules(self) -> Dict[str, str]:
        share = self.dice.choice([2, 10, 40])
        return {way: f"numgen random mod 100 < {share} drop" for way in self.some_ways()}


class PeersLost(Filtered):
    """Publisher and nodes do not hear each other, or one does not; clients hear them all."""

    def rules(self) -> Dict[str, str]:
        which = {"input": "saddr", "output": "daddr"}
        return {way: f"ip {which[way]} != {HUB} drop" for way in self.some_ways()}


class ConnectionsRejected(Filtered):
    """Whatever is sent to a process is answered with a reset."""

    def rules(self) -> Dict[str, str]:
        return {"input": "meta l4proto tcp iifname wire reject with tcp reset"}


WIRE_FAULTS = [CablePulled, InterfaceDown, NarrowWire, PacketsLost, PeersLost, PeersLost,
               ConnectionsRejected]
"""Every kind."""
