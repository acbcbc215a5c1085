"""Network namespaces: one for each process, joined by wires and a bridge.

All of it lives in the namespace that the harness itself moves into, and in anonymous ones held by
processes that end with their standard input. So when the harness is gone, in whatever way, the
kernel takes it all away. No address here has a route to anywhere else.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import Dict, List, Optional

LOOPBACK = "127.0.0.1"
NETWORK = "10.77.0"
HUB = f"{NETWORK}.1"
"""Where the harness is: at the bridge, with the clients and their proxy."""
INSIDE = "MARTLET_FAULTS_HUB"
"""Set where the harness has moved into a namespace of its own."""


def reason_against() -> Optional[str]:
    """Why there can be no namespaces here; `None`: there can."""
    missing = [tool for tool in ("unshare", "nsenter", "ip") if shutil.which(tool) is None]
    if missing:
        return f"{' and '.join(missing)} not installed"
    trial = ("ip link set lo up && ip link add hub type bridge && "
             "ip link add one type veth peer name two")
    tried = subprocess.run([*_unshare(), "sh", "-c", trial], capture_output=True, text=True)
    if tried.returncode == 0:
        return None
    return (tried.stderr.strip().splitlines() or ["not permitted"])[-1]


def entered() -> bool:
    """Starts this program again in a namespace of its own, unless it is in one.

    Where there can be none it says why, and ends with the counts of a run that did nothing.
    """
    reason = reason_against()
    if reason is not None:
        print(f"no network namespaces here: {reason}\n0 passed, 0 failed")
        return False
    _move_into()
    return True


def _move_into() -> None:
    if os.environ.get(INSIDE):
        return
    os.environ[INSIDE] = "1"
    sys.stdout.flush()
    command = [*_unshare(), sys.executable, "-u", *sys.argv]
    os.execvp(command[0], command)


def _unshare() -> List[str]:
    """Who is not root becomes it, among what is its own."""
    return ["unshare", "--net", "--mount", *([] if os.geteuid() == 0 else ["--map-root-user"])]


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise AssertionError(f"{' '.join(command)}: {done.stderr.strip()}")


class Namespaces:
    """The bridge, and a namespace for each process with a wire to it."""

    def __init__(self) -> None:
        self.holders: Dict[str, subprocess.Popen] = {}
        self.can_filter = shutil.which("nft") is not None
        _run("ip", "link", "set", "lo", "up")
        _run("ip", "link", "add", "hub", "type", "bridge")
        _run("ip", "address", "add", f"{HUB}/24", "dev", "hub")
        _run("ip", "link", "set", "hub", "up")

    def add(self, name: str) -> str:
        """A namespace for this process, and its address."""
        holder = subprocess.Popen(
            ["unshare", "--net", "sh", "-c", "echo ready; exec cat"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True)
        self.holders[name] = holder
        assert holder.stdout is not None
        if holder.stdout.readline().strip() != "ready":
            raise AssertionError(f"no namespace for {name}")
        address = f"{NETWORK}.{len(self.holders) + 1}"
        _run("ip", "link", "add", self.cable(name), "type", "veth",
             "peer", "name", "wire", "netns", str(holder.pid))
        _run("ip", "link", "set", self.cable(name), "master", "hub", "up")
        self.run(name, "ip", "link", "set", "lo", "up")
        self.run(name, "ip", "address", "add", f"{address}/24", "dev", "wire")
        self.run(name, "ip", "link", "set", "wire", "up")
        return address

    def cable(self, name: str) -> str:
        """The bridge's end of its wire; its own is called `wire`."""
        return f"to-{name}"

    def prefix(self, name: str) -> List[str]:
        """What has a command run in its namespace; it replaces itself by the command."""
        return ["nsenter", f"--net=/proc/{self.holders[name].pid}/ns/net", "--"]

    def run(self, name: str, *command: str) -> None:
        """Runs a command there."""
        _run(*self.prefix(name), *command)

    def plug(self, name: str, is_in: bool) -> None:
        """Pulls the cable at the bridge's end, or puts it in."""
        _run("ip", "link", "set", self.cable(name), "up" if is_in else "down")

    def filter(self, name: str, rules: Dict[str, str]) -> None:
        """What its packet filter does: for `input` and `output` a rule, or none."""
        lines = ["add table inet faults", "delete table inet faults"]
        if rules:
            lines.append("add table inet faults")
        for way, rule in rules.items():
            lines += [f"add chain inet faults {way} "
                      f"{{ type filter hook {way} priority 0; policy accept; }}",
                      f"add rule inet faults {way} {rule}"]
        self.run(name, "nft", "; ".join(lines))

    def narrow(self, name: str, rate: Optional[str]) -> None:
        """How many bits a second it may send; what does not fit into a short queue is lost."""
        if rate is None:
            return self.run(name, "tc", "qdisc", "del", "dev", "wire", "root")
        self.run(name, "tc", "qdisc", "replace", "dev", "wire", "root", "tbf",
                 "rate", rate, "burst", "4kb", "latency", "100ms")

    def close(self) -> None:
        """Has the namespaces end; their wires at once, for the kernel takes its time."""
        for name, holder in self.holders.items():
            subprocess.run(["ip", "link", "del", self.cable(name)], capture_output=True)
            assert holder.stdin is not None
            holder.stdin.close()
            holder.wait(10)
        subprocess.run(["ip", "link", "del", "hub"], capture_output=True)
