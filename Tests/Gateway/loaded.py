"""wrk before a gateway, while what it reads is stored anew and invalidated."""

from __future__ import annotations

import json
import os
import subprocess
from collections import Counter
from typing import Dict, Tuple

import httpx

from clients import stand
from world import World

SECONDS = 3
THREADS = 8
ROUNDS_MAX = 10
TURNS_MIN = 10
# Of each kind of answer, so that the absence of wrong ones says something.
SEEN_MIN = 100
KINDS = ("hit", "same", "miss", "moving")
HERE = os.path.dirname(os.path.abspath(__file__))


def readers_see_nothing_older_than_a_receipt(program: str) -> str:
    """Asked of a node each time."""
    with stand(program) as world:
        return _hold(world, "gateway")


def readers_of_what_is_remembered_neither(program: str) -> str:
    """With a near cache, through which it is invalidated."""
    with stand(program) as world:
        return _hold(world, "near")


def _hold(world: World, name: str) -> str:
    url = f"{world.url(name)}/v1/mix"
    with httpx.Client(timeout=20.0) as client:
        for number in range(50):
            key = f"k{number}"
            stored = client.put(f"{url}/{key}", content=f"value of {key}",
                                headers={"ETag": f'"of-{key}"'})
            assert stored.status_code == 204, stored.text
        least = world.directory / f"least-{name}"
        _show(least, 0)
        seen: Counter[str] = Counter()
        turns = 0
        # On a busy machine one round may see too little to judge by.
        for _ in range(ROUNDS_MAX):
            found, turns = _round(client, world, name, least, turns)
            assert found["errors"] == found["wrong"] == found["old"] == 0, found
            seen.update(found)
            if turns > TURNS_MIN and min(seen[each] for each in KINDS) > SEEN_MIN:
                break
        else:
            raise AssertionError(f"too little was seen: {turns} invalidations, {dict(seen)}")
        return (f"{found['requests'] * 1_000_000 // found['us']} a second, "
                f"p99 {found['p99_us'] / 1_000:.1f} ms, {turns} invalidations")


def _round(client: httpx.Client, world: World, name: str, least: os.PathLike,
           turns: int) -> Tuple[Dict[str, int], int]:
    """What wrk saw in some seconds, and the number of the last invalidation."""
    wrk = subprocess.Popen(
        ["wrk", f"-t{THREADS}", f"-c{THREADS}", f"-d{SECONDS}s", "-s", f"{HERE}/mix.lua",
         world.url(name), "--", str(least)], stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        while wrk.poll() is None:
            turns += 1
            _turn(client, f"{world.url(name)}/v1/mix", turns, least)
        said, wrong = wrk.communicate(timeout=20)
    finally:
        if wrk.poll() is None:
            wrk.kill()
            wrk.wait()
    assert wrk.returncode == 0, wrong
    counts = next(line for line in said.splitlines() if line.startswith("counts "))
    return json.loads(counts.split(" ", 1)[1]), turns


def _turn(client: httpx.Client, url: str, number: int, least: os.PathLike) -> None:
    """Stores one, and invalidates it: once there is a receipt nobody may see it."""
    stored = client.put(f"{url}/moving", content=f"{number}",
                        headers={"Surrogate-Key": "moves"})
    assert stored.status_code == 204, stored.text
    purge = {"Surrogate-Key": "moves"} if number % 2 else {}
    receipt = client.request("PURGE", url if purge else f"{url}/moving", headers=purge)
    assert receipt.status_code == 200 and receipt.json()["complete"], receipt.text
    _show(least, number + 1)


def _show(path: os.PathLike, number: int) -> None:
    new = f"{path}.new"
    with open(new, "w") as file:
        file.write(str(number))
    os.replace(new, path)
