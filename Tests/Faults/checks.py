"""Whether the harness does what it says: checks.py [--namespaces]

Every kind of fault of the proxy, or of the wires between namespaces, is done to one client and one
server that answers what it is sent. Judges are shown what they have to find. The last line is
`N passed, N failed`.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from random import Random
from typing import Callable, List, Optional

import zmq

from history import History
from network import HUB, LOOPBACK, Namespaces, entered
from oracle import Found, Key
from overwriter import Overwriter
from processes import WITH_US, Proxy, free_ports, url, wait_until
from proxy import Link
from sampler import POOL_MORE, Sample, Sampler, life
from tiers import SIZE, Tiers, flipped, truncated
from truth import Lapse, Place, Truth

SOON = 0.3
"""Seconds in which what is not held up has long come."""
PATIENCE = 10.0


class Echo(threading.Thread):
    """A server that answers what it is sent, and remembers it."""

    def __init__(self, context: zmq.Context, endpoint: str) -> None:
        super().__init__(daemon=True)
        self.socket = context.socket(zmq.ROUTER)
        self.socket.bind(endpoint)
        self.heard: List[bytes] = []
        self.stopping = threading.Event()

    def run(self) -> None:
        """Until it is told to stop."""
        while not self.stopping.is_set():
            if self.socket.poll(20):
                sender, text = self.socket.recv_multipart()
                self.heard.append(text)
                self.socket.send_multipart([sender, text])
        self.socket.close(0)


class Caller:
    """A client with one connection that is made anew when it breaks."""

    def __init__(self, context: zmq.Context, endpoint: str) -> None:
        self.socket = context.socket(zmq.DEALER)
        self.socket.setsockopt(zmq.LINGER, 0)
        self.socket.setsockopt(zmq.RECONNECT_IVL, 20)
        self.monitor = self.socket.get_monitor_socket(zmq.EVENT_DISCONNECTED)
        self.socket.connect(endpoint)

    def say(self, *texts: bytes) -> None:
        """Sends these, each a message."""
        for text in texts:
            self.socket.send(text)

    def hears(self, seconds: float = PATIENCE) -> Optional[bytes]:
        """The next answer, if one comes in that time."""
        return self.socket.recv() if self.socket.poll(int(seconds * 1_000)) else None

    def asks(self, text: bytes, seconds: float = PATIENCE) -> bool:
        """Whether this is sent and answered in that time."""
        self.say(text)
        return self.hears(seconds) == text

    def asks_again(self, text: bytes) -> bool:
        """Whether it is answered if it is sent often enough: connections may have to be made."""
        return any(self.asks(text, 0.2) for _ in range(50))

    @property
    def was_cut(self) -> bool:
        """Whether its connection has broken since it was last asked."""
        broke = False
        while self.monitor.poll(0):
            self.monitor.recv_multipart()
            broke = True
        return broke

    def close(self) -> None:
        """Ends its connection."""
        self.socket.disable_monitor()
        self.monitor.close(0)
        self.socket.close(0)


class Stage:
    """A server behind a proxy, and a caller before it."""

    def __init__(self, directory: Path) -> None:
        self.context = zmq.Context()
        port = free_ports(1)[0]
        self.echo = Echo(self.context, url(port))
        self.echo.start()
        self.proxy = Proxy({"way": f"{LOOPBACK}:{port}"}, directory / "proxy.log")
        self.caller = self.another()
        must(self.caller.asks(b"hello"), "a healthy way answers")

    def another(self) -> Caller:
        """One more caller."""
        return Caller(self.context, self.proxy.url("way"))

    def set(self, **order: object) -> None:
        """Makes the way worse."""
        self.proxy.set("way", **order)

    def heal(self) -> None:
        """The way is good again, and stays what it was."""
        self.proxy.heal("way", False)

    def close(self) -> None:
        """Ends everything."""
        self.caller.close()
        self.echo.stopping.set()
        self.echo.join(PATIENCE)
        self.proxy.close()
        self.context.term()


def must(condition: bool, what: str) -> None:
    """Says what should be and is not."""
    if not condition:
        raise AssertionError(f"not so: {what}")


def what_is_held_comes_later(stage: Stage) -> None:
    stage.set(up="hold", down="hold")
    must(not stage.caller.asks(b"a", SOON), "nothing passes")
    must(stage.echo.heard[-1] != b"a", "the server hears nothing")
    stage.heal()
    must(stage.caller.hears() == b"a", "it comes when the way is free")
    must(not stage.caller.was_cut, "nobody was told")


def one_way_is_one_way(stage: Stage) -> None:
    stage.set(down="hold")
    must(not stage.caller.asks(b"b", SOON), "no answer passes")
    must(stage.echo.heard[-1] == b"b", "the question passes")
    stage.heal()
    must(stage.caller.hears() == b"b", "the answer comes when the way is free")


def a_cut_connection_is_made_anew(stage: Stage) -> None:
    stage.set(cut=True)
    must(stage.caller.asks_again(b"c"), "a new connection answers")
    must(stage.caller.was_cut, "the old one broke")


def refused_is_refused_until_it_is_over(stage: Stage) -> None:
    stage.set(refuse=True)
    time.sleep(SOON)
    must(not stage.caller.asks(b"d", SOON), "no connection can be made")
    stage.heal()
    must(stage.caller.asks_again(b"e"), "a new connection answers")


def what_is_late_is_late(stage: Stage) -> None:
    stage.set(delay=[0.2, 0.2])
    began = time.monotonic()
    must(stage.caller.asks(b"f"), "an answer comes")
    must(time.monotonic() - began >= 0.4, "each direction is late")


def what_is_narrow_takes_its_time(stage: Stage) -> None:
    stage.set(rate=20_000)
    must(stage.caller.asks(b"small"), "what is small passes")
    began = time.monotonic()
    must(stage.caller.asks(b"g" * 8_000), "an answer comes")
    must(time.monotonic() - began >= 0.6, "16 000 bytes take 0.8 s")


def single_messages_are_lost(stage: Stage) -> None:
    stage.set(lose=[0.5, 0])
    sent = [b"%d" % number + b"." * (number % 400) for number in range(300)]
    stage.caller.say(*sent)
    wait_until("half of it came", PATIENCE, lambda: len(stage.echo.heard) > 100)
    time.sleep(SOON)
    came = [text for text in stage.echo.heard if text in sent]
    must(90 < len(came) < 210, f"about half of 300 came, not {len(came)}")
    must(came == [text for text in sent if text in came], "what came is whole and in its order")
    while stage.caller.hears(SOON):
        pass
    stage.heal()
    must(stage.caller.asks(b"h"), "the connection is as good as before")
    must(not stage.caller.was_cut, "the connection stands")


def who_came_later_is_served_earlier(stage: Stage) -> None:
    stage.set(overtake=1)
    for number in range(30):
        first, second = stage.another(), stage.another()
        texts = b"first %d" % number, b"second %d" % number
        first.say(texts[0])
        time.sleep(0.05)
        second.say(texts[1])
        wait_until("both are served", PATIENCE, lambda: set(texts) <= set(stage.echo.heard))
        first.close()
        second.close()
        came_first = stage.echo.heard.index(texts[1]) < stage.echo.heard.index(texts[0])
        if came_first and stage.proxy.seen()["overtaken"] > 0:
            break
    else:
        raise AssertionError("the second never came first, or the proxy did not count it")


def who_waits_in_vain_takes_nothing_from_the_count(_: None) -> None:
    async def waits() -> int:
        link = Link(("", 0))
        long = asyncio.ensure_future(link.wait_passed(1, PATIENCE, "overtaken"))
        short = asyncio.ensure_future(link.wait_passed(2, 0.02, "overtaken"))
        await asyncio.sleep(0)
        await link.let_through(2)
        await asyncio.gather(long, short)
        return link.seen["overtaken"]

    counted = asyncio.run(waits())
    must(counted == 1, f"one of two was overtaken, not {counted}")


def what_was_said_before_is_heard_after(stage: Stage) -> None:
    stage.set(stale=0)
    stage.caller.say(b"old")
    must(stage.caller.asks_again(b"new"), "a new connection answers")
    must(stage.caller.was_cut, "the old one broke")
    wait_until("the old one's last is heard", PATIENCE, lambda: b"old" in stage.echo.heard)
    heard = stage.echo.heard
    must(heard.index(b"new") < heard.index(b"old"), f"it is heard after the new, not {heard}")
    must(stage.proxy.seen()["late messages"] >= 1, "the proxy counts it")


ON_LOOPBACK: List[Callable[[Stage], None]] = [
    what_is_held_comes_later, one_way_is_one_way, a_cut_connection_is_made_anew,
    refused_is_refused_until_it_is_over, what_is_late_is_late, what_is_narrow_takes_its_time,
    single_messages_are_lost, who_came_later_is_served_earlier,
    what_was_said_before_is_heard_after]


class WireStage:
    """A server in a namespace of its own, and a caller at the bridge."""

    SERVER = """
