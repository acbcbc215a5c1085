"""The error codes (5.7) and REFUSED causes (5.6), and the exceptions that carry them."""

from __future__ import annotations

from enum import IntEnum


class Code(IntEnum):
    """The code of an ERROR; names are spelt as the page spells them."""

    malformed = 1
    unsupportedVersion = 2
    unknownType = 3
    unknownCriticalField = 4
    outOfRange = 5
    wrongStream = 6
    unsupported = 7
    unauthorised = 8
    busy = 9
    notRegistered = 10
    unavailable = 11
    leased = 12
    wrongCluster = 13


class Cause(IntEnum):
    """The detail of a REFUSED result."""

    invalidatedMeanwhile = 1
    leaseVoid = 2
    olderVersion = 3
    tooLarge = 4
    blind = 5
    tokenTooOld = 6
    behind = 7
    publisherUnreachable = 8
    outOfRange = 9
    absent = 10
    uploadIncomplete = 11
    draining = 12
    changed = 13
    originRefused = 14
    originUnanswered = 15
    queueUnusable = 16
    full = 17
    unconfigured = 18
    moved = 19


class ProtocolError(Exception):
    """A frame that must be refused as a whole, with the code it is refused with."""

    def __init__(self, code: Code, why: str) -> None:
        super().__init__(f"{code.name}: {why}")
        self.code = code
        self.why = why


class OperationRefused(Exception):
    """A frame that can be read, holding an operation that breaks a limit of section 4."""

    def __init__(self, index: int, cause: Cause, why: str) -> None:
        super().__init__(f"operation {index} {cause.name}: {why}")
        self.index = index
        self.cause = cause
        self.why = why


def malformed(why: str) -> ProtocolError:
    """The refusal of a frame whose lengths, reserved bytes or enumerations are wrong."""
    return ProtocolError(Code.malformed, why)


def out_of_range(why: str) -> ProtocolError:
    """The refusal of a frame that breaks a limit of section 4 as a whole."""
    return ProtocolError(Code.outOfRange, why)
