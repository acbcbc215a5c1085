"""The terminal is as it was, however the program ends."""

from __future__ import annotations

import signal
from typing import Callable

from terminal import ENTER, LEAVE, Terminal
from process_tools import wait_until
from world import PATIENCE, World


def _ends(world: World, how: Callable[[Terminal], None], code: int) -> None:
    with Terminal([world.program, "top"], world.environment) as top:
        top.wait_for(r"n1 +LIVE")
        assert top.is_raw
        how(top)
        assert top.end() == code, top.process.returncode
        said = top.said
        assert top.is_as_found
        assert said.count(ENTER) == 1 and LEAVE in said
        after = said[said.rindex(LEAVE):]
        assert after == LEAVE, after
        assert said.rindex(b"\x1b[?25h") > said.rindex(b"\x1b[?25l")
        assert said.rindex(b"\x1b[?7h") > said.rindex(b"\x1b[?7l")


def by_every_way_out(program: str) -> None:
    with World(program) as world:
        _ends(world, lambda top: top.type("q"), 0)
        _ends(world, lambda top: top.type("\x03"), 0)
        _ends(world, lambda top: top.signal(signal.SIGTERM), 0)
        _ends(world, lambda top: top.signal(signal.SIGINT), 0)
        _ends(world, lambda top: top.signal(signal.SIGHUP), 0)
        # As if the program had trapped.
        for number in (signal.SIGSEGV, signal.SIGTRAP, signal.SIGABRT):
            _ends(world, lambda top: top.signal(number), -number)


def a_terminal_that_goes_away_ends_it(program: str) -> None:
    """The window is closed: nobody holds the other side any more."""
    with World(program) as world:
        top = Terminal([world.program, "top"], world.environment)
        top.wait_for(r"n1 +LIVE")
        top.close()
        # Without SIGHUP, too: reading and writing fail.
        code = top.process.wait(PATIENCE)
        assert code == 0, code


def to_the_shell_and_back(program: str) -> None:
    """Ctrl-Z under a real shell, which says what it sees of the terminal; then `fg`."""
    with World(program) as world:
        environment = {**world.environment, "PS1": "ready> ", "HISTFILE": ""}
        with Terminal(["bash", "--norc", "--noprofile", "-i"], environment) as shell:
            shell.wait_for("ready>")
            shell.type(f"{program} top\r")
            shell.wait_for(r"n1 +LIVE")
            for turn in range(3):
                leaves = shell.said.count(LEAVE)
                if turn < 2:
                    shell.type("\x1a")
                else:
                    shell.type(" ")
                    shell.wait_for("PAUSED")
                    shell.type("\x1a")
                wait_until(
                    "it has left", lambda: shell.said.count(LEAVE) > leaves, PATIENCE)
                shell.wait_for("Stopped")
                shell.type("clear; stty -a | tr ' ' '\\n' | grep -c -x -e icanon -e echo -e isig\r")
                shell.wait_for("^3$")
                shell.type("clear; fg\r")
                shell.wait_for(r"n1 +LIVE")
                assert shell.lines[0].startswith("martlet top"), shell.lines
            shell.type("q")
            wait_until(
                "the shell is back", lambda: shell.said.endswith(b"ready> "), PATIENCE)
            shell.type("exit\r")
            assert shell.end() == 0


def a_process_that_was_stopped_by_force_goes_on(program: str) -> None:
    with World(program) as world, Terminal([program, "top"], world.environment) as top:
        top.wait_for(r"n1 +LIVE")
        top.signal(signal.SIGSTOP)
        top.signal(signal.SIGCONT)
        wait_until(
            "it has drawn anew", lambda: top.said.count(b"\x1b[2J") >= 2, PATIENCE)
        top.wait_for(r"n1 +LIVE")
        top.type("q")
        assert top.end() == 0 and top.is_as_found
