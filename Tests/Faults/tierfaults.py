"""What befalls disk tiers. Whatever it is: no wrong value, no process falls, memory goes on."""

from __future__ import annotations

import shutil
import signal
from typing import Callable, List, Type

from clock import Clock
from fault import Fault
from processes import Cluster, wait_until
from tiers import Tiers, flipped, truncated

SAYS_WITHIN = 15.0
"""Within so many seconds of its start a node has said that it has no tier."""


class TierFault(Fault):
    """Some nodes are killed, something is done, and they are started again."""

    touches = frozenset({"nodes"})

    @classmethod
    def can(cls, cluster: Cluster, clock: Clock) -> bool:
        return cluster.tiers is not None and bool(cluster.mortals)

    @property
    def tiers(self) -> Tiers:
        """The tiers; there are some."""
        assert self.cluster.tiers is not None
        return self.cluster.tiers

    def begin(self) -> None:
        self.names = self.some_mortals()
        for name in self.names:
            self.cluster.nodes[name].kill()
        self.told = ", ".join(f"{name}: {self.hurt(name)}" for name in self.names)
        if self.dice.random() < 0.5:
            self.end()

    def hurt(self, name: str) -> str:
        """Done while the node is down; what it was."""
        raise NotImplementedError

    def end(self) -> None:
        for name in self.names:
            if not self.cluster.nodes[name].is_up:
                self.cluster.nodes[name].start()


class TierFlipped(TierFault):
    """Bytes of it are not what they were."""

    def hurt(self, name: str) -> str:
        file = self.tiers.file(name)
        return flipped(file, self.dice) if file.exists() else "there was none"


class TierSetBack(TierFault):
    """It is what it was a life ago: the same file with older bytes."""

    @classmethod
    def can(cls, cluster: Cluster, clock: Clock) -> bool:
        # Where the log orders every store, nobody asks for the life in between.
        return super().can(cluster, clock) and cluster.topology == "sharded"

    def begin(self) -> None:
        self.names = self.some_mortals()[:1]
        self.told = " ".join(self.names)
        role = self.cluster.nodes[self.names[0]]
        role.kill()
        file = self.tiers.file(role.name)
        self.older = file.read_bytes() if file.exists() else b""
        role.start()

    def end(self) -> None:
        role = self.cluster.nodes[self.names[0]]
        role.kill()
        file = self.tiers.file(role.name)
        if self.older and file.exists():
            with open(file, "r+b") as opened:
                opened.write(self.older)
                opened.truncate()
        role.start()


class TierHurt(TierFault):
    """Something is done to it under the node's feet, or while the node is down."""

    def begin(self) -> None:
        if self.dice.random() < 0.5:
            return super().begin()
        self.names = self.some_mortals()
        self.told = ", ".join(f"{name}, running: {self.hurt(name)}" for name in self.names)

    def end(self) -> None:
        if self.dice.random() < 0.5:
            for name in self.names:
                self.cluster.nodes[name].kill()
        super().end()


class TierTruncated(TierHurt):
    """It ends somewhere in its middle."""

    def hurt(self, name: str) -> str:
        file = self.tiers.file(name)
        return truncated(file, self.dice) if file.exists() else "there was none"


class TierRemoved(TierHurt):
    """The file is gone, or the directory that it lay in."""

    def hurt(self, name: str) -> str:
        if self.dice.random() < 0.5:
            shutil.rmtree(self.tiers.directory(name), ignore_errors=True)
            return "its directory is gone"
        self.tiers.file(name).unlink(missing_ok=True)
        return "it is gone"


class OtherLife(TierFault):
    """A life in between that has not the tier it should have, and then one that has."""

    def more(self, name: str) -> List[str]:
        """What the life in between is told."""
        raise NotImplementedError

    def some(self) -> List[str]:
        """Who has it."""
        return self.some_mortals()

    def begin(self) -> None:
        self.names = self.some()
        self.told = " ".join(self.names)
        for name in self.names:
            role = self.cluster.nodes[name]
            role.kill()
            role.more = self.more(name)
            role.start()

    def end(self) -> None:
        self.cluster.dress()
        for name in self.names:
            role = self.cluster.nodes[name]
            if self.dice.random() < 0.5:
                role.kill()
            elif (code := role.stop()) not in (0, -signal.SIGTERM):
                # The signal itself ends who has hardly begun.
                self.truth.note("graceful stop", f"{name} ended with {code}")
            role.start()


class TierLeftOut(OtherLife):
    """The life in between has none by its configuration."""

    def more(self, name: str) -> List[str]:
        return ["--disk", "none"]


class RefusedTier(OtherLife):
    """The life in between cannot have the one it asks for: it says so, and goes on without."""

    reason = b""

    def begin(self) -> None:
        said = {name: role.said().count(self.reason) for name, role in self.cluster.nodes.items()}
        super().begin()
        self.waits: List[Callable[[], bool]] = [
            self.has_said(name, said[name]) for name in self.names]

    def has_said(self, name: str, before: int) -> Callable[[], bool]:
        """Whether the node has given the reason since."""
        role = self.cluster.nodes[name]
        return lambda: role.said().count(self.reason) > before

    def end(self) -> None:
        for name, condition in zip(self.names, self.waits):
            try:
                wait_until(f"{name} says that it has no tier", SAYS_WITHIN, condition)
            except AssertionError as error:
                self.truth.note("a tier that is refused", str(error))
        super().end()


class TierFull(RefusedTier):
    """There is no room for it."""

    reason = b"are missing there"

    @classmethod
    def can(cls, cluster: Cluster, clock: Clock) -> bool:
        return (super().can(cluster, clock) and cluster.tiers is not None
                and cluster.tiers.small.is_small)

    def more(self, name: str) -> List[str]:
        return self.tiers.misfit()


class TierShared(RefusedTier):
    """It is another node's, which has it."""

    reason = b"is in use by a node that is running"

    def some(self) -> List[str]:
        name = self.some_mortals()[0]
        self.other = self.dice.choice([each for each in self.cluster.names if each != name])
        return [name]

    def begin(self) -> None:
        super().begin()
        self.told += f" asks for {self.other}'s"

    def more(self, name: str) -> List[str]:
        return self.tiers.options(self.other)

    def has_said(self, name: str, before: int) -> Callable[[], bool]:
        has_said, other = super().has_said(name, before), self.cluster.nodes[self.other]
        # Who lost the file under its feet cannot keep anybody from a new one.
        return lambda: has_said() or not self.tiers.is_held(self.other, other.pid)


TIER_FAULTS: List[Type[Fault]] = [
    TierFlipped, TierFlipped, TierTruncated, TierRemoved, TierLeftOut, TierLeftOut, TierFull,
    TierShared, TierSetBack]
