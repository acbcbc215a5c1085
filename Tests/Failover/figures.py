"""Measures failovers, receipts and throughput: see README.md here.

    figures.py MARTLET [--rounds 20] [--receipts 1000] [--seconds 10] [--only PART]

There is no proxy: publishers, nodes and clients are connected directly, with default settings. The
last line is `N passed, N failed`: parts that could be measured, and those that could not.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Callable, Dict, List, Optional, Tuple

import paths  # noqa: F401
import zmq
from clients import Residents
from ensemble import Ensemble, EnsembleWatch, RESIDENT, SteadyClock, place_of
from faults import end_on_sigterm
from leader_client import DirectAsker, LeaderClient, Places
from martlet_client import Connection, MartletClient, NoAnswer, ServerError
from martlet_protocol import admin, control, message
from martlet_protocol.admin import Kind, Scope
from martlet_protocol.data import Status
from martlet_protocol.fields import Fields
from martlet_protocol.header import Type
from martlet_protocol.reading import U64
from process_tools import free_ports
from processes import NODE_MEMORY, Role, url, wait_until
from truth import percentile

PATIENCE = 40.0
KEYS = 1_000
CONNECTIONS = 3
WINDOW = 4
"""Requests that each connection has under way."""
NODES = 3
RESIGNED = 2.5
"""Seconds between two failovers: a publisher that resigned does not campaign for two."""


class EverywhereClient:
    """Sends one invalidation to all publishers until one acknowledges it: what is measured is the
    cluster, not how a client searches."""

    def __init__(self, endpoints: List[str]) -> None:
        self.context = zmq.Context()
        self.connections = {each: Connection(self.context, each) for each in endpoints}
        self.poller = zmq.Poller()
        for connection in self.connections.values():
            self.poller.register(connection.socket, zmq.POLLIN)

    def invalidate(self, wait: int) -> admin.Receipt:
        """The receipt, from whichever publisher it comes."""
        body = admin.Invalidate(wait, admin.HARD, 30_000, [Scope(Kind.key, b"other", "default")])
        fields = Fields(operation=os.urandom(16), deadline=30_000)
        due = {endpoint: 0.0 for endpoint in self.connections}
        ids: Dict[str, int] = {}
        end = time.monotonic() + PATIENCE
        while (now := time.monotonic()) < end:
            for endpoint, connection in self.connections.items():
                if now >= due[endpoint]:
                    ids[endpoint] = connection.send(Type.INVALIDATE, body, fields)
                    due[endpoint] = now + 2.0
            for endpoint, answer in self._arrived():
                if answer.request_id != ids.get(endpoint):
                    continue
                if answer.type == Type.RECEIPT:
                    return answer.body
                due[endpoint] = time.monotonic() + 0.01
        raise AssertionError(f"no publisher acknowledged an invalidation within {PATIENCE:.0f} s")

    def _arrived(self) -> List[Tuple[str, message.Message]]:
        ready = dict(self.poller.poll(10))
        return [(endpoint, message.decode(connection.receive_raw(0)))
                for endpoint, connection in self.connections.items()
                if connection.socket in ready]

    def close(self) -> None:
        """Closes all sockets."""
        self.context.destroy(linger=0)


class ShareReader(threading.Thread):
    """Reads what is never invalidated, and counts what it is answered."""

    def __init__(self, places: Places) -> None:
        super().__init__(daemon=True)
        self.places = places
        self.stopping = threading.Event()
        self.asked = self.answered = self.fresh = 0

    def run(self) -> None:
        with LeaderClient(self.places, timeout=1.0) as client:
            number = 0
            while not self.stopping.wait(0.002):
                number = (number + 1) % Residents.count
                self.asked += 1
                try:
                    answer = client.get(b"resident-%d" % number, RESIDENT)
                except (NoAnswer, ServerError):
                    continue
                self.answered += answer.status in (Status.HIT, Status.STALE)
                self.fresh += answer.status == Status.HIT

    def told(self) -> str:
        """The shares."""
        share = 100 / max(1, self.asked)
        return (f"{share * self.answered:.2f} % of {self.asked} reads of resident entries were "
                f"answered meanwhile, {share * self.fresh:.2f} % as fresh")


class Measurement:
    """One cluster on etcd, one with a log on a disk, and what is measured on both."""

    def __init__(self, options: argparse.Namespace, directory: Path) -> None:
        self.options, self.directory = options, directory
        self.ensemble = Ensemble(options.program, directory, [], {}, is_proxied=False)
        self.watch = EnsembleWatch(self.ensemble)
        self.client = EverywhereClient(list(self.ensemble.control.values()))
        self.residents = Residents(self.ensemble.places)

    def begin(self) -> None:
        """Starts the cluster on etcd."""
        self.ensemble.start()
        self.watch.await_well(60)
        self.residents.store()

    def end(self) -> None:
        """Ends everything."""
        self.residents.close()
        self.client.close()
        self.watch.close()
        self.ensemble.close()

    # Failovers

    def failovers(self) -> None:
        """From each way to end a leadership to the next acknowledged invalidation."""
        reader = ShareReader(self.ensemble.places)
        reader.start()
        print("| from | receipt | p50 | p99 | longest | times |\n|---|---|---|---|---|---|")
        for name, end in (("kill -9", self._kill), ("SIGTERM", self._terminate),
                          ("step-down", self._step_down)):
            for wait, word in ((admin.WAIT_NONE, "none"), (admin.WAIT_ALL, "all")):
                times = [self._failover(end, wait) for _ in range(self.options.rounds)]
                print(f"| {name} | {word} | {percentile(times, 0.5):.3f} s | "
                      f"{percentile(times, 0.99):.3f} s | {max(times):.3f} s | {len(times)} |",
                      flush=True)
        reader.stopping.set()
        reader.join(10)
        hits = self.residents.hits()
        print(f"\n{reader.told()}. {hits} of {Residents.count} resident entries are hits at the "
              f"end, in epoch {self.watch.head[0]}.")

    def _failover(self, end: Callable[[Role], None], wait: int) -> float:
        time.sleep(RESIGNED)
        self.watch.await_well(60)
        leader = self.ensemble.publishers[self.watch.await_leader()]
        began = time.monotonic()
        end(leader)
        self.client.invalidate(wait)
        took = time.monotonic() - began
        if leader.process is not None and end != self._step_down:
            leader.process.wait(20)
            leader.start()
        return took

    def _kill(self, role: Role) -> None:
        role.send(signal.SIGKILL)

    def _terminate(self, role: Role) -> None:
        role.send(signal.SIGTERM)

    def _step_down(self, role: Role) -> None:
        self.watch.asker.request(
            self.ensemble.control[role.name], Type.STEP_DOWN, control.StepDown(), 10.0)

    # Receipts

    def receipts(self) -> None:
        """`invalidate --wait all`, with the log on etcd and on a disk, in turn."""
        disk = DiskCluster(self.options.program, self.directory)
        try:
            disk.start()
            with MartletClient(disk.control) as single, \
                    LeaderClient(self.ensemble.places, timeout=5.0) as several:
                times: Dict[str, List[float]] = {"etcd, three members": [], "disk": []}
                for number in range(self.options.receipts):
                    for name, client in (("etcd, three members", several), ("disk", single)):
                        began = time.monotonic()
                        receipt = client.invalidate([Scope(Kind.key, b"%d" % number, "default")])
                        if len(receipt.applied) != NODES:
                            raise AssertionError(f"a receipt of {name}: {receipt}")
                        times[name].append(time.monotonic() - began)
        finally:
            disk.close()
        print("\n| invalidate --wait all, log on | p50 | p99 | longest | times |"
              "\n|---|---|---|---|---|")
        for name, each in times.items():
            print(f"| {name} | {1_000 * percentile(each, 0.5):.2f} ms | "
                  f"{1_000 * percentile(each, 0.99):.2f} ms | {1_000 * max(each):.2f} ms | "
                  f"{len(each)} |", flush=True)

    # Throughput

    def throughput(self) -> None:
        """Key invalidations that three nodes apply, at 1 000 keys a record."""
        self.watch.await_well(60)
        leader = self.ensemble.control[self.watch.await_leader()]
        before = self._log_end(leader)
        began = time.monotonic()
        senders = [Sender(leader, began + self.options.seconds) for _ in range(CONNECTIONS)]
        for sender in senders:
            sender.start()
        for sender in senders:
            sender.join(self.options.seconds + 60)
        self.watch.await_well(60)
        took = time.monotonic() - began
        records = self._log_end(leader) - before
        done = sum(sender.acknowledged for sender in senders)
        if records < done:
            raise AssertionError(f"{done} invalidations were acknowledged, the log has {records}")
        print(f"\n{done * KEYS / took:.0f} key invalidations a second on {NODES} nodes: {done} "
              f"records of {KEYS} keys in {took:.1f} s, {CONNECTIONS} connections with {WINDOW} "
              "requests each", flush=True)

    def _log_end(self, leader: str) -> int:
        return place_of(self.watch.asker.status(leader))[1]


class Sender(threading.Thread):
    """One connection that invalidates as fast as it is answered."""

    def __init__(self, endpoint: str, ends: float) -> None:
        super().__init__(daemon=True)
        self.endpoint, self.ends = endpoint, ends
        self.acknowledged = 0
        names = os.urandom(4).hex()
        scopes = [Scope(Kind.key, f"{names}-{number}".encode(), "default")
                  for number in range(KEYS)]
        body = admin.Invalidate(admin.WAIT_NONE, admin.HARD, 10_000, scopes)
        self.frame = message.encode(message.Message(
            Type.INVALIDATE, body, U64(1), Fields(deadline=10_000)))

    def run(self) -> None:
        context = zmq.Context()
        connection = Connection(context, self.endpoint)
        under_way = id = 0
        while time.monotonic() < self.ends or under_way:
            while under_way < WINDOW and time.monotonic() < self.ends:
                id += 1
                # The request id is bytes 8 to 15 of the header.
                connection.send_raw(
                    self.frame[:8] + id.to_bytes(8, "little") + self.frame[16:])
                under_way += 1
            answer = message.decode(connection.receive_raw(30))
            under_way -= 1
            self.acknowledged += answer.type == Type.RECEIPT
        context.destroy(linger=0)


class DiskCluster:
    """A publisher with its log on a disk, and three nodes."""

    def __init__(self, program: str, directory: Path) -> None:
        clock = SteadyClock(directory)
        control_port, live_port, *ports = free_ports(2 + NODES)
        self.control = url(control_port)
        configuration = directory / "disk.yaml"
        lines = ["publisher:", f'  endpoint: "{self.control}"',
                 f'  live-endpoint: "{url(live_port)}"', f"  log: {directory / 'disk-log'}",
                 "nodes:"]
        self.shards = [url(port) for port in ports]
        lines += [f'  - {{id: n{number + 1}, endpoints: ["{shard}"]}}'
                  for number, shard in enumerate(self.shards)]
        configuration.write_text("\n".join(lines) + "\n")
        self.roles = [Role("disk-publisher", [program, "publisher", "--config",
                                              str(configuration)],
                           directory / "disk-publisher.log", clock)]
        self.roles += [
            Role(f"disk-n{number + 1}",
                 [program, "node", "--id", f"n{number + 1}", "--memory", NODE_MEMORY,
                  "--publisher", self.control, "--live", url(live_port), "--bind", shard],
                 directory / f"disk-n{number + 1}.log", clock)
            for number, shard in enumerate(self.shards)]

    def start(self) -> None:
        """Starts everything, and waits until every node is LIVE."""
        for role in self.roles:
            role.start()
        asker = DirectAsker()
        wait_until("every node of the disk's cluster is LIVE", 60, lambda: self._is_live(asker))
        asker.close()

    def _is_live(self, asker: DirectAsker) -> bool:
        try:
            return all(asker.status(shard).state == 3 for shard in self.shards)
        except (NoAnswer, ServerError):
            return False

    def close(self) -> None:
        """Ends everything."""
        for role in self.roles:
            role.kill()


def arguments() -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(description="Measures failovers.")
    parser.add_argument("program", help="the martlet binary, built for release")
    parser.add_argument("--rounds", type=int, default=20, help="failovers of each kind")
    parser.add_argument("--receipts", type=int, default=1_000)
    parser.add_argument("--seconds", type=float, default=10, help="of throughput")
    parser.add_argument("--only", choices=["failovers", "receipts", "throughput"])
    return parser.parse_args()


def measure(measurement: Measurement, only: Optional[str]) -> int:
    """Measures part after part; how many could not be measured."""
    failed = 0
    for part in (measurement.receipts, measurement.throughput, measurement.failovers):
        if only not in (None, part.__name__):
            continue
        try:
            part()
        except (AssertionError, NoAnswer, ServerError) as error:
            failed += 1
            print(f"not ok {part.__name__}: {error}", flush=True)
    return failed


def main() -> int:
    """Measures; 0 if everything could be measured."""
    options = arguments()
    end_on_sigterm()
    parts = 1 if options.only else 3
    with tempfile.TemporaryDirectory(prefix="martlet-failover-") as directory:
        measurement = Measurement(options, Path(directory))
        try:
            measurement.begin()
            failed = measure(measurement, options.only)
        except (AssertionError, KeyboardInterrupt) as error:
            failed = parts
            print(f"not ok {error!r}")
        finally:
            measurement.end()
    print(f"{parts - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