import sys, zmq
socket = zmq.Context().socket(zmq.ROUTER)
socket.bind(sys.argv[1])
while True:
    socket.send_multipart(socket.recv_multipart())
"""

    def __init__(self, _: Path) -> None:
        self.network = Namespaces()
        endpoint = url(7400, self.network.add("far"))
        self.server = subprocess.Popen(
            [*WITH_US, *self.network.prefix("far"), sys.executable, "-c", self.SERVER, endpoint])
        self.context = zmq.Context()
        self.caller = Caller(self.context, endpoint)
        must(self.caller.asks(b"hello"), "a healthy wire answers")

    def close(self) -> None:
        """Ends everything."""
        self.caller.close()
        self.context.term()
        self.server.kill()
        self.server.wait(PATIENCE)
        self.network.close()


def a_pulled_cable_tells_nobody(stage: WireStage) -> None:
    stage.network.plug("far", False)
    must(not stage.caller.asks(b"a", SOON), "nothing passes")
    stage.network.plug("far", True)
    must(stage.caller.hears() == b"a", "it comes when the cable is in")
    must(not stage.caller.was_cut, "the connection stood")


def an_interface_comes_back(stage: WireStage) -> None:
    stage.network.run("far", "ip", "link", "set", "wire", "down")
    must(not stage.caller.asks(b"b", SOON), "nothing passes")
    stage.network.run("far", "ip", "link", "set", "wire", "up")
    must(stage.caller.hears() == b"b", "it comes when the interface is up")


def a_narrow_wire_takes_its_time(stage: WireStage) -> None:
    stage.network.narrow("far", "256kbit")
    began = time.monotonic()
    must(stage.caller.asks(b"c" * 40_000), "an answer comes")
    must(time.monotonic() - began >= 0.8, "40 000 bytes take more than a second")
    stage.network.narrow("far", None)
    began = time.monotonic()
    must(stage.caller.asks(b"d" * 40_000), "an answer comes")
    must(time.monotonic() - began < 0.8, "afterwards they are quick")


def packets_are_dropped_one_way(stage: WireStage) -> None:
    stage.network.filter("far", {"output": f"ip daddr {HUB} drop"})
    must(not stage.caller.asks(b"e", SOON), "no answer passes")
    stage.network.filter("far", {})
    must(stage.caller.hears() == b"e", "it comes when the filter is off")


def lost_packets_are_sent_again(stage: WireStage) -> None:
    lost = "numgen random mod 100 < 10 counter drop"
    stage.network.filter("far", {"input": lost, "output": lost})
    for number in range(1_000):
        must(stage.caller.asks(b"f%d" % number, 6 * PATIENCE), "what is lost is sent again")
        # By chance one direction may lose none of the first packets.
        if number >= 60 and number % 10 == 0 and lost_both_ways(stage):
            return
    must(lost_both_ways(stage), "packets were lost both ways")


def lost_both_ways(stage: WireStage) -> bool:
    rules = subprocess.run([*stage.network.prefix("far"), "nft", "list", "table", "inet", "faults"],
                           capture_output=True, text=True).stdout
    return rules.count("counter packets") == 2 and "packets 0" not in rules


def a_rejected_connection_breaks(stage: WireStage) -> None:
    stage.network.filter("far", {"input": "meta l4proto tcp reject with tcp reset"})
    must(not stage.caller.asks(b"g", SOON), "nothing passes")
    wait_until("the connection breaks", PATIENCE, lambda: stage.caller.was_cut)
    stage.network.filter("far", {})
    must(stage.caller.asks_again(b"h"), "a new connection answers")


ON_WIRES: List[Callable[[WireStage], None]] = [
    a_pulled_cable_tells_nobody, an_interface_comes_back, a_narrow_wire_takes_its_time]
FILTERED: List[Callable[[WireStage], None]] = [
    packets_are_dropped_one_way, lost_packets_are_sent_again, a_rejected_connection_breaks]


LEAK = """
import sys, threading, time
kept = []
while True:
    kept.append(bytearray(1 << 18))
    if "more" in sys.argv:
        kept.append(open("/dev/null"))
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
    if "flat" in sys.argv:
        kept.clear()
    time.sleep(0.02)
