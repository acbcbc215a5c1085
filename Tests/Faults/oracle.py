"""What was acknowledged about one key, and what may be found under it after its node was killed."""

from __future__ import annotations

from dataclasses import dataclass, field as member
from enum import Enum
from typing import Optional, Set

SLACK = 0.1
"""Seconds around its end in which an entry may be there or not."""


class Found(Enum):
    """What a read tells of an acknowledged value."""

    HELD = "held"
    LOST = "lost"
    WRONG = "wrong"
    NOTHING = "nothing was owed"


@dataclass
class Key:
    """A key with one writer, whose values are numbered."""

    newest: int = 0
    """The number of what was sent last."""
    acknowledged: int = 0
    """The number of the newest that was acknowledged; 0: none, or it was removed since."""
    at: float = 0.0
    """When it was."""
    sent: float = 0.0
    ttl: Optional[float] = None
    """Seconds."""
    is_certain: bool = False
    """Whether it has to be there: nothing unanswered may have replaced or removed it."""
    loose: Set[int] = member(default_factory=set)
    """What was sent and not answered."""

    def sends(self) -> int:
        """The number of a value that is sent now."""
        self.newest += 1
        return self.newest

    def stored(self, number: int, sent: float, now: float, ttl: Optional[float]) -> None:
        """A store was acknowledged."""
        self.acknowledged, self.sent, self.at, self.ttl = number, sent, now, ttl
        self.is_certain = True
        self.loose.clear()

    def removed(self) -> None:
        """A removal or an invalidation was acknowledged: nothing may be seen again."""
        self.acknowledged, self.is_certain = 0, False
        self.loose.clear()

    def unanswered(self, number: Optional[int]) -> None:
        """A store of this number, or a removal, may have happened."""
        self.is_certain = False
        if number is not None:
            self.loose.add(number)

    def judge(self, number: Optional[int], sent: float, now: float) -> Found:
        """A fresh answer to a get that was sent then; `None`: a miss."""
        if number is None:
            if not self.owes(now):
                return Found.NOTHING
            self.is_certain = False
            return Found.LOST
        if number in self.loose:
            return Found.NOTHING
        if number != self.acknowledged or self._must_be_over(sent):
            return Found.WRONG
        return Found.HELD

    def owes(self, now: float) -> bool:
        """Whether a miss would be a loss."""
        return self.is_certain and (
            self.ttl is None or now <= self.sent + self.ttl - SLACK)

    def _must_be_over(self, sent: float) -> bool:
        return self.ttl is not None and sent > self.at + self.ttl + SLACK
