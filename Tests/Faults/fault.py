"""What a fault is."""

from __future__ import annotations

import random
from typing import List

from clock import Clock
from processes import Cluster
from truth import Truth


class Fault:
    """One kind of fault. `begin` does it, `end` lets it be over."""

    touches = frozenset({"links"})
    """What two faults at one time may not share."""

    def __init__(self, cluster: Cluster, clock: Clock, truth: Truth, dice: random.Random) -> None:
        self.cluster, self.clock, self.truth, self.dice = cluster, clock, truth, dice
        self.told = ""

    @classmethod
    def can(cls, cluster: Cluster, clock: Clock) -> bool:
        """Whether it can be done here."""
        return True

    def begin(self) -> None:
        """Does it."""

    def end(self) -> None:
        """Lets it be over."""

    def some_nodes(self) -> List[str]:
        """One node, or some, or all."""
        names = self.cluster.names
        return sorted(self.dice.sample(names, self.dice.choice([1, 1, 2, len(names)])))

    def some_mortals(self) -> List[str]:
        """The same of those that may be killed; there has to be one."""
        mortal = self.cluster.mortals
        return [name for name in self.some_nodes() if name in mortal] or mortal[:1]
