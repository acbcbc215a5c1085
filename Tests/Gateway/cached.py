"""nginx as a cache before a gateway: what it keeps, and for how long."""

from __future__ import annotations

import time
from typing import List

import httpx

from front import Front, fronted

TTL = 5.0
LATE = 3.5
SLACK = 1.6
"""nginx counts whole seconds, and keeps a value through the one in which its time ends."""


def _get(front: Front, key: str, **headers: str) -> httpx.Response:
    return httpx.get(f"{front.url('cache')}/v1/cached/{key}", headers=headers, timeout=20.0)


def _kept(answer: httpx.Response) -> "tuple[str, bytes]":
    return answer.headers["x-cache"], answer.content


def what_has_no_end_is_asked_for_each_time(program: str) -> None:
    """`no-cache` for what never expires or is stale, and problems, are kept by nobody."""
    with fronted(program) as (world, front):
        url = f"{world.url()}/v1/cached"
        httpx.put(f"{url}/k", content=b"one")
        for value in (b"one", b"two", b"three"):
            httpx.put(f"{url}/k", content=value)
            assert _kept(_get(front, "k")) == ("MISS", value)
        assert _get(front, "absent").status_code == 404
        httpx.put(f"{url}/absent", content=b"there")
        assert _kept(_get(front, "absent")) == ("MISS", b"there")
        httpx.put(f"{url}/soft", content=b"one", headers={"Martlet-TTL": "60000"})
        httpx.request("PURGE", f"{url}/soft", headers={"Martlet-Soft": "?1"})
        stale = _get(front, "soft", **{"Cache-Control": "max-stale"})
        assert stale.status_code in (200, 404), stale
        if stale.status_code == 200:
            assert stale.headers["cache-control"] == "no-cache", stale.headers
            again = _get(front, "soft", **{"Cache-Control": "max-stale"})
            assert again.headers["x-cache"] == "MISS"


def what_has_an_end_is_kept_until_then(program: str) -> str:
    """No later than its lifetime from when it was stored, also if it was fetched late."""
    with fronted(program) as (world, front):
        stored = []
        for key in ("early", "late"):
            answer = httpx.put(f"{world.url()}/v1/cached/{key}", content=b"old",
                               headers={"Martlet-TTL": f"{TTL * 1_000:.0f}"})
            assert answer.status_code == 204
            stored.append(time.monotonic())
        first = _get(front, "early")
        assert _kept(first) == ("MISS", b"old"), first.headers
        age = int(first.headers["cache-control"].removeprefix("max-age="))
        assert TTL - 1 <= age <= TTL, first.headers
        assert "x-accel-expires" not in first.headers
        assert _kept(_get(front, "early")) == ("HIT", b"old")
        while time.monotonic() < stored[1] + LATE:
            time.sleep(0.05)
        late = _get(front, "late")
        assert _kept(late) == ("MISS", b"old") and int(late.headers["age"]) >= 3, late.headers
        for key in ("early", "late"):
            httpx.put(f"{world.url()}/v1/cached/{key}", content=b"new")
        lived: List[float] = []
        for key, since in zip(("early", "late"), stored):
            while _get(front, key).content == b"old":
                assert time.monotonic() < since + 4 * TTL, f"{key} is kept for ever"
                time.sleep(0.05)
            lived.append(time.monotonic() - since)
        assert max(lived) <= TTL + SLACK, f"of {TTL} s it lived {lived}"
        return "kept for " + ", ".join(f"{each:.1f} s" for each in lived) + f" of {TTL:.0f}"


def what_was_kept_is_confirmed(program: str) -> str:
    """After its time nginx asks with the ETag, and a 304 gives it what is left of a new one."""
    with fronted(program) as (world, front):
        headers = {"Martlet-TTL": "2000", "ETag": '"same"'}
        url = f"{world.url()}/v1/cached/k"
        httpx.put(url, content=b"value", headers=headers)
        seen = []
        end = time.monotonic() + 10
        while "REVALIDATED" not in seen:
            httpx.put(url, content=b"value", headers=headers)
            answer = _get(front, "k")
            assert answer.content == b"value" and answer.headers["etag"] == '"same"'
            if seen[-1:] != [answer.headers["x-cache"]]:
                seen.append(answer.headers["x-cache"])
            assert time.monotonic() < end, seen
            time.sleep(0.1)
        return " ".join(seen)
