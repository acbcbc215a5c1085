#!/usr/bin/env python3
"""Turns a cluster of an earlier release into one with slots, under a checked load.

    Tests/Upgrade/switch.py PREVIOUS MARTLET [LOGS]

PREVIOUS and MARTLET are the programs of the release before and of this one. A gateway of this
release asks the cluster all the time. Its readers store what they miss under tokens, and a writer
invalidates: a value older than an invalidation with a receipt is a wrong answer. Each step is a
check; the last line is `N passed, N failed`. What the processes said is kept in LOGS.
"""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from typing import Callable, Dict, List

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "Benchmarks"), str(HERE.parent / "Harness")]

from process_tools import WITH_US, free_ports, wait_until  # noqa: E402
from slots import Load  # noqa: E402

NODES = ["n1", "n2", "n3"]
SLOTS = 16_384
PATIENCE = 60.0
LOAD_SECONDS = 600
"""At most: the load ends when the last step has."""


class Cluster:
    """Processes of two releases, with one file and one log."""

    def __init__(self, home: pathlib.Path, previous: str, program: str) -> None:
        self.home, self.previous, self.program = home, previous, program
        control, live, self.gateway, *ports = free_ports(3 + len(NODES))
        self.control, self.live, self.ports = control, live, dict(zip(NODES, ports))
        self.environment = dict(os.environ, MARTLET_CLUSTER=f"tcp://127.0.0.1:{control}",
                                XDG_CACHE_HOME=str(home / "cache"))
        self.processes: Dict[str, subprocess.Popen] = {}
        self.seen: Dict[str, int] = {}
        """How much each had said before its present process started."""
        self.configure("sharded")

    def configure(self, topology: str) -> None:
        """The file that a process reads at its next start."""
        lines = ["publisher:", f"  endpoint: tcp://127.0.0.1:{self.control}",
                 f"  live-endpoint: tcp://127.0.0.1:{self.live}", f"  log: {self.home}/log",
                 "nodes:"]
        # The first has a third of the memory, and a disk tier that must outlast the wait for slots.
        lines += [f"  - {{id: {node}, memory: {128 if node == 'n1' else 384}MiB, port: {port}, "
                  f"disk: 64MiB, disk-directory: {self.home}/{node}}}"
                  for node, port in self.ports.items()]
        for name, kind in (("cluster", topology), ("earlier", "sharded")):
            (self.home / f"{name}.yaml").write_text(f"topology: {kind}\n" + "\n".join(lines) + "\n")

    def start(self, name: str, program: str) -> subprocess.Popen:
        """Starts a process; what it says is added to its log. An earlier one knows no slots."""
        file = "earlier.yaml" if program == self.previous else "cluster.yaml"
        config = ["--config", str(self.home / file)]
        command = {"publisher": ["publisher", *config],
                   "gateway": ["gateway", "--bind", f"127.0.0.1:{self.gateway}"]}.get(
                       name, ["node", *config, "--id", name])
        self.seen[name] = len(self.said(name))
        with open(self.home / f"{name}.log", "ab") as log:
            self.processes[name] = subprocess.Popen(
                [*WITH_US, program, *command], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env=self.environment)
        return self.processes[name]

    def stop(self, name: str) -> None:
        """Stops a process in order."""
        process = self.processes[name]
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == 0, f"{name} ended with {process.returncode}"

    def restart(self, name: str, program: str) -> None:
        """Replaces a process by one of a release."""
        self.stop(name)
        self.start(name, program)

    def said(self, name: str) -> str:
        """All that the processes of a name have said."""
        log = self.home / f"{name}.log"
        return log.read_text(errors="replace") if log.exists() else ""

    def says(self, name: str) -> str:
        """What the present process of a name has said."""
        return self.said(name)[self.seen.get(name, 0):]

    def refuse_earlier_publisher(self) -> None:
        """A publisher of the earlier release ends, and leaves the log as it is."""
        refused = self.start("publisher", self.previous)
        assert refused.wait(PATIENCE) != 0, "it started"
        assert "was written by a later release" in self.says("publisher"), self.says("publisher")

    def status(self) -> Dict:
        """What the program says of the cluster; nothing while it is not there."""
        asked = subprocess.run([self.program, "status", "--json"], env=self.environment,
                               capture_output=True, text=True, check=False, timeout=PATIENCE)
        return json.loads(asked.stdout) if asked.stdout else {}

    def wait(self) -> None:
        """Waits until all nodes are LIVE."""
        done = subprocess.run([self.program, "status", "--wait", f"{PATIENCE:.0f}s"],
                              env=self.environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr

    def end(self) -> None:
        """Ends everything that still runs."""
        for process in self.processes.values():
            process.kill()
            process.wait()


def owned(status: Dict) -> Dict[str, int]:
    """How many slots each node has."""
    figures = status.get("publisher", {}).get("figures", {})
    return {name[6:]: count for name, count in figures.items() if name.startswith("slots:")}


class Steps:
    """The switch, one step after the other."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.load: Load

    def an_earlier_cluster_runs(self) -> None:
        """All of it is of the release before, but the gateway."""
        self.cluster.start("publisher", self.cluster.previous)
        for node in NODES:
            self.cluster.start(node, self.cluster.previous)
        self.cluster.wait()
        self.cluster.start("gateway", self.cluster.program)
        time.sleep(2)
        self.load = Load(self.cluster.gateway, 500, LOAD_SECONDS)
        time.sleep(3)

    def nodes_and_publisher_are_upgraded_one_by_one(self) -> None:
        """But the last node."""
        for node in NODES[:2]:
            self.cluster.restart(node, self.cluster.program)
            self.cluster.wait()
        self.cluster.restart("publisher", self.cluster.program)
        self.cluster.wait()

    def slots_wait_for_the_node_of_the_earlier_release(self) -> None:
        """The publisher names it, and keys are answered meanwhile as before."""
        self.cluster.configure("slots")
        self.cluster.restart("publisher", self.cluster.program)
        wait_until("the publisher names the node", lambda: any(
            "n3" in line and "slots" in line for line in
            self.cluster.says("publisher").splitlines()), PATIENCE)
        self.cluster.wait()
        assert not owned(self.cluster.status()), "slots have begun"

    def until_then_there_is_a_way_back(self) -> None:
        """To `sharded`, and to the publisher of the release before."""
        self.cluster.stop("publisher")
        self.cluster.refuse_earlier_publisher()
        self.cluster.configure("sharded")
        self.cluster.start("publisher", self.cluster.program)
        self.cluster.wait()
        self.cluster.restart("publisher", self.cluster.previous)
        self.cluster.wait()
        self.cluster.configure("slots")
        self.cluster.restart("publisher", self.cluster.program)
        self.cluster.wait()

    def slots_begin_once_all_nodes_know_them(self) -> None:
        """Each node gets its share, and all keys can be stored again."""
        self.cluster.restart("n3", self.cluster.program)
        wait_until("slots begin", lambda: sum(owned(self.cluster.status()).values()) == SLOTS,
                   PATIENCE)
        self.cluster.wait()
        counts = owned(self.cluster.status())
        shares = {"n1": 2_341, "n2": 7_022, "n3": 7_021}
        assert all(abs(counts[node] - shares[node]) <= 1 for node in NODES), f"{counts}"

    def a_node_of_the_earlier_release_is_refused(self) -> None:
        """It says why, and answers nothing."""
        self.cluster.stop("n3")
        refused = self.cluster.start("n3", self.cluster.previous)
        wait_until("it says why", lambda: "belong to slots, which this release" in
                   self.cluster.says("n3"), PATIENCE)
        refused.send_signal(signal.SIGTERM)
        refused.wait(PATIENCE)
        self.cluster.start("n3", self.cluster.program)
        self.cluster.wait()

    def a_publisher_of_the_earlier_release_does_not_start(self) -> None:
        """The log stays as it is, and goes on in the same epoch."""
        before = self.cluster.status()["head"]
        self.cluster.stop("publisher")
        self.cluster.refuse_earlier_publisher()
        self.cluster.start("publisher", self.cluster.program)
        self.cluster.wait()
        after = self.cluster.status()["head"]
        assert before.split(":")[0] == after.split(":")[0], f"{before}, then {after}"

    def no_answer_was_wrong(self) -> None:
        """And the cluster was of use all the time."""
        time.sleep(3)
        self.load.stop()
        seconds, wrong = self.load.wait()
        hits = sum(second.hits for second in seconds.values())
        misses = sum(second.misses for second in seconds.values())
        errors = sum(second.errors for second in seconds.values())
        print(f"{hits} hits, {misses} misses, {errors} errors in {len(seconds)} s")
        assert not wrong, "\n".join(wrong[:10])
        assert hits > 10 * misses and errors * 100 < hits, "most answers are hits, few are errors"


def main() -> int:
    """Takes all steps until one fails."""
    home = pathlib.Path(tempfile.mkdtemp(prefix="martlet-switch-"))
    cluster = Cluster(home, *[os.path.abspath(path) for path in sys.argv[1:3]])
    steps = Steps(cluster)
    names: List[str] = [name for name in vars(Steps) if not name.startswith("_")]
    passed = 0
    try:
        for name in names:
            step: Callable[[], None] = getattr(steps, name)
            try:
                step()
            except Exception as failure:  # Whatever it is, the step has failed.
                print(f"not ok {name}: {failure!r}")
                for role in cluster.processes:
                    print(f"--- {role}\n" + "\n".join(cluster.said(role).splitlines()[-8:]))
                break
            passed += 1
            print(f"ok {name}", flush=True)
    finally:
        if hasattr(steps, "load") and passed < len(names):
            steps.load.stop()
            steps.load.wait()
        cluster.end()
        for logs in sys.argv[3:]:
            os.makedirs(logs, exist_ok=True)
            for log in home.glob("*.log"):
                shutil.copy(log, logs)
        shutil.rmtree(home)
    print(f"{passed} passed, {len(names) - passed} failed")
    return 0 if passed == len(names) else 1


if __name__ == "__main__":
    if not 3 <= len(sys.argv) <= 4:
        print(__doc__, file=sys.stderr)
        sys.exit(64)
    sys.exit(main())
