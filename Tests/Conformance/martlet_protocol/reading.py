"""Reading and writing little-endian integers, with every read checked against the end."""

from __future__ import annotations

import struct
from typing import NewType

from . import limits
from .errors import malformed, out_of_range

U64 = NewType("U64", int)
"""An integer of 64 bits; golden files write it as a decimal string."""


class Reader:
    """A cursor over bytes whose every step past the end is `malformed`."""

    def __init__(self, data: bytes, what: str) -> None:
        self.data = data
        self.offset = 0
        self.what = what

    def take(self, count: int) -> bytes:
        """The next `count` bytes."""
        end = self.offset + count
        if end > len(self.data):
            raise malformed(f"{self.what} ends {end - len(self.data)} bytes too early")
        part = self.data[self.offset : end]
        self.offset = end
        return part

    def u8(self) -> int:
        """The next byte."""
        return self.take(1)[0]

    def u16(self) -> int:
        """The next two bytes as an integer."""
        return int(struct.unpack("<H", self.take(2))[0])

    def u32(self) -> int:
        """The next four bytes as an integer."""
        return int(struct.unpack("<I", self.take(4))[0])

    def u64(self) -> U64:
        """The next eight bytes as an integer."""
        return U64(struct.unpack("<Q", self.take(8))[0])

    def sequence(self) -> U64:
        """The next eight bytes as a sequence number."""
        number = self.u64()
        if number >= limits.SEQUENCE_END:
            raise out_of_range(f"sequence {number} in {self.what}")
        return number

    def reserved(self, count: int) -> None:
        """Passes `count` reserved bytes, which must be zero."""
        if any(self.take(count)):
            raise malformed(f"reserved bytes of {self.what} are not zero")

    def text(self, count: int) -> str:
        """The next `count` bytes as UTF-8."""
        try:
            return self.take(count).decode("utf-8")
        except UnicodeDecodeError as error:
            raise malformed(f"text in {self.what} is not UTF-8") from error

    def one_of(self, allowed: "range | tuple[int, ...]", name: str) -> int:
        """The next byte, which must be one of an enumeration's numbers."""
        number = self.u8()
        if number not in allowed:
            raise malformed(f"{name} {number} of {self.what} is not known")
        return number

    def end(self) -> None:
        """Checks that nothing is left."""
        left = len(self.data) - self.offset
        if left:
            raise malformed(f"{left} bytes follow {self.what}")


def u8(number: int) -> bytes:
    """One byte."""
    return struct.pack("<B", number)


def u16(number: int) -> bytes:
    """Two bytes, little-endian."""
    return struct.pack("<H", number)


def u32(number: int) -> bytes:
    """Four bytes, little-endian."""
    return struct.pack("<I", number)


def u64(number: int) -> bytes:
    """Eight bytes, little-endian."""
    return struct.pack("<Q", number)


def short_text(text: str) -> bytes:
    """A text preceded by its length in one byte."""
    data = text.encode("utf-8")
    return u8(len(data)) + data
