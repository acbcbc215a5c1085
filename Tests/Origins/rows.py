"""Rows of a PostgreSQL that change under load, read through nodes; a judge knows every commit."""

from __future__ import annotations

import os
import pwd
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import bounds
from asking import Asked, Load, Told, get_frame
from checking import expect
from martlet_client import NoAnswer, ServerError
from martlet_protocol import admin, data
from martlet_protocol.admin import Kind, Scope
from martlet_protocol.data import Status
from processes import PATIENCE, WITH_US, free_ports, wait_until
from scenario import Scenario
from station import HERE, Station
from truth import Key, Truth

SPACE = "rows"
WRITERS, GROUPS, MEMBERS = 3, 3, 12
"""Each writer has its own groups of rows; what it writes nobody else does."""
READERS = 2
RATE = 1_500.0
"""Gets a second of each reader."""
NEVER = b"uncommitted"
LEASE = 1.0


def programs() -> Optional[Path]:
    """Where PostgreSQL's programs are; Debian keeps them off the path."""
    found = shutil.which("initdb")
    if found:
        return Path(found).parent
    places = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"),
                    key=lambda each: int(each.parent.parent.name))
    return places[-1].parent if places else None


class PostgreSQL:
    """A server of its own, on a socket in a directory; nobody else can reach it."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory / "postgresql"
        self.data = self.directory / "data"
        self.said = directory / "postgresql.log"
        self.process: Optional[subprocess.Popen] = None
        found = programs()
        expect(found, "PostgreSQL is not installed: ensure_postgresql in deploy/lib.sh")
        assert found is not None
        self.programs = found

    def __enter__(self) -> "PostgreSQL":
        self.directory.mkdir()
        owner = self._owner()
        if owner:
            # It refuses to run as root, and root's directories are closed to others.
            self.directory.parent.chmod(0o711)
            os.chown(self.directory, owner.pw_uid, owner.pw_gid)
        with open(self.said, "ab") as output:
            subprocess.run(
                [*self._as(owner), str(self.programs / "initdb"), "-D", str(self.data),
                 "-U", "martlet", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync"],
                stdout=output, stderr=output, check=True, cwd=self.directory)
            self.process = subprocess.Popen(
                [*WITH_US, *self._as(owner), str(self.programs / "postgres"), "-D",
                 str(self.data), "-k", str(self.directory), "-c", "listen_addresses=",
                 "-c", "fsync=off", "-c", "max_connections=400", "-c", "shared_buffers=16MB"],
                stdin=subprocess.DEVNULL, stdout=output, stderr=output, cwd=self.directory)
        wait_until("PostgreSQL answers", 20, self._answers)
        return self

    def __exit__(self, *_: object) -> None:
        if self.process is not None:
            # By this signal it waits for nobody who is still connected.
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(3)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait(PATIENCE)

    def connect(self) -> Any:
        """A connection."""
        import psycopg2
        return psycopg2.connect(host=str(self.directory), dbname="postgres", user="martlet")

    def _answers(self) -> bool:
        import psycopg2
        try:
            self.connect().close()
            return True
        except psycopg2.OperationalError:
            return False

    def _owner(self) -> Optional[pwd.struct_passwd]:
        if os.geteuid() != 0:
            return None
        try:
            return pwd.getpwnam("postgres")
        except KeyError:
            return pwd.getpwnam("nobody")

    def _as(self, owner: Optional[pwd.struct_passwd]) -> List[str]:
        if owner is None:
            return []
        return ["setpriv", f"--reuid={owner.pw_uid}", f"--regid={owner.pw_gid}",
                "--clear-groups"]


class Service:
    """The service's process."""

    def __init__(self, database: PostgreSQL, log: Path) -> None:
        self.port = free_ports(1)[0]
        self.process = subprocess.Popen(
            [*WITH_US, sys.executable, str(HERE / "service.py"), str(self.port),
             str(database.directory)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=open(log, "ab"), text=True)
        assert self.process.stdout is not None
        said = self.process.stdout.readline().strip()
        expect(said == "ready", f"the service says {said!r}")

    def close(self) -> None:
        """Ends it."""
        self.process.kill()
        self.process.wait(PATIENCE)


def group_of(writer: int, group: int) -> bytes:
    """The tag that a writer's group has."""
    return b"w%dg%d" % (writer, group)


def keys_of(writer: int, group: int) -> List[bytes]:
    """The keys of a group."""
    return [group_of(writer, group) + b"r%02d" % number for number in range(MEMBERS)]


class Deletions:
    """Which version of a row was its last deletion. A row that is not there has no text."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.last: Dict[bytes, int] = {}

    def note(self, key: bytes, version: int) -> None:
        """The row is deleted with this version."""
        with self.lock:
            self.last[key] = version

    def of(self, key: bytes) -> int:
        """The version of the last one."""
        with self.lock:
            return self.last.get(key, 0)


class Writer(threading.Thread):
    """Changes rows of its own, commits, invalidates, and remembers what it was promised."""

    def __init__(self, number: int, run: "Rows") -> None:
        super().__init__(daemon=True)
        self.number, self.run_of = number, run
        self.random = random.Random(100 + number)
        self.stopping = threading.Event()
        self.commits = self.rolled_back = self.complete = self.unanswered = 0
        self.error: Optional[BaseException] = None

    def run(self) -> None:
        """Again and again."""
        try:
            self._run()
        except BaseException as error:  # told at the end
            self.error = error

    def _run(self) -> None:
        database = self.run_of.database.connect()
        client = self.run_of.station.client(3.0)
        while not self.stopping.is_set():
            group = self.random.randrange(GROUPS)
            keys = keys_of(self.number, group)
            kind = self.random.random()
            if kind < 0.15:
                self.roll_back(database, keys)
            elif kind < 0.4:
                scope = Scope(Kind.tag, group_of(self.number, group), SPACE)
                versions = self.change(database, keys, False)
                self.invalidate(client, versions, [scope])
            else:
                some = self.random.sample(keys, self.random.choice([1, 1, 3]))
                versions = self.change(database, some, kind > 0.9)
                self.invalidate(client, versions, [Scope(Kind.key, key, SPACE) for key in some])
            self.stopping.wait(self.random.uniform(0, 0.03))
        client.close()
        database.close()

    def change(self, database: Any, keys: Sequence[bytes], deletes: bool) -> Dict[Key, int]:
        """One transaction: these rows are others, or gone."""
        truth = self.run_of.truth
        versions = truth.commit([(SPACE, key) for key in keys])
        with database, database.cursor() as cursor:
            for (_, key), version in versions.items():
                name = key.decode()
                if deletes:
                    self.run_of.deletions.note(key, version)
                    cursor.execute("DELETE FROM rows WHERE space = %s AND key = %s",
                                   (SPACE, name))
                    continue
                text = f"{SPACE} {name} {version} {self.random.randrange(1 << 30):x}"
                cursor.execute(
                    "INSERT INTO rows VALUES (%s, %s, %s, %s) ON CONFLICT (space, key) "
                    "DO UPDATE SET text = EXCLUDED.text, version = EXCLUDED.version",
                    (SPACE, name, text, version))
        self.commits += 1
        return versions

    def roll_back(self, database: Any, keys: Sequence[bytes]) -> None:
        """A transaction that is given up: nobody may ever see it."""
        with database.cursor() as cursor:
            for key in keys:
                cursor.execute(
                    "UPDATE rows SET text = space || ' ' || key || ' ' || version || ' ' || %s "
                    "WHERE space = %s AND key = %s", (NEVER.decode(), SPACE, key.decode()))
            time.sleep(self.random.uniform(0, 0.02))
        database.rollback()
        self.rolled_back += 1

    def invalidate(self, client: Any, versions: Dict[Key, int], scopes: List[Scope]) -> None:
        """Tells everybody; what comes back is owed from then on."""
        try:
            receipt = client.invalidate(scopes, admin.WAIT_ALL, 2_500)
        except (NoAnswer, ServerError):
            self.unanswered += 1
            return
        place = (receipt.epoch, int(receipt.sequence))
        self.complete += bool(receipt.complete)
        self.run_of.truth.promised(versions, place, time.monotonic(), bool(receipt.complete),
                                   bool(receipt.applied))


class Rows:
    """Database, service, cluster, writers, readers and the judge."""

    def __init__(self, scenario: Scenario, topology: str, database: PostgreSQL,
                 service: Service) -> None:
        self.scenario, self.database = scenario, database
        self.truth = Truth(LEASE, {SPACE: "revalidate"})
        self.deletions = Deletions()
        self.station = Station(scenario.program, scenario.directory, topology, {SPACE: {
            "ttl": "10m", "suspect": "revalidate", "origin": {
                "url": f"http://127.0.0.1:{service.port}/{{namespace}}/{{key}}",
                "negative-ttl": "10m", "timeout": "3s"}}})
        self.keys = [key for writer in range(WRITERS) for group in range(GROUPS)
                     for key in keys_of(writer, group)]
        self.frames = [{key: get_frame(key, SPACE, deadline=4_000) for key in self.keys}
                       for _ in range(READERS)]
        self.none = self.loaded = self.failed = self.read = 0
        with database.connect() as connection, connection.cursor() as cursor:
            cursor.execute("CREATE TABLE rows (space text, key text, text text, version bigint, "
                           "PRIMARY KEY (space, key))")

    def places(self) -> Callable[[random.Random], Tuple[bytes, str]]:
        """Any key, of its owner, or of any node."""
        every = list(self.station.shards.values())
        if self.station.topology == "replicated":
            return lambda dice: (dice.choice(self.keys), dice.choice(every))
        with self.station.client() as client:
            owners = {key: client.owner(key, SPACE) for key in self.keys}

        def owned(dice: random.Random) -> Tuple[bytes, str]:
            key = dice.choice(self.keys)
            return key, owners[key]
        return owned

    def hear(self, asked: Asked, answer: Told) -> None:
        """Judges one answer. Several readers at once."""
        self.read += 1
        value = answer.value
        if answer.status == Status.MISS and answer.flags & data.NEGATIVE:
            self.none += 1
            gone = self.deletions.of(asked.key)
            value = b"%s %s %d none" % (SPACE.encode(), asked.key, gone)
        elif not answer.has_value:
            self.failed += 1
            return
        if value.endswith(NEVER):
            self.truth.note("committed", f"{value!r} was never committed")
        self.loaded += answer.detail == 3
        marks = answer.flags & (data.SUSPECT | data.OVERTAKEN | data.SOFT)
        fresh = answer.status in (Status.HIT, Status.MISS) and not marks
        self.truth.judge(
            (SPACE, asked.key), value, fresh, bool(answer.flags & data.UNFENCED),
            bool(marks) or answer.status == Status.STALE, asked.sent, False,
            (answer.epoch, answer.sequence), asked.endpoint)

    def run(self, reads: int) -> None:
        """Load, faults, and the verdict."""
        writers = [Writer(number, self) for number in range(WRITERS)]
        loads = [Load(RATE, self.places(), frames, self.hear, seed=number)
                 for number, frames in enumerate(each.__getitem__ for each in self.frames)]
        began = time.monotonic()
        for each in [*writers, *loads]:
            each.start()
        faults = self.hurt(reads / (READERS * RATE))
        while self.read < reads and time.monotonic() - began < 3 * reads / (READERS * RATE):
            time.sleep(0.1)
        for writer in writers:
            writer.stopping.set()
            writer.join(PATIENCE)
        for load in loads:
            load.end()
        self.judge(writers, faults, time.monotonic() - began, reads)

    def hurt(self, seconds: float) -> List[str]:
        """A node is killed and started again, another one stopped, and the publisher."""
        told = []
        share = seconds / 8
        first, second, _ = self.station.nodes.values()
        time.sleep(share)
        first.kill()
        told.append(f"{first.name} killed")
        time.sleep(min(1.0, share))
        first.start()
        wait_until("every node is LIVE", 30, self.station.is_well)
        time.sleep(share)
        for role, lasts in ((second, 1.5), (self.station.publisher, 1.5)):
            role.pause()
            time.sleep(lasts * LEASE)
            role.resume()
            told.append(f"{role.name} stopped for {lasts * LEASE:.1f} s")
            time.sleep(share)
        return told

    def judge(self, writers: List[Writer], faults: List[str], took: float, reads: int) -> None:
        """What it came to."""
        tell, owe, counts = self.scenario.tell, self.scenario.owe, self.truth.counts
        commits = sum(each.commits for each in writers)
        complete = sum(each.complete for each in writers)
        rolled = sum(each.rolled_back for each in writers)
        lost = sum(each.unanswered for each in writers)
        tell(f"{self.station.topology}, {took:.0f} s: {commits} commits, {rolled} rolled back, "
             f"{complete} complete receipts, {lost} without one; {', '.join(faults)}")
        tell(f"{self.read} reads: {counts.fresh} fresh, {counts.owed} of them owed a version, "
             f"{self.none} of rows that are not there, {self.loaded} just loaded, {counts.stale} "
             f"marked, {self.failed} without a value; {len(self.truth.wrong)} wrong")
        for wrong in self.truth.wrong[:5]:
            tell(f"WRONG [{wrong.promise}] {wrong.what}")
        for writer in writers:
            owe(writer.error is None, f"a writer: {writer.error!r}")
        owe(not self.truth.wrong, f"{len(self.truth.wrong)} wrong answers")
        owe(self.read >= reads, f"only {self.read} reads")
        owe(counts.owed >= 0.5 * self.read, f"only {counts.owed} reads were owed anything")
        owe(self.failed <= 0.2 * self.read, f"{self.failed} reads without a value")
        owe(self.none and self.loaded, "no deletion, or no load, was seen")
        owe(not self.station.fallen(), f"fallen: {self.station.fallen()}")


def rows(topology: str, reads: int) -> Callable[[Scenario], None]:
    """Rows change under load."""
    def run(scenario: Scenario) -> None:
        try:
            import psycopg2  # noqa: F401
        except ImportError:
            expect(False, "psycopg2 is not installed: ensure_postgresql in deploy/lib.sh")
        with PostgreSQL(scenario.directory) as database:
            service = Service(database, scenario.directory / "service.log")
            try:
                run = Rows(scenario, topology, database, service)
                with run.station:
                    run.run(bounds.ROWS_READS if scenario.is_full else reads)
            finally:
                service.close()
        scenario.end()
    return run


SCENARIOS = {"rows-replicated": rows("replicated", 9_000)}
LONG = {"rows-sharded": rows("sharded", 12_000)}
