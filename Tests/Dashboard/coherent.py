"""The example of docs/pushes.md: a page that keeps a cache, and keeps it right."""

from __future__ import annotations

from pathlib import Path

from browser import Browser
from world import World

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "coherent-cache.html"


def the_example_keeps_a_coherent_cache(program: str, browser: Browser) -> None:
    with World(program) as world:
        page = browser.page()
        try:
            url = world.url + "/example"
            page.serve(url, EXAMPLE.read_text())
            page.open(url)
            page.says("#state", "coherent up to")
            world.put("default/greeting", b"first", Surrogate_Key="words")
            assert page.run("cache.get('greeting')") == "first"
            assert page.run("cache.values.has('greeting')"), "it is kept"
            asked = len(page.requests)
            assert page.run("cache.get('greeting')") == "first"
            assert len(page.requests) == asked, "and answered without a request"
            for what in ({"keys": ["greeting"]}, {"tags": ["words"]}, {"prefixes": ["greet"]},
                         {"namespaces": ["default"]}, {"everything": True}):
                world.invalidate(**what)
                page.until(f"it has dropped what {what} covers", "!cache.values.has('greeting')")
                world.put("default/greeting", f"after {what}".encode(), Surrogate_Key="words")
                assert page.run("cache.get('greeting')") == f"after {what}"
                assert page.run("cache.values.has('greeting')")
            world.invalidate(keys=["another"], tags=["other"])
            page.says("#state", "1:6")
            assert page.run("cache.values.has('greeting')"), "what is not covered stays"
            world.kill("gateway")
            page.says("#state", "away")
            assert not page.run("cache.knows")
            world.start_gateway()
            world.wait_until("nodes answer it", world._is_live)
            world.invalidate(keys=["greeting"])
            page.until("it hears of it", "cache.knows && !cache.values.has('greeting')")
        finally:
            page.close()