"""
"""A process that grows: in memory alone, in everything with `more`, in nothing with `flat`."""


def grown(how: str) -> List[str]:
    """What the sampler says of such a process."""
    with subprocess.Popen([*WITH_US, sys.executable, "-c", LEAK, how]) as process:
        sampler = Sampler(lambda: [(how, process.pid)], 0.04)
        sampler.start()
        wait_until("a life is over", PATIENCE, lambda: len(sampler.samples) > 80)
        sampler.stop()
        process.kill()
    return [wrong for life in sampler.lives(0.2) for wrong in life.wrong]


def what_grows_is_found(_: None) -> None:
    wrong = grown("memory")
    must("resident memory grew" in " ".join(wrong), f"memory that grows is found, not {wrong}")
    must(not any("descriptors" in each or "threads" in each for each in wrong), f"no more: {wrong}")
    wrong = grown("more")
    must("descriptors grew" in wrong, f"descriptors that grow are found, not {wrong}")
    must("threads grew" in wrong, f"threads that grow are found, not {wrong}")


def what_does_not_grow_is_flat(_: None) -> None:
    wrong = grown("flat")
    must(not wrong, f"nothing grew, and yet: {wrong}")


def a_pool_that_grows_is_found(_: None) -> None:
    most = 2 * (os.cpu_count() or 1) + POOL_MORE
    for late, wrong in ((most, []), (most + 1, ["the system's pool of threads grew"])):
        samples = [Sample(float(number), "n1", 1, 0, 0, 0, 5, late if number > 30 else 3)
                   for number in range(40)]
        found = life(samples)
        must(found is not None and found.wrong == wrong, f"of {late} threads: {found}")


def a_port_is_kept_while_its_server_is_down(_: None) -> None:
    port = free_ports(1)[0]
    for _ in range(2):
        with zmq.Context() as context, context.socket(zmq.ROUTER) as server:
            server.bind(url(port))
        with socket.socket() as other:
            try:
                other.bind((LOOPBACK, port))
                taken = True
            except OSError:
                taken = False
        must(not taken, "another process takes the port of a server that is down")


OF_PROCESSES: List[Callable[[None], None]] = [a_port_is_kept_while_its_server_is_down]
OF_SAMPLES: List[Callable[[None], None]] = [
    what_grows_is_found, what_does_not_grow_is_flat, a_pool_that_grows_is_found]


def what_comes_back_after_a_kill_is_found(_: None) -> None:
    truth = Truth(1.0, {"serve": "serve"}, started=lambda _: time.monotonic())
    key = "serve", b"a"
    older, newer = (b"serve a %d noise" % truth.commit([key])[key] for _ in range(2))
    truth.was_stored(older)
    truth.promised({key: 2}, (1, 7), time.monotonic(), True, True)
    time.sleep(0.001)
    for value, wrong in ((newer, 0), (older, 1)):
        truth.judge(key, value, True, False, False, time.monotonic(), False, (1, 6), "a check")
        must(len(truth.wrong) == wrong, f"{value!r}: {truth.wrong}")
    truth.count_outlived(older, "", True)
    truth.count_outlived(newer, "", True)
    must(truth.counts.outlived_a_life == 1, "one of them was stored before the node began")


def what_was_overwritten_and_comes_back_is_found(_: None) -> None:
    one = Overwriter("one", 1, "", Truth(1.0, {}), History())
    key = one.keys[0]
    one.newest[key], one.floors[key, "here"], one.loose[key] = 5, 4, {2}
    one.ends[key, 5] = 100.0

    def wrong(number: int, endpoint: str = "here", sent: float = 99.0) -> str:
        return one.wrong(key, b"%s %d noise" % (key, number), endpoint, sent) or ""

    must("overwritten" in wrong(3), "what is older than what was acknowledged")
    must(not wrong(4), "what was acknowledged")
    must(not wrong(2), "what may arrive at any time")
    must(not wrong(3, "elsewhere"), "another node never acknowledged more")
    must(not wrong(5) and "expired" in wrong(5, sent=101.0), "what has an end")
    must("never stored" in wrong(6), "what is to come")


def what_a_kill_took_is_counted(_: None) -> None:
    key = Key()
    must(key.judge(None, 0, 0) == Found.NOTHING, "nothing was stored")
    key.stored(key.sends(), 10, 10, None)
    key.stored(key.sends(), 11, 11, 5.0)
    must(key.judge(2, 12, 12) == Found.HELD, "the newest is there")
    must(key.judge(1, 12, 12) == Found.WRONG, "the one before is not")
    must(key.judge(2, 17, 17) == Found.WRONG, "and not after its end")
    must(key.judge(None, 17, 17) == Found.NOTHING, "then it may be gone")
    must(key.judge(None, 12, 12) == Found.LOST, "before it must not")
    key.stored(key.sends(), 20, 20, None)
    key.unanswered(key.sends())
    must(key.judge(4, 21, 21) == Found.NOTHING, "what was not answered may be there")
    must(key.judge(3, 21, 21) == Found.HELD, "and so may the one before")
    must(key.judge(None, 21, 21) == Found.NOTHING, "or none")
    key.removed()
    must(key.judge(3, 22, 22) == Found.WRONG, "what was removed is gone")


def a_tier_is_hurt(_: None) -> None:
    with tempfile.TemporaryDirectory(prefix="martlet-checks-") as directory:
        tiers = Tiers(Path(directory) / "tiers")
        file = tiers.file("n1")
        file.parent.mkdir()
        whole = b"7" * (int(SIZE.removesuffix("MiB")) << 20)
        for seed in range(10):
            file.write_bytes(whole)
            told = flipped(file, Random(seed))
            must(file.stat().st_size == len(whole), f"{told}: it is as long as before")
            must(file.read_bytes() != whole, f"{told}: it is not what it was")
            told = truncated(file, Random(seed))
            must(file.stat().st_size < len(whole), f"{told}: it is shorter")
        with open(file, "rb"):
            must(tiers.is_held("n1", os.getpid()), "who has it open is seen")
            must(not tiers.is_held("n2", os.getpid()), "it is nobody else's")
            file.unlink()
            must(not tiers.is_held("n1", os.getpid()), "nobody holds what is gone")
        tiers.close()


def what_a_damaged_log_said_is_not_owed(_: None) -> None:
    key = ("serve", b"a/key00")

    def is_wrong(place: Place, kept: bool, settled: bool) -> bool:
        """A receipt while the log is damaged, a get at its position with the value of before."""
        truth = Truth(1.0, {})
        truth.commit([key])
        truth.excuse(Lapse(time.monotonic()))
        if settled:
            truth.settle(2)
        versions = truth.commit([key])
        truth.promised(versions, place, time.monotonic(), kept, kept)
        truth.judge(key, b"serve a/key00 1 x", True, False, False, time.monotonic(), False,
                    place, "a get")
        return bool(truth.wrong)

    must(not is_wrong((1, 9), False, False), "a log that is not settled owes nothing")
    must(is_wrong((1, 9), True, False), "what nodes have obeyed is owed all the same")
    must(not is_wrong((1, 9), False, True), "what it said is not owed when it is read later")
    must(is_wrong((2, 1), False, True), "a settled log owes what it says")


OF_JUDGES: List[Callable[[None], None]] = [
    who_waits_in_vain_takes_nothing_from_the_count,
    what_comes_back_after_a_kill_is_found, what_was_overwritten_and_comes_back_is_found,
    what_a_kill_took_is_counted, what_a_damaged_log_said_is_not_owed, a_tier_is_hurt]
WITHOUT_STAGE = OF_PROCESSES + OF_SAMPLES + OF_JUDGES


class NoStage:
    """Nothing is needed."""

    def __init__(self, _: Path) -> None:
        pass

    def close(self) -> None:
        """Nothing is left."""


def run(checks: List[Callable], make: Callable) -> int:
    """Each on a stage of its own; how many are not as they should be."""
    failed = 0
    for check in checks:
        with tempfile.TemporaryDirectory(prefix="martlet-checks-") as directory:
            stage = make(Path(directory))
            try:
                check(stage)
                print(f"ok {check.__name__}", flush=True)
            except AssertionError as error:
                failed += 1
                print(f"not ok {check.__name__}: {error}", flush=True)
            finally:
                stage.close()
    return failed


def main() -> int:
    """0 if every fault is what it is called, and what grows is found."""
    if "--namespaces" not in sys.argv:
        failed = run(ON_LOOPBACK, Stage) + run(WITHOUT_STAGE, NoStage)
        return told(len(ON_LOOPBACK) + len(WITHOUT_STAGE), failed)
    if not entered():
        return 0
    checks = ON_WIRES + (FILTERED if shutil.which("nft") else [])
    return told(len(checks), run(checks, WireStage))


def told(count: int, failed: int) -> int:
    """Says how many there were and how many failed; an exit code."""
    print(f"{count - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
