"""Owners by slots (section 6): the slot of a key, and the table of a TOPOLOGY REPORT."""

from __future__ import annotations

from dataclasses import dataclass, field as member
from typing import List, Optional, Tuple

from .errors import malformed, out_of_range
from .fields import Position
from .reading import U64, Reader, u8, u16, u32, u64

COUNT = 16_384
MEMBERS = 1_000
MEMBER, LEAVING = 1, 2


def crc16(data: bytes) -> int:
    """CRC16 (XMODEM): polynomial 1021, start 0."""
    remainder = 0
    for byte in data:
        remainder ^= byte << 8
        for _ in range(8):
            remainder = (remainder << 1 ^ (0x1021 if remainder & 0x8000 else 0)) & 0xFFFF
    return remainder


def slot(key: bytes) -> int:
    """The slot of a key: of what stands between its first brace and the next closing one."""
    start = key.find(b"{")
    end = key.find(b"}", start + 1) if start >= 0 else -1
    return crc16(key[start + 1:end] if end > start + 1 else key) % COUNT


@dataclass
class SlotMember:
    """A row of the table."""

    number: int
    state: int
    shards: int
    weight: int
    id: str


@dataclass
class SlotRun:
    """Adjacent slots of one owner that it owns since the same record."""

    first: int
    count: int
    member: int
    shard: int
    since: U64


@dataclass
class SlotTable:
    """The owner of each slot, as of the newest record of slots."""

    position: Position
    served_below: U64
    members: List[SlotMember] = member(default_factory=list)
    runs: List[SlotRun] = member(default_factory=list)

    def encode(self) -> bytes:
        """The bytes behind the nodes of a TOPOLOGY REPORT."""
        parts = [self.position.encode(), u64(self.served_below)]
        parts.append(u16(len(self.members)) + u16(len(self.runs)))
        for row in self.members:
            id = row.id.encode("utf-8")
            parts.append(u16(row.number) + u8(row.state) + u8(row.shards) + u32(row.weight))
            parts.append(u8(len(id)) + id)
        for run in self.runs:
            parts.append(u16(run.first) + u16(run.count) + u16(run.member) + u8(run.shard))
            parts.append(u8(0) + u64(run.since))
        return b"".join(parts)

    @classmethod
    def read(cls, reader: Reader) -> "SlotTable":
        """The table behind the nodes of a TOPOLOGY REPORT."""
        table = cls(Position(reader.u32(), reader.sequence()), reader.sequence())
        members, runs = reader.u16(), reader.u16()
        if members > MEMBERS or runs > COUNT:
            raise out_of_range("the table of slots is too long")
        for _ in range(members):
            number, state = reader.u16(), reader.one_of((MEMBER, LEAVING), "member state")
            shards, weight = reader.u8(), reader.u32()
            table.members.append(
                SlotMember(number, state, shards, weight, reader.text(reader.u8())))
        for _ in range(runs):
            first, count, number, shard = reader.u16(), reader.u16(), reader.u16(), reader.u8()
            reader.reserved(1)
            table.runs.append(SlotRun(first, count, number, shard, reader.sequence()))
        table.check()
        return table

    def check(self) -> None:
        """Refuses rows and runs that contradict each other."""
        numbers = [row.number for row in self.members]
        if numbers != sorted(set(numbers)):
            raise malformed("the members of the table are not ascending")
        shards = {row.number: row.shards for row in self.members}
        end = 0
        for run in self.runs:
            if run.first < end or run.count == 0 or run.first + run.count > COUNT:
                raise malformed("the runs of the table are not ascending")
            end = run.first + run.count
            if run.shard >= shards.get(run.member, 0):
                raise malformed("a slot of the table belongs to no shard")

    def owner(self, key: bytes) -> Optional[Tuple[str, int]]:
        """The node and the shard that own a key; `None`: none does."""
        wanted = slot(key)
        names = {row.number: row.id for row in self.members}
        for run in self.runs:
            if run.first <= wanted < run.first + run.count:
                return names[run.member], run.shard
        return None

    @property
    def is_served(self) -> bool:
        """Whether every slot has an owner that answers for it."""
        return sum(run.count for run in self.runs if run.since < self.served_below) == COUNT
