"""The contents of hashes.json: XXH64, mix, route and shard hashes, and owners."""

from __future__ import annotations

from typing import Any, Dict, List, Tuple

from martlet_protocol import routing

SEED = 0x9E3779B97F4A7C15
LENGTHS = list(range(41)) + [63, 64, 65, 95, 96, 97, 255, 256, 1_000, 4_096]
KEYS = [b"k", b"user:1", b"\x00", b"\xff" * 33, bytes(range(64)), b"a" * 4_096]
NAMESPACES = ["default", "pages", "n" * 64]
NODES = ["node1", "node2", "node3", "n", "a-rather-long-node-id.example"]

TOPOLOGIES: List[Tuple[str, List[routing.Node]]] = [
    ("one node, one shard", [("node1", 1, 1_000)]),
    ("three nodes, one shard each", [("node1", 1, 1_000), ("node2", 1, 1_000),
                                     ("node3", 1, 1_000)]),
    ("three nodes, four shards each", [("node1", 4, 1_000), ("node2", 4, 1_000),
                                       ("node3", 4, 1_000)]),
    ("equal weights that are not 1", [("node1", 2, 2_500), ("node2", 2, 2_500)]),
    ("different weights", [("node1", 1, 1_000), ("node2", 1, 2_000), ("node3", 1, 500)]),
    ("different weights and shards", [("node1", 3, 1), ("node2", 1, 4_294_967_295),
                                      ("node3", 2, 2_147_483_647)]),
    ("nearly equal weights", [("node1", 2, 1_000), ("node2", 2, 1_001)]),
]


def pattern(length: int) -> bytes:
    """Bytes that differ at every place: 7 · index + 3, modulo 251."""
    return bytes((7 * index + 3) % 251 for index in range(length))


def _xxh64() -> List[Dict[str, str]]:
    inputs = [pattern(length) for length in LENGTHS]
    inputs += [b"abc", b"Nobody inspects the spammish repetition", bytes(32), b"\xff" * 33]
    return [
        {"input": data.hex(), "seed": str(seed), "hash": str(routing.xxh64(data, seed))}
        for seed in (0, SEED) for data in inputs
    ]


def _owners() -> List[Dict[str, Any]]:
    cases: List[Dict[str, Any]] = []
    for name, nodes in TOPOLOGIES:
        listed = [{"id": id, "shards": shards, "weight": weight}
                  for id, shards, weight in nodes]
        keys = []
        for index in range(40):
            namespace, key = NAMESPACES[index % 2], b"key-%d" % index
            node, shard = routing.owner(nodes, namespace, key)
            keys.append(_owned(namespace, key, nodes[node][0], shard))
        cases.append({"name": name, "kind": "sharded", "nodes": listed, "keys": keys})
        keys = []
        for index in range(12):
            near, key = nodes[index % len(nodes)], b"key-%d" % index
            _, shard = routing.owner([near], "default", key)
            keys.append(_owned("default", key, near[0], shard))
        cases.append({"name": name, "kind": "replicated", "nodes": listed, "keys": keys})
    return cases


def _owned(namespace: str, key: bytes, node: str, shard: int) -> Dict[str, Any]:
    return {"namespace": namespace, "key": key.hex(), "node": node, "shard": shard}


def all_hashes() -> Dict[str, List[Any]]:
    """Every golden hash and owner."""
    words = [0, 1, 0xFFFFFFFFFFFFFFFF, 0x0123456789ABCDEF, 1 << 63]
    return {
        "xxh64": _xxh64(),
        "mix": [{"input": str(word), "output": str(routing.mix(word))} for word in words],
        "routes": [
            {"namespace": namespace, "key": key.hex(),
             "route": str(routing.route(namespace, key))}
            for namespace in NAMESPACES for key in KEYS
        ],
        "buckets": [
            {"namespace": namespace, "kind": kind, "name": key.hex(),
             "bucket": routing.bucket(namespace, key, kind == "tag")}
            for namespace in NAMESPACES for kind in ("key", "tag") for key in KEYS
        ],
        "shards": [
            {"node": node, "shard": shard, "hash": str(routing.shard_hash(node, shard))}
            for node in NODES for shard in (0, 1, 255, 256, 65_535)
        ],
        "owners": _owners(),
    }
