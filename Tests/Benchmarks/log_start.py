#!/usr/bin/env python3
"""Times a publisher on a log: from its exec to the first PONG that a waiting node gets."""

from __future__ import annotations

import argparse
import socket
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "Conformance"))

import zmq  # noqa: E402
from martlet_protocol import control, message  # noqa: E402
from martlet_protocol.control import Mark  # noqa: E402
from martlet_protocol.header import Type  # noqa: E402
from martlet_protocol.message import Message  # noqa: E402
from martlet_protocol.reading import U64  # noqa: E402


def free_port() -> int:
    """A port of this machine such that it and the next one are free."""
    while True:
        with socket.socket() as one, socket.socket() as two:
            one.bind(("127.0.0.1", 0))
            port = int(one.getsockname()[1])
            try:
                two.bind(("127.0.0.1", port + 1))
            except OSError:
                continue
            return port


def first_pong(program: str, log: str, patience: float) -> "tuple[float, str]":
    """Seconds from the publisher's exec to its first PONG, and its head then."""
    endpoint = f"tcp://127.0.0.1:{free_port()}"
    context = zmq.Context()
    node = context.socket(zmq.DEALER)
    node.setsockopt(zmq.LINGER, 0)
    node.setsockopt(zmq.RECONNECT_IVL, 5)
    node.setsockopt(zmq.SNDHWM, 0)
    node.connect(endpoint)
    nothing = Mark(0, U64(0), U64(0))
    hello = control.Hello(U64(9), U64(0), nothing, "n1", ["tcp://127.0.0.1:9"])
    ping = control.Ping(U64(9), U64(1), nothing, 1)
    config = Path(log).resolve().with_suffix(".yaml")
    config.write_text(
        f'publisher:\n  endpoint: {endpoint}\n  log: "{Path(log).resolve()}"\n'
        "  retention: {bytes: 64GiB, records: 1000000000}\nnodes:\n  - {id: n1}\n")
    begun = time.monotonic()
    publisher = subprocess.Popen(
        [program, "publisher", "--config", str(config)],
        stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    try:
        while time.monotonic() - begun < patience and publisher.poll() is None:
            for type, body in ((Type.HELLO, hello), (Type.PING, ping)):
                node.send(message.encode(Message(type, body, U64(1))), zmq.DONTWAIT)
            while node.poll(5):
                answer = message.decode(node.recv())
                if answer.type == Type.PONG:
                    head = answer.body.head
                    return time.monotonic() - begun, f"{head.epoch}:{head.sequence}"
        raise SystemExit("the publisher ended, or sent no PONG in time")
    finally:
        publisher.terminate()
        publisher.wait(60)
        context.destroy(0)
        config.unlink()


def main() -> None:
    """Prints a line for each start."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("log", help="the log's directory")
    parser.add_argument("--program", default=".build/release/martlet")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--patience", type=float, default=60)
    arguments = parser.parse_args()
    for _ in range(arguments.rounds):
        seconds, head = first_pong(arguments.program, arguments.log, arguments.patience)
        print(f"first PONG after {seconds * 1_000:.0f} ms, head {head}")


if __name__ == "__main__":
    main()
