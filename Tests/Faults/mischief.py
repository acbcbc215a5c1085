"""What befalls a cluster: each fault begins, lasts and ends, after which all must be well."""

from __future__ import annotations

import random
import shutil
import time
from pathlib import Path
from typing import Dict, List, Optional, Type

from clock import Clock
from fault import Fault
from processes import Cluster
from truth import Lapse, Truth
from tierfaults import TIER_FAULTS
from wires import WIRE_FAULTS


class LinkFault(Fault):
    """Some links are bad for a while; what stood may have to be made anew afterwards."""

    kinds = ("control", "live")

    @classmethod
    def can(cls, cluster: Cluster, clock: Clock) -> bool:
        return cluster.network is None

    def links(self) -> List[str]:
        """Which links it is about."""
        kinds = self.dice.choice([self.kinds, self.kinds[:1], self.kinds[-1:]])
        return [f"{name}.{kind}" for name in self.some_nodes() for kind in kinds]

    def order(self) -> Dict[str, object]:
        """How bad they are."""
        raise NotImplementedError

    def begin(self) -> None:
        self.hurt = self.links()
        order = self.order()
        self.told = f"{' '.join(self.hurt)}: {order}"
        for link in self.hurt:
            self.cluster.proxy.set(link, **order)

    def end(self) -> None:
        cut = self.dice.random() < 0.5
        for link in self.hurt:
            self.cluster.proxy.heal(link, cut)


class Lossy(LinkFault):
    """Single messages do not arrive, though the connection is as good as any."""

    def order(self) -> Dict[str, object]:
        # What a node says on its live connection is that it listens: that is never lost alone.
        share = self.dice.choice([0.02, 0.2, 0.7])
        up = share if all(link.endswith("control") for link in self.hurt) else 0
        return {"lose": [up, share]}


class Partition(LinkFault):
    """Between publisher and nodes nothing passes, and nobody is told so."""

    def order(self) -> Dict[str, object]:
        return {"up": "hold", "down": "hold"}


class OneWay(LinkFault):
    """What one side says arrives, what the other says does not."""

    def order(self) -> Dict[str, object]:
        return {self.dice.choice(["up", "down"]): "hold"}


class Cut(LinkFault):
    """Connections are reset, and refused until it is over."""

    def order(self) -> Dict[str, object]:
        return {"refuse": True}


class Delay(LinkFault):
    """Everything is late, some of it very."""

    def order(self) -> Dict[str, object]:
        return {"delay": [0, self.dice.choice([0.02, 0.1, 0.4])]}


class Narrow(LinkFault):
    """Little fits through."""

    def order(self) -> Dict[str, object]:
        return {"rate": self.dice.choice([2_000, 20_000])}


class Reordered(LinkFault):
    """Connections break, and are carried through in another order than they were asked for."""

    def order(self) -> Dict[str, object]:
        return self.dice.choice([LATE, OVERTAKEN])


class Outlived(LinkFault):
    """What was said on a connection is heard after what is said on the one that replaced it."""

    kinds = ("control",)

    def order(self) -> Dict[str, object]:
        return {"stale": self.dice.choice([0.05, 0.5])}


LATE = {"late_accept": 0.3, "cut": True}
OVERTAKEN = {"overtake": 0.4, "cut": True}


class Clients(LinkFault):
    """The same between clients and nodes, or clients and the publisher."""

    @classmethod
    def can(cls, cluster: Cluster, clock: Clock) -> bool:
        return True

    def links(self) -> List[str]:
        every = [f"{name}.shard" for name in self.cluster.names] + ["admin"]
        return sorted(self.dice.sample(every, self.dice.choice([1, 2, len(every)])))

    def order(self) -> Dict[str, object]:
        return self.dice.choice([
            {"up": "hold"}, {"down": "hold"}, {"refuse": True}, {"delay": [0, 0.2]},
            {"rate": 20_000}, {"lose": [0.1, 0.1]}, LATE, OVERTAKEN, {"stale": 0.5}])


class NodePaused(Fault):
    """Nodes stand still, for less or more than a lease, and go on as if nothing had been."""

    touches = frozenset({"nodes"})

    def begin(self) -> None:
        self.names = self.some_nodes()
        self.told = " ".join(self.names)
        for name in self.names:
            self.cluster.nodes[name].pause()

    def end(self) -> None:
        for name in self.names:
            self.cluster.nodes[name].resume()


class NodeKilled(Fault):
    """Nodes die and come back, with no more than their disk tier has kept."""

    touches = frozenset({"nodes"})

    @classmethod
    def can(cls, cluster: Cluster, clock: Clock) -> bool:
        return bool(cluster.mortals)

    def begin(self) -> None:
        self.names = self.some_mortals()
        self.told = " ".join(self.names)
        for name in self.names:
            self.cluster.nodes[name].kill()
        if self.dice.random() < 0.5:
            self.end()

    def end(self) -> None:
        for name in self.names:
            if not self.cluster.nodes[name].is_up:
                self.cluster.nodes[name].start()


class NodeStopped(NodeKilled):
    """Nodes end in order and come back."""

    def begin(self) -> None:
        self.names = self.some_mortals()
        self.told = " ".join(self.names)
        for name in self.names:
            code = self.cluster.nodes[name].stop()
            if code != 0:
                self.truth.note("graceful stop", f"{name} ended with {code}")
        if self.dice.random() < 0.5:
            self.end()


