"""Well-behaved clients beside those who are not: a process that asks and looks at each answer."""

from __future__ import annotations

import json
import random
import time
from collections import Counter
from pathlib import Path
from typing import Dict, List

import httpx

PAUSE = 0.02
KEYS = 50
TIMEOUT = 10.0
BUSY_PAUSE = 0.05


class Neighbour:
    """Stores, reads, asks again with the ETag and purges keys of its own, at one gateway."""

    def __init__(self, url: str, name: str, seed: str) -> None:
        self.url, self.name = url, name
        self.dice = random.Random(seed)
        self.values: Dict[str, str] = {}
        self.counts: Counter = Counter()
        self.latencies: List[float] = []
        self.faults: List[str] = []

    def live(self, until: float, report: Path) -> None:
        """Until then, and then a report."""
        with httpx.Client(http2=True, verify=False, timeout=TIMEOUT) as client:
            while time.monotonic() < until:
                self._once(client)
                time.sleep(PAUSE)
        report.write_text(json.dumps({
            "counts": dict(self.counts), "latencies": self.latencies, "faults": self.faults}))

    def _once(self, client: httpx.Client) -> None:
        number = self.dice.randrange(KEYS)
        key = f"k{number}"
        draw = self.dice.random()
        if draw < 0.15:
            value = f"{key}-{self.dice.randrange(1 << 60)}"
            if self._ask(client, "PUT", key, (204,), content=value) is not None:
                self.values[key] = value
        elif draw < 0.25:
            if self._ask(client, "PURGE", key, (200, 202)) is not None:
                self.values.pop(key, None)
        else:
            self._read(client, key)

    def _read(self, client: httpx.Client, key: str) -> None:
        wanted = self.values.get(key)
        answer = self._ask(client, "GET", key, (200 if wanted else 404,))
        if answer is None or not wanted:
            return
        if answer.text != wanted:
            self._fault(f"{key} is {answer.text[:80]!r} and not {wanted!r}")
        again = self._ask(client, "GET", key, (304,),
                          headers={"If-None-Match": answer.headers["etag"]})
        if again is not None and again.content:
            self._fault(f"a 304 with {again.content!r}")

    def _ask(self, client: httpx.Client, method: str, key: str, wanted: "tuple[int, ...]",
             **more: object) -> "httpx.Response | None":
        """One answer; `None` if it was one that a busy gateway may give, or is wrong."""
        began = time.monotonic()
        try:
            answer = client.request(method, f"{self.url}/v1/{self.name}/{key}", **more)
        except httpx.HTTPError as error:
            self._fault(f"{method} {key}: {error!r}")
            return self._forget(key, method)
        self.latencies.append(time.monotonic() - began)
        self.counts[str(answer.status_code)] += 1
        if answer.status_code in wanted:
            return answer
        is_busy = answer.status_code == 503 and "retry-after" in answer.headers
        if not is_busy:
            self._fault(f"{method} {key}: {answer.status_code} and not {wanted}: {answer.text}")
        self.counts["busy"] += is_busy
        time.sleep(BUSY_PAUSE)
        return self._forget(key, method)

    def _forget(self, key: str, method: str) -> None:
        if method != "GET":
            # Whether it was done nobody knows: such a key is not looked at any more.
            self.values[key] = ""
            self._fault(f"{method} {key} was not answered")

    def _fault(self, what: str) -> None:
        self.counts["faults"] += 1
        if len(self.faults) < 20:
            self.faults.append(what)
