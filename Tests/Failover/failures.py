"""The faults: each begins, lasts and ends, after which all must be well."""

from __future__ import annotations

import random
import signal
import time
from typing import Dict, List, Tuple, Type

import paths  # noqa: F401
from ensemble import Ensemble, EnsembleWatch
from martlet_protocol import control
from martlet_protocol.header import Type as MessageType
from processes import PATIENCE, Role, wait_until


class Failure:
    """One kind of fault. `begin` does it, `end` lets it be over."""

    lasts: Tuple[float, float] = (0.2, 4.0)
    """The shortest and the longest time between both, in seconds."""
    opens_epoch = False
    """Whether it loses a part of the log, so that a new epoch hides everything."""

    def __init__(self, ensemble: Ensemble, watch: EnsembleWatch, dice: random.Random) -> None:
        self.ensemble, self.watch, self.dice = ensemble, watch, dice
        self.leader = watch.await_leader()
        self.told = self.leader

    @classmethod
    def obstacle(cls, ensemble: Ensemble) -> str:
        """Why it cannot be done here; empty if it can."""
        return ""

    def begin(self) -> None:
        """Does it."""

    def end(self) -> None:
        """Lets it be over."""

    @property
    def leading(self) -> Role:
        """The process of the publisher that led at the beginning."""
        return self.ensemble.publishers[self.leader]

    def standby(self) -> Role:
        """One of the other publishers."""
        names = [name for name in self.ensemble.publisher_names if name != self.leader]
        return self.ensemble.publishers[self.dice.choice(names)]


class KilledRoles(Failure):
    """Processes that are killed and started again."""

    def begin(self) -> None:
        self.killed = self.victims()
        self.told = " ".join(role.name for role in self.killed)
        for role in self.killed:
            role.send(signal.SIGKILL)
        for role in self.killed:
            role.kill()

    def end(self) -> None:
        for role in self.killed:
            role.start()

    def victims(self) -> List[Role]:
        """The processes."""
        raise NotImplementedError


class LeaderKilled(KilledRoles):
    """kill -9 of the publisher that leads."""

    def victims(self) -> List[Role]:
        return [self.leading]


class StandbyKilled(KilledRoles):
    """kill -9 of a publisher that does not lead."""

    def victims(self) -> List[Role]:
        return [self.standby()]


class TwoPublishersKilled(KilledRoles):
    """kill -9 of two publishers at once, one of them leading."""

    def victims(self) -> List[Role]:
        return [self.leading, self.standby()]


class EtcdLeaderKilled(KilledRoles):
    """kill -9 of etcd's leader."""

    def victims(self) -> List[Role]:
        return [self.ensemble.members.roles[self.ensemble.members.await_leader()]]


class QuorumLost(KilledRoles):
    """kill -9 of two of three members of etcd."""

    lasts = (0.5, 5.0)

    def victims(self) -> List[Role]:
        return self.dice.sample(list(self.ensemble.members.roles.values()), 2)


class BothLeadersKilled(KilledRoles):
    """kill -9 of the leading publisher and of etcd's leader at once."""

    def victims(self) -> List[Role]:
        return [self.leading,
                self.ensemble.members.roles[self.ensemble.members.await_leader()]]


class LeaderTerminated(Failure):
    """SIGTERM to the publisher that leads: it hands over, and ends in order."""

    def begin(self) -> None:
        code = self.leading.stop()
        self.told += f" ended with {code}"
        if code != 0:
            raise AssertionError(f"after SIGTERM {self.leading.account()}")

    def end(self) -> None:
        self.leading.start()


class LeaderPaused(Failure):
    """SIGSTOP of the leading publisher for longer than every lease, then SIGCONT."""

    lasts = (4.0, 6.0)

    def begin(self) -> None:
        self.leading.pause()

    def end(self) -> None:
        self.leading.resume()


class EtcdLeaderPaused(Failure):
    """SIGSTOP of etcd's leader, then SIGCONT."""

    lasts = (1.0, 5.0)

    def begin(self) -> None:
        self.member = self.ensemble.members.await_leader()
        self.told = self.member
        self.ensemble.members.roles[self.member].pause()

    def end(self) -> None:
        self.ensemble.members.roles[self.member].resume()