class PublisherPaused(Fault):
    """The publisher stands still."""

    touches = frozenset({"publisher"})

    def begin(self) -> None:
        self.cluster.publisher.pause()

    def end(self) -> None:
        self.cluster.publisher.resume()


class PublisherEnds(Fault):
    """The publisher is gone for a while."""

    touches = frozenset({"publisher"})

    @classmethod
    def can(cls, cluster: Cluster, clock: Clock) -> bool:
        return "publisher" not in cluster.spared


class PublisherKilled(PublisherEnds):
    """The publisher dies in the middle of whatever it does, once or several times."""

    def begin(self) -> None:
        for _ in range(self.dice.choice([1, 1, 3])):
            self.cluster.publisher.kill()
            if self.dice.random() < 0.5:
                self.cluster.publisher.start()
                time.sleep(self.dice.uniform(0, 0.2))

    def end(self) -> None:
        if not self.cluster.publisher.is_up:
            self.cluster.publisher.start()


class PublisherStopped(PublisherEnds):
    """The publisher ends in order and comes back."""

    def begin(self) -> None:
        code = self.cluster.publisher.stop()
        if code != 0:
            self.truth.note("graceful stop", f"the publisher ended with {code}")

    def end(self) -> None:
        self.cluster.publisher.start()


class LogDamaged(PublisherEnds):
    """The publisher dies, and its log is not what it was: cut, an old one, or gone."""

    touches = frozenset({"publisher", "nodes", "links"})

    def begin(self) -> None:
        since = time.monotonic()
        kept = self.cluster.directory / "log-copy"
        self.cluster.copy_log(kept)
        time.sleep(self.dice.uniform(0.05, 0.5))
        self.cluster.publisher.kill()
        self.truth.excuse(Lapse(since - self.settling))
        how = self.dice.choice([self.cut, self.cut, self.restore, self.remove])
        how(kept)

    def cut(self, _: Path) -> None:
        """Bytes at its end are gone."""
        newest = max(self.cluster.log.glob("*.seg*"), default=None,
                     key=lambda path: path.name)
        files = sorted(path for path in self.cluster.log.iterdir() if path.is_file())
        newest = newest or max(files, key=lambda path: path.stat().st_size)
        data = newest.read_bytes()
        used = len(data.rstrip(b"\0"))
        lost = self.dice.randint(1, 2_000)
        with open(newest, "r+b") as file:
            file.truncate(max(64, used - lost))
        self.told = f"{newest.name} lost {lost} of {used} bytes"

    def restore(self, kept: Path) -> None:
        """An older one is put in its place."""
        shutil.rmtree(self.cluster.log)
        shutil.copytree(kept, self.cluster.log)
        self.told = "restored from a copy"

    def remove(self, _: Path) -> None:
        """It is gone."""
        shutil.rmtree(self.cluster.log)
        self.told = "removed"

    def end(self) -> None:
        self.cluster.publisher.start()

    settling = 2.0
    """So long before it began a record may not have been on every node yet."""


class DiskFull(Fault):
    """The log finds no room. What it refuses, it has not done; what it has, it keeps."""

    touches = frozenset({"publisher"})

    @classmethod
    def can(cls, cluster: Cluster, clock: Clock) -> bool:
        return cluster.room.is_small

    def begin(self) -> None:
        self.cluster.room.fill()

    def end(self) -> None:
        self.cluster.room.empty()


class ClockStepped(Fault):
    """Somebody's calendar is an hour off; nothing may hang on it."""

    touches = frozenset({"clock"})

    @classmethod
    def can(cls, cluster: Cluster, clock: Clock) -> bool:
        return clock.is_there

    def begin(self) -> None:
        self.names = ["publisher", *self.cluster.names]
        self.names = self.dice.sample(self.names, self.dice.choice([1, len(self.names)]))
        step = self.dice.choice([-3_600, 3_600])
        self.told = f"{' '.join(self.names)}: {step:+d} s"
        for name in self.names:
            self.clock.step(name, step)

    def end(self) -> None:
        if self.dice.random() < 0.5:
            for name in self.names:
                self.clock.step(name, 0)


FAULTS: List[Type[Fault]] = [
    Partition, Partition, OneWay, Cut, Delay, Narrow, Lossy, Reordered, Outlived, Clients,
    NodePaused, NodePaused, NodeKilled, NodeKilled, NodeStopped, PublisherPaused,
    PublisherKilled, PublisherKilled, PublisherStopped, LogDamaged, DiskFull, ClockStepped,
    *TIER_FAULTS, *WIRE_FAULTS]
"""Every kind, those that found most twice."""


def chosen(cluster: Cluster, clock: Clock, truth: Truth, dice: random.Random,
           only: Optional[str]) -> List[Fault]:
    """One fault, or two that do not get in each other's way."""
    kinds = [kind for kind in FAULTS if kind.can(cluster, clock)
             and only in (None, kind.__name__)]
    first = dice.choice(kinds)
    found = [first]
    others = [kind for kind in kinds if not kind.touches & first.touches]
    if others and dice.random() < 0.4:
        found.append(dice.choice(others))
    return [kind(cluster, clock, truth, dice) for kind in found]
