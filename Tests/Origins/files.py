"""Files of a real web server, nginx, read through nodes."""

from __future__ import annotations

import random
import shutil
import socket
import subprocess
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple

from asking import Asked, Load, Told, get_frame
from checking import expect
from martlet_client import MartletClient
from martlet_protocol.admin import Kind, Scope
from martlet_protocol.data import Status
from martlet_protocol.fields import Fields
from processes import PATIENCE, WITH_US, Proxy, free_ports, wait_until
from scenario import Scenario
from station import NAME, Station

PLAIN, BRIEF, CUT, SMALL = "plain", "brief", "cut", "small"
VALUE_MAX = 8 << 20
SIZES = (0, 1, 64 << 10, 1 << 20, VALUE_MAX)
TOO_LARGE, UNREACHABLE = 5, 2
BRIEF_TTL = 0.3
MANY = 200
RATE = 400.0
NARROW = 1 << 20
"""Bytes a second through the narrow way: a MiB takes long enough to be cut."""


def contents(count: int, seed: int) -> bytes:
    """Bytes that are told apart from all others."""
    return random.Random(seed).randbytes(count)


class Nginx:
    """A web server of a folder, with its own account of what it was asked."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.files = directory / "files"
        self.files.mkdir()
        self.log = directory / "access.log"
        self.port = free_ports(1)[0]
        self.process: Optional[subprocess.Popen] = None
        (directory / "nginx.conf").write_text(self._configuration())

    def __enter__(self) -> "Nginx":
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def start(self) -> None:
        """Starts it; back when it listens."""
        with open(self.directory / "nginx.log", "ab") as output:
            self.process = subprocess.Popen(
                [*WITH_US, "nginx", "-p", str(self.directory), "-c",
                 str(self.directory / "nginx.conf"), "-e", "stderr"],
                stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        wait_until("nginx listens", 10, self._listens)

    def kill(self) -> None:
        """Ends it in the middle of whatever it does."""
        if self.process is not None:
            self.process.kill()
            self.process.wait(PATIENCE)

    def _listens(self) -> bool:
        with socket.socket() as trial:
            return trial.connect_ex(("127.0.0.1", self.port)) == 0

    def write(self, name: str, content: bytes) -> None:
        """A file, new or another, as a whole: nobody reads the half of it."""
        fresh = self.directory / "fresh"
        fresh.write_bytes(content)
        fresh.rename(self.files / name)

    def asked(self, name: str = "") -> List[Tuple[str, int, str]]:
        """Status, bytes of the body and who asked, for each request for that file."""
        lines = [line.split(" ") for line in self.log.read_text().splitlines()]
        return [(status, int(count), node) for path, status, count, node in lines
                if path == f"/files/{name}" or not name]

    def _configuration(self) -> str:
        folder = self.directory
        temporary = "; ".join(
            f"{name}_temp_path {folder}/t-{name}"
            for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        return f"""daemon off; master_process off; pid {folder}/pid; error_log stderr notice;
