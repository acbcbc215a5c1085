"""A terminal with a person before it: a pseudo-terminal, read into a screen by pyte."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import threading
import time
from typing import Dict, List, Optional

import pyte

from process_tools import wait_until
from world import PATIENCE

ENTER = b"\x1b[?1049h"
LEAVE = b"\x1b[?1049l"
END = b"<the end>"


class Terminal:
    def __init__(
        self, arguments: List[str], environment: Dict[str, str], columns: int = 80, rows: int = 24,
    ) -> None:
        self.master, self.slave = pty.openpty()
        self.screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self.screen)
        self._set_size(columns, rows)
        self.found = termios.tcgetattr(self.slave)
        self.bytes = bytearray()
        self.reads = threading.Event()
        self.reads.set()
        self.pace: Optional[float] = None
        """Bytes in a second; None: as fast as they come."""
        self.closes = False
        self._lock = threading.Lock()
        self.process = subprocess.Popen(
            arguments, env=environment, stdin=self.slave, stdout=self.slave, stderr=self.slave,
            start_new_session=True, preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(self, *_: object) -> None:
        self.reads.set()
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.close()

    def close(self) -> None:
        """As closing the window does."""
        if self.slave < 0:
            return
        self.closes = True
        os.close(self.slave)
        self.slave = -1
        # Wakes the reader, which holds the master side open while it waits.
        self._reader.join(PATIENCE)
        os.close(self.master)

    def _read(self) -> None:
        while not self.closes:
            self.reads.wait()
            if not select.select([self.master], [], [], 0.1)[0]:
                continue
            try:
                part = os.read(self.master, 1 << 16 if self.pace is None else 16)
            except OSError:
                return
            with self._lock:
                self.bytes += part
                self._stream.feed(part)
            if self.pace is not None:
                time.sleep(len(part) / self.pace)

    def _set_size(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def resize(self, columns: int, rows: int) -> None:
        """As a window does: what stood there is kept where it fits, and the program is told."""
        with self._lock:
            self.screen.resize(rows, columns)
        self._set_size(columns, rows)

    def type(self, text: str) -> None:
        os.write(self.master, text.encode())

    def fill(self) -> None:
        """Has all drawn again, unread, until the line takes no more and frames were left out."""
        wait_until("the line is full", lambda: self._redraws() and not self._has_room, PATIENCE)
        # A frame may just have fitted. Of the next one a part stays behind, so that those after it
        # are left out: each is drawn in a turn of its own, a tenth of a second after the last one.
        for _ in range(3):
            time.sleep(0.15)
            self._redraws()

    def _redraws(self) -> bool:
        self.type("\x0c")
        wait_until("what was typed is read", lambda: self._unread_keys == 0, PATIENCE)
        return True

    @property
    def _has_room(self) -> bool:
        line = select.poll()
        line.register(self.slave, select.POLLOUT)
        return bool(line.poll(0))

    @property
    def _unread_keys(self) -> int:
        return struct.unpack("i", fcntl.ioctl(self.slave, termios.FIONREAD, b"\0" * 4))[0]

    @property
    def lines(self) -> List[str]:
        with self._lock:
            return [line.rstrip() for line in self.screen.display]

    @property
    def count(self) -> int:
        with self._lock:
            return len(self.bytes)

    @property
    def said(self) -> bytes:
        with self._lock:
            return bytes(self.bytes).replace(END, b"")

    def row(self, pattern: str) -> Optional[str]:
        """The first row that matches."""
        return next((line for line in self.lines if re.search(pattern, line)), None)

    def wait_for(self, pattern: str, patience: float = PATIENCE) -> str:
        try:
            wait_until(f"{pattern!r} is shown", lambda: self.row(pattern) is not None, patience)
        except AssertionError as error:
            raise AssertionError(str(error) + ":\n" + "\n".join(self.lines)) from None
        return self.row(pattern) or ""

    def wait_gone(self, pattern: str) -> None:
        wait_until(f"{pattern!r} is gone", lambda: self.row(pattern) is None, PATIENCE)

    def end(self, patience: float = PATIENCE) -> int:
        """Its exit code, once all that it said is read."""
        code = self.process.wait(patience)
        self.pace = None
        os.write(self.slave, END)
        wait_until("all is read", lambda: END in self.bytes, patience)
        return code

    @property
    def is_as_found(self) -> bool:
        return termios.tcgetattr(self.slave) == self.found

    @property
    def is_raw(self) -> bool:
        return not termios.tcgetattr(self.slave)[3] & (termios.ICANON | termios.ECHO)

    def signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)
