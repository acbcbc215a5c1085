"""What is on the screen."""

from __future__ import annotations

import json
import re

from terminal import Terminal
from process_tools import wait_until
from world import PATIENCE, World


def _top(world: World, *more: str, **size: int) -> Terminal:
    return Terminal([world.program, "top", *more], world.environment, **size)


def a_cluster_its_figures_and_its_invalidations(program: str) -> None:
    with World(program, "--shards", "2") as world, _top(world) as top:
        for name in ("n1", "n2", "n3"):
            top.wait_for(rf"{name} +LIVE")
        assert "3/3 live" in top.lines[1], top.lines
        assert top.wait_for("NODE▲").startswith(" NODE")
        for number in range(40):
            world.do("set", f"k{number}", "v")
        top.wait_for(r"n1 +LIVE .* \d\d? +\d+(\.\d)?KiB")
        world.do("bench", "--duration", "3s", "--rate", "500", "--keys", "100")
        top.wait_for(r"gets/s +\d{2,}")
        evil = "evil\x1b[2J\x1b]0;x\x07中文e\u0301\u202e"
        world.do("invalidate", "key", evil, "--wait", "none")
        row = top.wait_for(r"key evil\\x1b\[2J")
        assert "\\x07" in row and "中" in row and "\\xe2\\x80\\xae" in row, row
        # It broke nothing: everything else stands where it was.
        assert top.lines[0].startswith("martlet top"), top.lines
        assert top.lines[-1].startswith("q quit"), top.lines
        assert b"\x1b]0;" not in top.said
        head = re.search(r"head (\S+)", top.lines[1])
        assert head and head[1].endswith(":1"), top.lines[1]


def keys_sort_filter_and_show_one_node(program: str) -> None:
    with World(program) as world, _top(world) as top:
        top.wait_for(r"›n1 +LIVE")
        top.type("r")
        top.wait_for(r"NODE▼")
        assert [line[1:3] for line in top.lines[5:8]] == ["n3", "n2", "n1"], top.lines
        top.type(">")
        top.wait_for("STATE[▲▼]")
        top.type("\x1b[B")
        top.type("/n2")
        top.wait_for("^/n2")
        top.wait_gone(r" n3 +LIVE")
        top.type("\r")
        top.wait_for(r"^/n2  q quit")
        top.type("\r")
        top.wait_for(r"^n2  LIVE")
        top.wait_for(r"^removed +evicted 0")
        top.type("\x1b")
        top.wait_for(r"›n2 +LIVE")
        top.type("\x1b")
        top.wait_for(r"n3 +LIVE")
        top.type("i")
        top.wait_gone("invalidations")
        top.type("?")
        top.wait_for("^Keys")
        top.type("q")
        top.wait_for(r"n3 +LIVE")
        top.type("p")
        top.wait_for("PAUSED")
        top.type("p")
        top.wait_for("every 1s")
        top.type("q")
        assert top.end() == 0


def every_size_is_drawn_right(program: str) -> None:
    with World(program) as world, _top(world) as top:
        top.wait_for(r"n3 +LIVE")
        for columns, rows in ((200, 50), (40, 12), (20, 5), (500, 100), (1, 1), (80, 24), (81, 23)):
            top.resize(columns, rows)
            if columns >= 20:
                wait_until(
                    f"{columns}×{rows} is filled",
                    lambda: top.lines[0].startswith("martlet top")
                    and any("n1" in line for line in top.lines)
                    and (rows < 8 or top.lines[-1].startswith("q quit")), PATIENCE)
                assert sum("martlet top" in line for line in top.lines) == 1, top.lines
                assert sum("NODE" in line for line in top.lines) == 1, top.lines
            assert top.process.poll() is None
        top.type("q")
        assert top.end() == 0


def colours_only_where_they_are_wanted(program: str) -> None:
    with World(program) as world:
        with _top(world) as top:
            # A node is green once nothing is late, which takes longer on a busy machine.
            wait_until("green", lambda: b"\x1b[32m" in top.said, PATIENCE)
        with Terminal(
            [program, "top"], {**world.environment, "NO_COLOR": "1"}) as top:
            top.wait_for(r"n1 +LIVE")
            assert not re.search(rb"\x1b\[(\d+;)*3\dm", top.said)


def text_where_there_is_no_terminal(program: str) -> None:
    with World(program) as world:
        refused = world.do("top")
        assert refused.returncode == 64 and b"--once" in refused.stderr, refused
        with Terminal([program, "top"], {**world.environment, "TERM": "dumb"}) as top:
            assert top.end() == 64
            assert b"--once" in top.said and ENTER_MARK not in top.said
        once = world.do("top", "--once", "--filter", "n2")
        text = once.stdout.decode()
        assert once.returncode == 0 and "\x1b" not in text, once
        assert re.search(r"n2 +LIVE", text) and "n1 " not in text, text
        two = world.do("top", "--count", "2", "--interval", "200ms").stdout.decode()
        assert two.count("martlet top") == 2, two
        answer = json.loads(world.do("top", "--once", "--json").stdout)
        assert [node["node"] for node in answer["nodes"]] == ["n1", "n2", "n3"], answer
        assert answer["nodes"][0]["gets_per_second"] == 0, answer
        wrong = world.do("top", "--sort", "beauty")
        assert wrong.returncode == 64 and b"evictions" in wrong.stderr, wrong
    with World(program, starts=False) as world:
        assert world.do("top", "--once", "--timeout", "300ms").returncode == 3


ENTER_MARK = b"\x1b[?1049h"
