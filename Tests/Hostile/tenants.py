"""One who holds a key with limits asks for far more, beside one who asks for little."""

from __future__ import annotations

import os
import statistics
import threading
import time
from typing import List, NamedTuple, Optional, Sequence

import zmq

import allowed
from asking import connected, get_frame, numbered, told
from key_pair import KeyPair
from martlet_protocol.data import Status
from neighbour import Seen
from siege import GRAVE, Attack, Siege

SPACE = "noisy"
KEYS = 16
LIMIT = 2_000
"""Gets a second that its line allows it, at each shard."""
TIMES = 10
"""How many times as much it asks for, where it does not ask as fast as it can."""
ROUND = 0.8
"""Seconds of quiet, and of noise, in turn."""
SETTLE = 0.2
BURST = 64
"""Requests between two looks at what was answered."""


class _Noise:
    """A thread that asks at a rate, or as fast as it can, and takes what it is answered."""

    def __init__(self, keys: KeyPair, places: List[str], rate: Optional[float]) -> None:
        self.served = self.sent = 0
        self._rate = rate
        self._over = threading.Event()
        self._context = zmq.Context()
        self._sockets = [connected(self._context, place, keys) for place in places]
        for socket in self._sockets:
            socket.setsockopt(zmq.SNDHWM, 1_000)
        self._began = time.monotonic()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), GRAVE)
        frames = [get_frame(b"noise %d" % number, SPACE) for number in range(KEYS)]
        while not self._over.is_set():
            for socket in self._sockets:
                self._burst(socket, frames)
            if self._rate:
                due = self._began + self.sent / self._rate
                time.sleep(max(0.0, due - time.monotonic()))

    def _burst(self, socket: zmq.Socket, frames: List[bytearray]) -> None:
        try:
            for _ in range(BURST):
                self.sent += 1
                socket.send(numbered(frames[self.sent % KEYS], self.sent), zmq.DONTWAIT)
        except zmq.Again:
            self.sent -= 1
        try:
            while True:
                self.served += told(socket.recv(zmq.DONTWAIT)).status in (Status.HIT, Status.MISS)
        except zmq.Again:
            pass

    def end(self) -> float:
        """No more of it. How long it lasted."""
        self._over.set()
        self._thread.join()
        self._context.destroy(0)
        return time.monotonic() - self._began


class _Course(NamedTuple):
    """Rounds of quiet and of noise in turn."""

    quiet: List[Seen]
    noisy: List[Seen]
    served: int
    sent: int
    seconds: float


def noisy_tenant(siege: Siege) -> None:
    """Whoever asks for ten times as much as its line allows gets what that allows, and those
    beside it hardly notice. As fast as it goes the noise takes the two cores that everybody here
    shares: then half of what is asked beside it has to be as quick as ever."""
    keys = siege.target.enrol("noisy", "read,write", SPACE, f"ops={LIMIT}/s")
    siege.member(2 * allowed.MEMBERS_MEMORY)
    time.sleep(allowed.REVOKED_WITHIN)
    places = [door.endpoint for door in siege.target.doors if door.kind == "data"]
    for door in siege.target.doors:
        siege.count(door, door.endpoint in places)
    granted = float(LIMIT * len(places))
    for rate in (TIMES * granted, None):
        course = _course(siege, keys, places, rate)
        _judge_noise(siege, course, granted)
        # A p90 of few rounds is at the mercy of whatever else the machine does.
        is_steady = rate is not None and siege.is_full
        _judge_latency(siege, course, ("median", "p90") if is_steady else ("median",))
    time.sleep(SETTLE)


def _course(siege: Siege, keys: KeyPair, places: List[str], rate: Optional[float]) -> _Course:
    quiet: List[Seen] = []
    noisy: List[Seen] = []
    served, sent, seconds = 0, 0, 0.0
    for _ in range(siege.size(4, 20)):
        quiet.append(siege.neighbour.over(ROUND))
        noise = _Noise(keys, places, rate)
        time.sleep(SETTLE)
        noisy.append(siege.neighbour.over(ROUND))
        seconds += noise.end()
        served, sent = served + noise.served, sent + noise.sent
    return _Course(quiet, noisy, served, sent, seconds)


def _judge_noise(siege: Siege, course: _Course, granted: float) -> None:
    """A second's worth may come at once, in each round."""
    most = granted * (course.seconds + len(course.noisy))
    siege.tell(f"{course.sent / course.seconds:.0f} gets a second asked of two shards, "
               f"{course.served / course.seconds:.0f} answered")
    siege.owe(course.sent > 5 * granted * course.seconds, "it hardly made a noise")
    siege.owe(0 < course.served <= most,
              f"{course.served} of its gets were answered, {most:.0f} are allowed")


def _judge_latency(siege: Siege, course: _Course, bounded: Sequence[str]) -> None:
    """Medians of the rounds' ratios: a round alone is at the machine's mercy."""
    for name, share in (("median", 0.5), ("p90", 0.9)):
        alone = statistics.median(each.percentile(share) for each in course.quiet)
        ratio = statistics.median(
            beside.percentile(share) / quiet.percentile(share)
            for quiet, beside in zip(course.quiet, course.noisy))
        siege.tell(f"    {name} beside it: {1_000 * alone:.2f} ms in quiet, {ratio:.2f} × of that "
                   f"in noise")
        if name in bounded and ratio > allowed.TENANT_FACTOR:
            siege.slow.append(f"the {name} beside it is {ratio:.2f} × what it was in quiet")
    for seen in course.quiet + course.noisy:
        siege.owe(not seen.unanswered, f"{seen.unanswered} of its gets were not answered")
        siege.owe(not seen.wrong, f"{len(seen.wrong)} wrong answers: {seen.wrong[:2]}")


ATTACKS = [Attack("noisy-tenant", noisy_tenant)]
