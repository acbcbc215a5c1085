"""Bad days."""

from __future__ import annotations

import re
import time

from terminal import Terminal
from world import World


def a_node_and_then_the_publisher_die(program: str) -> None:
    with World(program) as world, Terminal([program, "top"], world.environment) as top:
        top.wait_for(r"n2 +LIVE")
        world.kill_node("n2")
        top.wait_for(r"n2 +UNREACHABLE +\d+s")
        top.wait_for("2/3 live 1 unreachable")
        # Its silence holds up nobody.
        world.do("invalidate", "tag", "on", "--wait", "none")
        top.wait_for(r"n1 +LIVE .* 0 ")
        assert "figures are" not in top.lines[0]
        world.kill_publisher()
        top.wait_for(r"publisher UNREACHABLE for \d+s")
        top.wait_for(r"n1 +SUSPECT")
        top.wait_for(r"n1: no answer from the publisher")
        top.type("q")
        begun = time.monotonic()
        assert top.end() == 0 and time.monotonic() - begun < 5


def a_node_that_is_back_has_no_strange_rates(program: str) -> None:
    with World(program, "--respawn=4s") as world, Terminal(
            [program, "top"], world.environment) as top:
        top.wait_for(r"n2 +LIVE")
        for number in range(20):
            world.do("get", f"k{number}")
        world.kill_node("n2")
        top.wait_for(r"n2 +UNREACHABLE")
        top.wait_for(r"n2 +LIVE")
        assert not re.search(r"-\d", "\n".join(top.lines[2:8])), top.lines


def a_cluster_that_is_not_there_yet(program: str) -> None:
    with World(program, starts=False) as world, Terminal(
            [program, "top", "--timeout", "500ms"], world.environment) as top:
        top.wait_for(re.escape(world.cluster))
        top.wait_for(r"no cluster yet, for \d+s")
        world.start()
        top.wait_for(r"n3 +LIVE")
        top.type("q")
        assert top.end() == 0


def quitting_where_no_cluster_is(program: str) -> None:
    with World(program, starts=False) as world, Terminal(
            [program, "top"], world.environment) as top:
        top.wait_for("asking tcp")
        begun = time.monotonic()
        top.type("q")
        assert top.end() == 0
        assert time.monotonic() - begun < 2, time.monotonic() - begun
        assert top.is_as_found
