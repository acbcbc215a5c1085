"""DRAIN and FORGET (sections 7.7 and 7.8), and DONE, which answers both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Tuple

from .errors import out_of_range
from .reading import U64, Reader, short_text, u16, u32, u64

ID_BYTES = 64
ID_CHARACTERS = frozenset(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-")


@dataclass
class NodeOrder:
    """The body of DRAIN and FORGET."""

    node: str


@dataclass
class Done:
    """The body of DONE."""

    incarnation: U64
    runs: int


def encode_order(body: NodeOrder) -> Tuple[int, bytes]:
    """Count and body of DRAIN or FORGET."""
    text = short_text(body.node)
    return 0, text[:1] + bytes(3) + text[1:]


def decode_order(count: int, body: bytes) -> NodeOrder:
    """The DRAIN or FORGET in a body."""
    reader = Reader(body, "an order about a node")
    id_bytes = reader.u8()
    reader.reserved(3)
    node = reader.text(id_bytes)
    if not 1 <= len(node) <= ID_BYTES or not ID_CHARACTERS.issuperset(node):
        raise out_of_range(f"{node!r} as a node's id")
    reader.end()
    return NodeOrder(node)


def encode_done(body: Done) -> Tuple[int, bytes]:
    """Count and body of DONE."""
    return 0, u64(body.incarnation) + u16(body.runs) + u16(0) + u32(0)


def decode_done(count: int, body: bytes) -> Done:
    """The DONE in a body."""
    reader = Reader(body, "DONE")
    done = Done(reader.u64(), reader.u16())
    reader.reserved(6)
    reader.end()
    return done