events {{ worker_connections 1024; }}
http {{
    log_format brief '$uri $status $body_bytes_sent $http_x_node';
    access_log {self.log} brief;
    {temporary};
    server {{ listen 127.0.0.1:{self.port} backlog=1024; root {folder}; }}
}}
"""


class Files:
    """A replicated cluster whose values are files."""

    def __init__(self, scenario: Scenario, nginx: Nginx, way: Proxy) -> None:
        self.scenario, self.nginx, self.way = scenario, nginx, way
        self.station = Station(scenario.program, scenario.directory, "replicated",
                               self._namespaces())

    def _namespaces(self) -> Dict[str, Dict[str, Any]]:
        direct = f"http://127.0.0.1:{self.nginx.port}/files/{{+key}}"
        narrow = f"http://127.0.0.1:{self.way.ports['narrow']}/files/{{+key}}"
        common = {"headers": {"x-node": f"${{{NAME}}}"}, "coalesce": "node"}
        brief = {"ttl": f"{int(BRIEF_TTL * 1_000)}ms", "value-max": "8MiB"}
        return {
            PLAIN: {"ttl": "1h", "value-max": "8MiB", "origin": {"url": direct, **common}},
            BRIEF: {**brief, "origin": {"url": direct, "stale-if-error": "1h", **common}},
            SMALL: {**brief, "origin": {"url": direct, "stale-if-error": "1h",
                                        "breaker-pause": "200ms", **common}},
            CUT: {"ttl": "1h", "value-max": "8MiB",
                  "origin": {"url": narrow, "timeout": "20s", "retries": 2,
                             "breaker-pause": "100ms", **common}},
        }

    def whole(self, client: MartletClient, key: bytes, space: str, node: str) -> bytes:
        """A value of any size from this node."""
        return client.get_large(key, space, node)

    def sizes(self, client: MartletClient) -> None:
        """Files of every size come whole, and one that is too long fails and says why."""
        moved = 0
        for size in SIZES:
            name = f"size{size}"
            content = contents(size, size)
            self.nginx.write(name, content)
            for node in self.station.names:
                for _ in range(2):
                    value = self.whole(client, name.encode(), PLAIN, node)
                    self.owe(value == content, f"{size} bytes from {node} are others")
            # It writes a line after the answer has gone.
            wait_until(f"nginx has said that {name} was asked three times", 10,
                       lambda name=name: len(self.nginx.asked(name)) >= 3)
            asked = self.nginx.asked(name)
            self.owe([each[0] for each in asked] == ["200"] * 3, f"{name} was asked: {asked}")
            moved += sum(each[1] for each in asked)
        self.nginx.write("long", bytes(VALUE_MAX + 1))
        for node in self.station.names:
            answer = client.get(b"long", PLAIN, node=node)
            self.owe(answer.status == Status.FAILED and answer.result.detail == TOO_LARGE,
                     f"one byte too many from {node}: {answer}")
        self.tell(f"sizes {', '.join(map(str, SIZES))}: whole at 3 nodes, {moved} bytes moved; "
                  f"one byte more: FAILED, tooLarge")

    def unchanged(self, client: MartletClient) -> None:
        """What is past its lifetime is asked about, and does not move again."""
        name, size = "kept", 1 << 20
        content = contents(size, 7)
        self.nginx.write(name, content)
        rounds = 3
        for _ in range(rounds):
            for node in self.station.names:
                value = self.whole(client, name.encode(), BRIEF, node)
                self.owe(value == content, f"a renewed value from {node} is another")
            time.sleep(BRIEF_TTL + 0.1)
        asked = self.nginx.asked(name)
        by = Counter(each[0] for each in asked)
        moved = sum(each[1] for each in asked)
        self.tell(f"past its lifetime: {dict(by)} for {rounds} rounds at 3 nodes, {moved} bytes "
                  f"moved of {len(asked) * size}")
        self.owe(by["200"] == 3 and by["304"] >= 3 * (rounds - 1), f"{dict(by)}")
        self.owe(moved == 3 * size, f"{moved} bytes moved")
        self.nginx.write(name, content[::-1])
        for node in self.station.names:
            value = self.whole(client, name.encode(), BRIEF, node)
            self.owe(value == content[::-1], f"another file, and {node} has the old one")

    def changed(self, client: MartletClient) -> None:
        """A file that has changed, and was invalidated, is another one at every node."""
        name = "changing"
        for number in range(5):
            content = b"number %d" % number
            self.nginx.write(name, content)
            if number:
                receipt = client.invalidate([Scope(Kind.key, name.encode(), PLAIN)])
                self.owe(receipt.complete, f"{receipt}")
            for node in self.station.names:
                answer = client.get(name.encode(), PLAIN, node=node)
                self.owe(answer.status == Status.HIT and answer.value == content,
                         f"after the change {node} says {answer}")
        self.tell("4 changes and invalidations: the new file at every node, at once")

    def cuts(self, client: MartletClient) -> None:
        """A connection that is cut in the middle never makes a value."""
        name, size = "narrow", 1 << 20
        content = contents(size, 9)
        self.way.set("narrow", rate=NARROW)
        outcomes = []
        for cuts in (1, 4):
            key = f"{name}{cuts}".encode()
            self.nginx.write(key.decode(), content)
            cutter = threading.Thread(target=self._cut, args=(cuts,))
            cutter.start()
            answer = client.get(key, CUT, node="n1", fields=Fields(deadline=15_000))
            cutter.join()
            outcomes.append(answer)
        self.way.heal("narrow", cut=False)
        once, always = outcomes
        self.owe(once.status == Status.HIT and self.rest(client, b"narrow1") == content,
                 f"cut once: {once}")
        self.owe(always.status == Status.FAILED and always.result.detail == UNREACHABLE,
                 f"cut again and again: {always}")
        time.sleep(0.5)
        self.owe(self.rest(client, b"narrow4") == content, "afterwards it is not whole")
        self.tell(f"cut once in the middle of a MiB: {once}; cut every time: {always}; whole "
                  "afterwards")

    def rest(self, client: MartletClient, key: bytes) -> bytes:
        """The whole value at the first node, and none if it fails."""
        try:
            return self.whole(client, key, CUT, "n1")
        except ValueError as error:
            return repr(error).encode()

    def _cut(self, times: int) -> None:
        for _ in range(times):
            time.sleep(0.4)
            self.way.set("narrow", cut=True)

    def restart(self) -> None:
        """The server is killed and comes back while files are loaded all the time."""
        keys = [b"many%d" % number for number in range(MANY)]
        values = {key: contents(200, number) for number, key in enumerate(keys)}
        for key, value in values.items():
            self.nginx.write(key.decode(), value)
        frames = {key: get_frame(key, SMALL, deadline=5_000) for key in keys}
        seen: Counter = Counter()
        wrong: List[str] = []
        places = list(self.station.shards.values())

        def hear(asked: Asked, answer: Told) -> None:
            seen[Status(answer.status).name if answer.status else "no answer"] += 1
            if answer.has_value and answer.value != values[asked.key]:
                wrong.append(f"{asked.key!r}: {answer}")

        def choose(dice: random.Random) -> Tuple[bytes, str]:
            return dice.choice(keys), dice.choice(places)

        for place in places:
            with_all = Load(1_000, choose_all(keys, place), frames.__getitem__, hear)
            with_all.start()
            wait_until("every file is loaded", 10, lambda: with_all.sent >= MANY)
            with_all.end()
        load = Load(RATE, choose, frames.__getitem__, hear)
        load.start()
        time.sleep(0.5)
        asked = len(self.nginx.asked())
        self.nginx.kill()
        time.sleep(0.8)
        self.nginx.start()
        time.sleep(1.0)
        load.end()
        again = len(self.nginx.asked()) - asked
        self.tell(f"killed and back after 0.8 s, {load.sent} reads meanwhile: {dict(seen)}; "
                  f"{again} requests after its return")
        self.owe(not wrong, f"{len(wrong)} wrong values, first {wrong and wrong[0]}")
        self.owe(sum(seen.values()) == seen["HIT"] + seen["STALE"], f"{dict(seen)}")
        self.owe(again > 0, "nothing was loaded after its return")

    def owe(self, condition: object, why: str) -> None:
        """As the scenario's."""
        self.scenario.owe(condition, why)

    def tell(self, figures: str) -> None:
        """As the scenario's."""
        self.scenario.tell(figures)


def choose_all(keys: List[bytes], place: str) -> Any:
    """Every key of one place, one after the other."""
    turns = iter(range(1 << 30))
    return lambda _: (keys[next(turns) % len(keys)], place)


def nginx(scenario: Scenario) -> None:
    """All of it with one server."""
    expect(shutil.which("nginx"), "nginx is not installed: ensure_nginx in deploy/lib.sh")
    folder = scenario.directory / "nginx"
    folder.mkdir()
    with Nginx(folder) as server:
        way = Proxy({"narrow": str(server.port)}, scenario.directory / "proxy.log")
        try:
            files = Files(scenario, server, way)
            with files.station as station, station.client(20.0) as client:
                files.sizes(client)
                files.unchanged(client)
                files.changed(client)
                files.cuts(client)
                files.restart()
                scenario.owe(not station.fallen(), f"fallen: {station.fallen()}")
        finally:
            way.close()
    scenario.end()


SCENARIOS = {"nginx": nginx}
