"""The row of invalidations: how many keys a second each of three caches drops."""

from __future__ import annotations

import pathlib
import tempfile
from typing import Any, Callable, Dict, List, Optional

import systems
from arena import Arena, Entry, say
from driving import Loader
from figures import Ratio, Row, ratio_by_round
from running import Child, Refusal

NODES = 3
# Keys in each message, and how many messages are in flight.
BATCHES = {1: 512, 64: 64, 1000: 16}
VALUE = 16


class Cluster(systems.System):
    """Three replicated nodes, and a publisher whose log is on disk, in a directory of its own.

    Counts the records that each node has applied, by its position.
    """

    protocol, name = "martlet", "Martlet"

    def __init__(self, arena: Arena) -> None:
        settings = arena.settings
        self.folder = tempfile.TemporaryDirectory(prefix="martlet-compare.")
        try:
            server = systems.servers.Martlet(
                settings.memory, settings.martlet,
                ["--nodes", str(NODES), "--topology", "replicated", "--dir", self.folder.name,
                 *settings.node_options])
        except BaseException:
            self.folder.cleanup()
            raise
        super().__init__(server, server.report["publisher"]["endpoint"])
        self.nodes = [node["endpoints"][0] for node in server.report["nodes"]]
        self.pids = [server.report["publisher"]["pid"],
                     *(node["pid"] for node in server.report["nodes"])]

    def counters(self) -> Dict[str, int]:
        statuses = [self.server.client.status(node) for node in self.nodes]
        if len({status.epoch for status in statuses}) > 1:
            raise Refusal("the nodes are in different epochs")
        return {node: status.sequence for node, status in zip(self.nodes, statuses)}

    def close(self) -> None:
        super().close()
        self.folder.cleanup()


class Listeners(systems.System):
    """A Redis and three clients with tables of their own, which count what they drop."""

    protocol, name = "resp", "Redis"

    def __init__(self, arena: Arena) -> None:
        server = systems.servers.Redis(arena.settings.memory, "lru")
        super().__init__(server, f"127.0.0.1:{server.port}")
        # A listener that lags is not thrown out: what it has dropped is what counts.
        self.ask(b"CONFIG", b"SET", b"client-output-buffer-limit", b"pubsub 0 0 0")
        self.listener: Optional[Child] = None

    def ask(self, *words: bytes) -> bytes:
        self.server.socket.sendall(self.server.command(*words))
        return self.server.answers.readline()

    def listen(self, settings: Any, kind: str) -> None:
        if self.listener is not None:
            self.listener.end()  # of a run that broke off
        host, port = self.address.split(":")
        self.listener = Child([settings.programs / "listener", host, port, NODES, kind,
                               settings.keys], settings.folder / "listener.out")

    def counters(self) -> Dict[str, int]:
        counts = self.listener.wait_for("counts", 30)
        if not self.listener.runs or not counts["ready"]:
            raise Refusal(f"a listener is gone: {self.listener.last_words}")
        dropped = {str(index): count for index, count in enumerate(counts["dropped"])}
        return {**dropped, "at_ns": counts["at_ns"]}

    def close(self) -> None:
        if self.listener is not None:
            self.listener.end()
        super().close()


class Heard(Loader):
    """A run of our loader with listeners that are there only as long as it."""

    def __init__(self, listeners: Listeners, kind: str, settings: Any, words: List[Any]) -> None:
        super().__init__(settings.programs, settings.seconds, words)
        self.listeners, self.kind, self.settings = listeners, kind, settings

    def start(self, folder: pathlib.Path) -> Child:
        self.listeners.listen(self.settings, self.kind)
        return super().start(folder)

    def report(self) -> Dict[str, Any]:
        try:
            return super().report()
        finally:
            self.listeners.listener.end()


def slowest(detail: Dict[str, Any]) -> float:
    """What the slowest cache dropped a second, in messages or keys, by the clock of who counted."""
    rates = dict(detail["rates"])
    clock = rates.pop("at_ns", 1e9) / 1e9
    return min(rates.values()) / clock


def invalidations(arena: Arena) -> Row:
    """Keys invalidated a second on each of three caches."""
    row = Row("invalidations", f"keys invalidated a second, applied by each of {NODES} caches")
    settings = arena.settings
    cluster = arena.started("cluster", lambda: Cluster(arena))
    redis = arena.started("listened", lambda: Listeners(arena))
    common: List[Any] = ["--keys", settings.keys]

    def words(system: systems.System, operation: str, batch: int) -> List[Any]:
        return ["--protocol", system.protocol, "--to", system.address, "--operation", operation,
                "--batch", batch, "--in-flight", BATCHES[batch] * batch, *common]

    def martlet(batch: int) -> Callable[[], Loader]:
        return lambda: Loader(settings.programs, settings.seconds,
                              words(cluster, "invalidate", batch))

    def heard(kind: str, operation: str, batch: int) -> Callable[[], Loader]:
        return lambda: Heard(redis, kind, settings, [
            *words(redis, operation, batch), "--connections", 8, "--value", VALUE])

    for batch in BATCHES:
        each = "one key" if batch == 1 else f"{batch} keys"
        part = Row("", "")
        entries: List[Entry] = [
            (f"martlet {batch}", f"Martlet, {each} a record", cluster, martlet(batch)),
            (f"tracking {batch}", f"Redis, CLIENT TRACKING BCAST, {each} a write", redis,
             heard("tracking", "set", batch)),
            (f"pubsub {batch}", f"Redis, pub/sub, {each} a message", redis,
             heard("subscribe", "publish", batch))]
        say(f"  {each} in each:")
        arena.rounds(part, entries, "keys/s", keys_of(batch))
        for peer, name, asked in (("tracking", "Redis tracking in broadcast mode", 3.0),
                                  ("pubsub", "Redis pub/sub", None)):
            row.ratios.append(Ratio(f"Martlet ÷ {name}, {each} in each", ratio_by_round(
                part, f"martlet {batch}", [f"{peer} {batch}"], max), asked))
        row.contestants += part.contestants
        row.notes += part.notes
    row.notes.append("Martlet's nodes drop from a table with floors and its publisher writes each "
                     "record to disk before anybody hears of it; Redis keeps nothing, and its "
                     "listeners mark a byte for each key.")
    return row


def keys_of(batch: int) -> Callable[[Dict[str, Any]], float]:
    """Nodes count records of `batch` keys, listeners count keys."""
    return lambda detail: slowest(detail) * (1 if "at_ns" in detail["rates"] else batch)
