"""Who owns a key (section 6): XXH64, the hashes of shards, the scores."""

from __future__ import annotations

import math
from typing import List, Sequence, Tuple

_MASK = (1 << 64) - 1
_P1 = 0x9E3779B185EBCA87
_P2 = 0xC2B2AE3D27D4EB4F
_P3 = 0x165667B19E3779F9
_P4 = 0x85EBCA77C2B2AE63
_P5 = 0x27D4EB2F165667C5


def _rotate(x: int, bits: int) -> int:
    return ((x << bits) | (x >> (64 - bits))) & _MASK


def _round(lane: int, word: int) -> int:
    return _rotate((lane + word * _P2) & _MASK, 31) * _P1 & _MASK


def _stripes(data: bytes, seed: int) -> Tuple[int, int]:
    """The hash after all whole stripes of 32 bytes, and the offset behind them."""
    lanes = [(seed + _P1 + _P2) & _MASK, (seed + _P2) & _MASK, seed, (seed - _P1) & _MASK]
    offset = 0
    while offset + 32 <= len(data):
        for index in range(4):
            word = int.from_bytes(data[offset : offset + 8], "little")
            lanes[index] = _round(lanes[index], word)
            offset += 8
    rotations = zip(lanes, (1, 7, 12, 18))
    hash = sum(_rotate(lane, bits) for lane, bits in rotations) & _MASK
    for lane in lanes:
        hash = ((hash ^ _round(0, lane)) * _P1 + _P4) & _MASK
    return hash, offset


def xxh64(data: bytes, seed: int = 0) -> int:
    """The 64-bit xxHash of `data`."""
    offset = 0
    hash = (seed + _P5) & _MASK
    if len(data) >= 32:
        hash, offset = _stripes(data, seed)
    hash = (hash + len(data)) & _MASK
    while offset + 8 <= len(data):
        hash ^= _round(0, int.from_bytes(data[offset : offset + 8], "little"))
        hash = (_rotate(hash, 27) * _P1 + _P4) & _MASK
        offset += 8
    if offset + 4 <= len(data):
        hash ^= int.from_bytes(data[offset : offset + 4], "little") * _P1 & _MASK
        hash = (_rotate(hash, 23) * _P2 + _P3) & _MASK
        offset += 4
    for byte in data[offset:]:
        hash = _rotate(hash ^ (byte * _P5 & _MASK), 11) * _P1 & _MASK
    hash = (hash ^ (hash >> 33)) * _P2 & _MASK
    hash = (hash ^ (hash >> 29)) * _P3 & _MASK
    return hash ^ (hash >> 32)


def mix(z: int) -> int:
    """The finaliser of SplitMix64."""
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & _MASK
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & _MASK
    return z ^ (z >> 31)


def route(namespace: str, key: bytes) -> int:
    """The route hash of a key."""
    return xxh64(namespace.encode("ascii") + b"\0" + key)


def bucket(namespace: str, name: bytes, is_tag: bool) -> int:
    """The bucket of the floor snapshot into which a key or a tag falls."""
    room = xxh64(namespace.encode("ascii"))
    return xxh64(name, room ^ _MASK if is_tag else room) >> 42


def shard_hash(node: str, shard: int) -> int:
    """The hash of a shard's own name."""
    return xxh64(node.encode("utf-8") + b"\0" + shard.to_bytes(2, "little"))


def score(route_hash: int, shard: int) -> int:
    """How much a shard wants a key; the highest wins where all weights are equal."""
    return mix(route_hash ^ shard)


def cost(score: int, weight: int) -> float:
    """How little a shard of a weighted node wants a key; the lowest wins."""
    return -math.log(((score >> 11) + 0.5) * 2.0**-53) / weight


Node = Tuple[str, int, int]
"""A node of a topology: its id, how many shards it has, its weight in thousandths."""


def owner(nodes: Sequence[Node], namespace: str, key: bytes) -> Tuple[int, int]:
    """The owner of a key in a sharded topology: the node's index and its shard's.

    In a replicated one, ask with the chosen node alone.
    """
    route_hash = route(namespace, key)
    candidates: List[Tuple[int, int, int]] = [
        (node, shard, score(route_hash, shard_hash(id, shard)))
        for node, (id, shards, _) in enumerate(nodes)
        for shard in range(shards)
    ]
    if len({weight for _, _, weight in nodes}) == 1:
        best = max(candidates, key=lambda candidate: candidate[2])
    else:
        best = min(candidates, key=lambda each: cost(each[2], nodes[each[0]][2]))
    return best[0], best[1]
