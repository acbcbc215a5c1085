"""Few bytes, and none that come too late."""

from __future__ import annotations

import re
import time

from terminal import Terminal
from process_tools import wait_until
from world import World

FRAME_BYTES_MAX = 700
"""What a frame of a cluster that idles takes, 80×24."""


def a_quiet_cluster_sends_little(program: str) -> None:
    with World(program) as world, Terminal([program, "top"], world.environment) as top:
        top.wait_for(r"n3 +LIVE")
        # It begins faster than it goes on.
        begun = time.monotonic()
        wait_until("it draws once a second", lambda: time.monotonic() > begun + 4)
        before = top.count
        wait_until("five seconds are over", lambda: time.monotonic() > begun + 9)
        sent = top.count - before
        print(f"          {sent / 5:.0f} bytes/s of an idle cluster at 80×24")
        assert 0 < sent < 5 * FRAME_BYTES_MAX, sent


def a_slow_reader_sees_fewer_frames_and_never_old_ones(program: str) -> None:
    with World(program) as world, Terminal(
            [program, "top", "--interval", "100ms"], world.environment, columns=200,
            rows=50) as top:
        top.wait_for(r"n3 +LIVE")
        top.reads.clear()
        # Filled with what was so before: only a frame made afterwards tells the rest.
        top.fill()
        for number in range(30):
            world.do("invalidate", "key", f"key-{number}", "--wait", "none")
        before = top.count
        top.reads.set()
        # What waited is what the system holds, and one frame; what is seen then is the newest.
        top.wait_for("head \\d+:30")
        top.wait_for("key-29")
        assert b"slow line" in top.said
        top.wait_for("every 100ms")
        waited = top.count - before
        print(f"          {waited} bytes waited for a reader that slept")
        assert waited < 40_000, waited


def a_line_of_a_few_hundred_bytes_is_enough(program: str) -> None:
    with World(program) as world:
        with Terminal([program, "top"], world.environment) as top:
            top.pace = 600
            top.wait_for(r"n3 +LIVE", patience=60)
            world.do("invalidate", "tag", "slow", "--wait", "none")
            top.wait_for(r"head \d+:1", patience=60)
            top.type("q")
            assert top.end(60) == 0 and top.is_as_found


def quitting_waits_for_nobody(program: str) -> None:
    with World(program) as world, Terminal(
            [program, "top", "--interval", "100ms"], world.environment, columns=400,
            rows=100) as top:
        top.wait_for(r"n3 +LIVE")
        top.reads.clear()
        top.fill()
        begun = time.monotonic()
        top.type("Q")
        top.process.wait(10)
        took = time.monotonic() - begun
        assert took < 3, took
        assert top.is_as_found
        assert re.search(rb"\x1b\[\?1049h", top.said)
