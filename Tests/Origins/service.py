"""A small service with a database behind it: a process of its own.

    service.py PORT SOCKET_DIRECTORY      it listens on 127.0.0.1 and says "ready"

`GET /SPACE/KEY` answers with the row of that key: its text as the value, its version as ETag, its
group as tag; 404 where there is none, with the tag too: who inserts a row invalidates by it.
Between reading the row and answering it takes its time, so that what it says may be overtaken. It
ends with its standard input.
"""

from __future__ import annotations

import os
import random
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import psycopg2

SLOW = (0.0, 0.0, 0.002, 0.01, 0.03)
FRESH = 600


class Service(ThreadingHTTPServer):
    """One thread and one database connection for each connection."""

    daemon_threads = True
    request_queue_size = 256
    directory = ""


class Handler(BaseHTTPRequestHandler):
    """Answers what one connection asks."""

    protocol_version = "HTTP/1.1"
    wbufsize = -1

    def setup(self) -> None:
        """A connection to the database of its own."""
        super().setup()
        assert isinstance(self.server, Service)
        self.database = psycopg2.connect(host=self.server.directory, dbname="postgres",
                                         user="martlet")
        self.database.autocommit = True

    def finish(self) -> None:
        """Gives it back."""
        self.database.close()
        super().finish()

    def do_GET(self) -> None:  # noqa: N802 (the library calls it so)
        """One row."""
        _, space, key = self.path.split("/", 2)
        with self.database.cursor() as cursor:
            cursor.execute("SELECT text, version FROM rows WHERE space = %s AND key = %s",
                           (space, key))
            row = cursor.fetchone()
        time.sleep(random.choice(SLOW))
        told = {"Surrogate-Key": key[: key.index("r")], "Cache-Control": f"max-age={FRESH}"}
        if row is None:
            return self.answer(404, b"", told)
        text, version = row
        told["ETag"] = etag = f'"{version}"'
        if self.headers.get("If-None-Match") == etag:
            return self.answer(304, None, told)
        self.answer(200, text.encode(), told)

    def answer(self, status: int, body: Any, fields: dict) -> None:
        """Status, fields and body."""
        self.send_response(status)
        for name, value in fields.items():
            self.send_header(name, value)
        if body is not None:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if body:
            self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Says nothing of what went well."""


if __name__ == "__main__":
    server = Service(("127.0.0.1", int(sys.argv[1])), Handler)
    server.directory = sys.argv[2]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print("ready", flush=True)
    sys.stdin.read()
    os._exit(0)
