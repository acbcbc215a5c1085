"""Where the contestants meet: the servers, filled alike, and one measurement after the other."""

from __future__ import annotations

import contextlib
import pathlib
import sys
import time
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import systems
from driving import Drive, Loader, loader_words
from echo import Echo
from figures import Contestant, Row
from running import Child, Refusal, Window

# What of the window is left out at its front and at its end, in parts of it.
MARGIN = 0.1
LARGE_BYTES = 65_536


@dataclass
class Settings:
    """What the user asks for."""

    martlet: str
    programs: pathlib.Path
    folder: pathlib.Path
    seconds: float
    rounds: int
    keys: int
    value: int
    large_keys: int
    memory: int
    node_options: List[str]
    bench_options: List[str]
    traces: List[str]
    limits: List[int]
    requests: Optional[int]
    entries: int


# A contestant's key and label, the system that counts for it, and how to make one run of it.
Entry = Tuple[str, str, Optional[systems.System], Callable[[], Drive]]


class Arena:
    """Servers that are started when they are first needed, and ended at the end of the `with`."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.stack = contextlib.ExitStack()
        self.running: Dict[str, systems.System] = {}
        self.filled: set = set()
        self.commands: List[str] = []

    def __enter__(self) -> "Arena":
        return self

    def __exit__(self, *_: object) -> None:
        self.stack.close()

    @property
    def martlet(self) -> systems.Martlet:
        settings = self.settings
        return self.started("martlet", lambda: systems.Martlet(
            settings.memory, settings.martlet, settings.node_options))

    @property
    def secured(self) -> systems.Martlet:
        """As `martlet`, but every process has a key and lets in only whose key is in its list."""
        settings = self.settings
        return self.started("secured", lambda: systems.Martlet(
            settings.memory, settings.martlet, settings.node_options, secure=True))

    @property
    def redis(self) -> systems.Redis:
        return self.started("redis", lambda: systems.Redis(self.settings.memory))

    @property
    def memcached(self) -> systems.Memcached:
        return self.started("memcached", lambda: systems.Memcached(self.settings.memory))

    @property
    def all(self) -> List[systems.System]:
        return [self.martlet, self.redis, self.memcached]

    def started(self, name: str, start: Callable[[], systems.System]) -> Any:
        if name not in self.running:
            try:
                server = start()
            except SystemExit as why:
                # servers.py ends with a sentence if a server does not start, a signal with a code.
                if isinstance(why.code, int):
                    raise
                raise Refusal(str(why.code)) from None
            self.stack.callback(server.close)
            self.running[name] = server
            command = " ".join(map(str, server.server.process.args))
            self.commands.append(command)
            say(f"started: {command}")
        return self.running[name]

    def echo(self, kind: str, value: int, with_keys: bool = False) -> Echo:
        """An echo server of our own, ended with the arena."""
        name = f"echo {kind} {value}{' with keys' if with_keys else ''}"
        if name not in self.running:
            echo = Echo(self.settings.programs, self.settings.folder, kind, value, with_keys)
            self.stack.callback(echo.close)
            self.running[name] = echo
        return self.running[name]

    def fill(self, system: systems.System, prefix: str, keys: int, value: int) -> None:
        """Stores every key once, unless that is done already."""
        mark = (system.name, prefix, keys, value)
        if mark in self.filled:
            return
        batch, gather = 1, []
        if system.protocol == "martlet":
            batch, gather = max(1, min(128, 500_000 // value)), ["--gather"]
        words = loader_words(system, keys, max(8, min(512, 8_000_000 // value)), batch)
        command = [self.settings.programs / "loader", *words, *gather, "--fill",
                   "--prefix", prefix, "--value", value, "--warm-up", 0, "--seconds", 300]
        with Child(command, self.settings.folder / "fill.out") as child:
            child.finish(330)
            report = child.wait_for("ended", 1)
        if report["right"] != keys:
            raise Refusal(f"{system.name} could not be filled: {report}")
        self.filled.add(mark)

    def spoil(self) -> None:
        """What is stored is not what a fill stored: the next row fills again."""
        self.filled.clear()

    def measure(self, drive: Drive, system: systems.System) -> Dict[str, Any]:
        """Runs one drive; the server's own rates over a window in mid-run, and the drive's."""
        settings = self.settings
        with drive.start(settings.folder):
            drive.wait_until_begun()
            time.sleep(MARGIN * settings.seconds)
            window = Window(system.counters, system.pids)
            time.sleep((1 - 2 * MARGIN) * settings.seconds)
            seen = window.close()
            if not drive.child.runs:
                raise Refusal(f"{drive.command[0]} ended before its window did: "
                              f"{drive.child.last_words}")
            told = drive.report()
        return {**seen, "loader": told, "command": " ".join(drive.command)}

    def rounds(self, row: Row, entries: Sequence[Entry], unit: str,
               figure: Callable[[Dict[str, Any]], Optional[float]]) -> None:
        """Measures every entry in every round, in paired order: A B C, then C B A."""
        row.contestants += [Contestant(key, label, unit) for key, label, _, _ in entries]
        by_key = {contestant.key: contestant for contestant in row.contestants}
        for turn in range(self.settings.rounds):
            for key, label, system, make in entries if turn % 2 == 0 else reversed(entries):
                value, detail = self.one(row, label, system, make, figure)
                by_key[key].values.append(value)
                by_key[key].details.append(detail)

    def one(self, row: Row, label: str, system: systems.System, make: Callable[[], Drive],
            figure: Callable[[Dict[str, Any]], Optional[float]]
            ) -> Tuple[Optional[float], Dict[str, Any]]:
        try:
            detail = self.measure(make(), system)
        except systems.FAILURES as why:
            note = f"{label}: {why}"
            if note not in row.notes:
                row.notes.append(note)
            say(f"  {note}")
            return None, {}
        value = figure(detail)
        say(f"  {label:44} {'–' if value is None else format(value, ',.1f')}")
        return value, detail


def loader(arena: Arena, system: systems.System, words: Sequence[Any],
           in_flight: int, batch: int = 1) -> Callable[[], Drive]:
    """Makes runs of our loader against a system."""
    settings = arena.settings
    return lambda: Loader(settings.programs, settings.seconds,
                          [*loader_words(system, settings.keys, in_flight, batch),
                           "--value", settings.value, *words])


def say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
