"""Keys: files as `martlet keygen` writes them, and sockets that prove who they are by CURVE."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple, Optional, Tuple

import zmq
from zmq.utils import z85


MARK = "?key="
"""Before a server's key, behind the place of an endpoint."""
CURVE_BYTES = 33
"""What CURVE puts around a frame: a name, a number, a mark of authenticity and a flag."""


class KeyPair(NamedTuple):
    """A public key and its secret half, 32 bytes each."""

    public: bytes
    secret: bytes

    @staticmethod
    def made() -> "KeyPair":
        """A new one, which nobody can have listed."""
        return KeyPair(*(z85.decode(half) for half in zmq.curve_keypair()))

    @staticmethod
    def read(path: Path) -> "KeyPair":
        """The one in a file: a line for each half, its name before it."""
        lines = [line.split() for line in path.read_text(encoding="ascii").splitlines()
                 if line and not line.startswith("#")]
        halves = {words[0]: bytes.fromhex(words[1]) for words in lines if len(words) == 2}
        return KeyPair(halves["public-key"], halves["secret-key"])

    def write(self, path: Path) -> None:
        """Writes a file as `martlet keygen` does; it must not exist."""
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(f"public-key {self.public.hex()}\nsecret-key {self.secret.hex()}\n")


def split(endpoint: str) -> Tuple[str, Optional[bytes]]:
    """An endpoint without its server's key, and that key; `None` where it names none."""
    place, _, key = endpoint.partition(MARK)
    return place, bytes.fromhex(key) if key else None


def frame_bytes(endpoint: str, plain: int) -> int:
    """How long a frame on the wire is that has so many bytes inside."""
    return plain + (CURVE_BYTES if split(endpoint)[1] else 0)


def connect(socket: zmq.Socket, endpoint: str, keys: Optional[KeyPair]) -> None:
    """Connects, to the holder of the key that the endpoint names and to nobody else."""
    place, server = split(endpoint)
    if server is not None:
        if keys is None:
            raise ValueError(f"{endpoint} wants to know who asks, and there is no key to show")
        socket.setsockopt(zmq.CURVE_SERVERKEY, server)
        socket.setsockopt(zmq.CURVE_PUBLICKEY, keys.public)
        socket.setsockopt(zmq.CURVE_SECRETKEY, keys.secret)
    socket.connect(place)
