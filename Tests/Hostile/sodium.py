"""The boxes of libsodium, which libzmq brings along: for CURVE by hand."""

from __future__ import annotations

import ctypes
import ctypes.util
import os

NONCE_BYTES = 24
MARK_BYTES = 16
"""What a box is longer than what is in it."""
NAMES = ["libsodium.so.23", "libsodium.so.26", "libsodium.dylib"]


def _library() -> ctypes.CDLL:
    found = ctypes.util.find_library("sodium")
    for name in [*([found] if found else []), *NAMES]:
        try:
            library = ctypes.CDLL(name)
        except OSError:
            continue
        library.sodium_init()
        return library
    raise OSError("libsodium is not here; Debian's libzmq5 comes with it, as libsodium23")


_SODIUM = _library()


def _made(count: int, function: str, *arguments: object) -> bytes:
    room = ctypes.create_string_buffer(count)
    if getattr(_SODIUM, function)(room, *arguments):
        raise ValueError(f"{function} refuses: what is in the box is not what was put into it")
    return room.raw


def random(count: int) -> bytes:
    """So many random bytes."""
    return os.urandom(count)


class Pair:
    """Keys for one connection."""

    def __init__(self) -> None:
        public, secret = ctypes.create_string_buffer(32), ctypes.create_string_buffer(32)
        _SODIUM.crypto_box_keypair(public, secret)
        self.public, self.secret = public.raw, secret.raw


class Box:
    """What one holder of a key puts into boxes for another, and finds in that one's."""

    def __init__(self, theirs: bytes, mine: bytes) -> None:
        self._key = _made(32, "crypto_box_beforenm", theirs, mine)

    def close(self, what: bytes, nonce: bytes) -> bytes:
        """What only the other can open."""
        assert len(nonce) == NONCE_BYTES
        return _made(len(what) + MARK_BYTES, "crypto_box_easy_afternm", what,
                     ctypes.c_ulonglong(len(what)), nonce, self._key)

    def open(self, box: bytes, nonce: bytes) -> bytes:
        """What the other has put in."""
        assert len(nonce) == NONCE_BYTES
        if len(box) < MARK_BYTES:
            raise ValueError(f"a box of {len(box)} bytes")
        return _made(max(1, len(box) - MARK_BYTES), "crypto_box_open_easy_afternm", box,
                     ctypes.c_ulonglong(len(box)), nonce, self._key)[: len(box) - MARK_BYTES]
