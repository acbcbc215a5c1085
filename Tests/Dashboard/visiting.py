"""A page that is opened, looked at, and left, with nothing complained of and nobody else asked."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Iterator, List, Sequence

from browser import Browser, Page
from world import World


@contextlib.contextmanager
def visit(
    browser: Browser, world: World, *, width: int = 1440, height: int = 1000,
    scheme: str = "light", expected: Sequence[str] = (), is_live: bool = True,
) -> Iterator[Page]:
    """Opens the dashboard.

    `expected` are words of complaints that belong to the test: a browser notes each refusal.
    """
    page = browser.page(width, height, scheme)
    try:
        page.open(world.url + "/dashboard")
        if is_live:
            page.says("#summary", "2 of 2 nodes live")
            page.says("#stream-state", "Live")
        yield page
        complaints = [
            each for each in page.complaints if not any(words in each for words in expected)]
        assert not complaints, complaints
        own = (world.url + "/", world.url.replace("http", "ws", 1) + "/", "data:")
        strangers = [each for each in page.requests if not each.startswith(own)]
        assert not strangers, strangers
        assert not any("token" in each for each in page.requests), page.requests
    except BaseException:
        shoot(page, "failed")
        raise
    finally:
        page.close()


def positions(page: Page) -> List[str]:
    """Of the records shown, from the top. A time of the day may hold the same digits."""
    return page.run(
        "[...document.querySelectorAll('#records .position')].map(each => each.innerText)")


def tells(page: Page, position: str) -> None:
    """Waits until a record is shown."""
    page.until(
        f"{position} is told", "[...document.querySelectorAll('#records .position')]"
        f".some(each => each.innerText === '{position}')")


def shoot(page: Page, name: str) -> None:
    """A picture, for people who want to look."""
    if os.environ.get("MARTLET_SHOTS"):
        page.shoot(Path(os.environ["MARTLET_SHOTS"]) / f"{name}.png")


HOSTILE = [
    "<img src=x onerror=\"window.harmed=1\">", "</li><script>window.harmed=1</script>",
    "javascript:window.harmed=1", "\u202egnp.exe", "a\u0000b\tc\u200bd", "{{7*7}}${7*7}",
    "' onmouseover='window.harmed=1", "ключ/😀/鍵",
]
"""Names that want to be more than names."""