class LinksCut(Failure):
    """Links on which nothing passes, or nothing in one direction, and no end is told so."""

    ways: Dict[str, Dict[str, str]] = {
        "both ways": {"up": "hold", "down": "hold"}, "requests": {"up": "hold"},
        "answers": {"down": "hold"}}

    def links(self) -> List[str]:
        """Which ones."""
        raise NotImplementedError

    def begin(self) -> None:
        way = self.dice.choice(sorted(self.ways))
        self.told = f"{' '.join(self.links())}: {way}"
        for link in self.links():
            self.ensemble.proxy.set(link, **self.ways[way])

    def end(self) -> None:
        # What was held back arrives now, unless the connections are cut too.
        is_lost = self.dice.random() < 0.5
        for link in self.links():
            self.ensemble.proxy.heal(link, is_lost)


class LeaderCutFromEtcd(LinksCut):
    """The leading publisher and etcd."""

    lasts = (1.0, 5.0)

    def links(self) -> List[str]:
        return [f"{self.leader}.{member}" for member in self.ensemble.members.names]


class LeaderCutFromNodes(LinksCut):
    """The leading publisher and all nodes. The leader stays."""

    def links(self) -> List[str]:
        return [f"{self.leader}.control", f"{self.leader}.live"]


class LeaderCutFromClients(LinksCut):
    """The leading publisher and all clients."""

    def links(self) -> List[str]:
        return [f"{self.leader}.admin"]


class MemberDiskFull(Failure):
    """The disk of a member of etcd is full. Half-way it is restarted, and finds no space."""

    lasts = (1.0, 4.0)

    @classmethod
    def obstacle(cls, ensemble: Ensemble) -> str:
        return "" if ensemble.members.room.is_small else "needs root for a small disk"

    def begin(self) -> None:
        members = self.ensemble.members
        self.role = members.roles[members.names[0]]
        self.told = self.role.name
        members.room.fill()
        if self.dice.random() < 0.5:
            time.sleep(self.dice.uniform(0.5, 1.5))
            self.told += " restarted"
            self.role.kill()
            self.role.start()

    def end(self) -> None:
        self.ensemble.members.room.empty()
        if not self.role.is_up:
            self.told += " had ended"
            self.role.start()
            return
        # It may be about to end, by what it could not write a moment ago.
        time.sleep(0.3)
        if not self.role.is_up:
            self.role.start()


class SteppedDown(Failure):
    """`martlet publisher step-down`: the leadership is moved."""

    lasts = (0.1, 0.5)

    def begin(self) -> None:
        answer = self.watch.asker.request(
            self.ensemble.control[self.leader], MessageType.STEP_DOWN, control.StepDown(), 5.0)
        self.told += f" answered {answer.type.name}"
        if answer.type not in (MessageType.DONE, MessageType.NOT_LEADER):
            raise AssertionError(f"STEP DOWN was answered with {answer}")


class EtcdRestored(Failure):
    """etcd is set back to a backup while publishers and members are down."""

    lasts = (0.5, 2.0)
    opens_epoch = True

    def begin(self) -> None:
        self.snapshot = self.ensemble.directory / "etcd.snapshot"
        self.ensemble.members.save(self.snapshot)

    def end(self) -> None:
        members = self.ensemble.members
        down = [*self.ensemble.publishers.values(), *members.roles.values()]
        for role in down:
            role.send(signal.SIGKILL)
        for role in down:
            role.kill()
        time.sleep(self.dice.uniform(0, 2))
        members.restore(self.snapshot)
        members.start()
        wait_until("the restored etcd has a leader", PATIENCE, lambda: members.leader() is not None)
        for role in self.ensemble.publishers.values():
            role.start()


FAILURES: List[Type[Failure]] = [
    LeaderKilled, LeaderTerminated, LeaderPaused, StandbyKilled, TwoPublishersKilled,
    LeaderCutFromEtcd, LeaderCutFromNodes, LeaderCutFromClients, EtcdLeaderKilled,
    EtcdLeaderPaused, QuorumLost, MemberDiskFull, EtcdRestored, SteppedDown, BothLeadersKilled]
