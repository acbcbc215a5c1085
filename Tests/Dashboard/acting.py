"""What people do with the page: explain a key, count, confirm, invalidate, show a token."""

from __future__ import annotations

import hashlib

from browser import Browser, Page
from visiting import tells, visit
from world import World


def _explain(page: Page, namespace: str, key: str) -> None:
    page.fill("#explain-namespace", namespace)
    page.fill("#explain-key", key)
    page.click("#explain-form button")


def _ask_to_invalidate(page: Page, kind: str, namespace: str, names: str = "") -> None:
    page.fill("#invalidate-kind", kind)
    page.fill("#invalidate-namespace", namespace)
    page.fill("#invalidate-names", names)
    page.click("#invalidate-form button")


def a_key_is_explained(program: str, browser: Browser) -> None:
    with World(program) as world, visit(browser, world) as page:
        world.put(
            "shop/a%2Fb", b"0123456789", Surrogate_Key="words",
            Martlet_Version="9007199254740993")
        _explain(page, "shop", "a/b")
        for words in ("Served as fresh", "10 B", "words", "owner", "9007199254740993"):
            page.says("#explanation", words)
        world.invalidate(namespace="shop", tags=["words"], soft=True)
        page.click("#explain-form button")
        page.says("#explanation", "before the invalidation of tag words at 1:1")
        _explain(page, "shop", "not there")
        page.says("#explanation", "Not there")


def a_key_of_any_bytes_is_explained(program: str, browser: Browser) -> None:
    with World(program) as world, visit(browser, world) as page:
        world.put("default/%FF%00x", b"v")
        world.put("default/50%25%20off", b"v")
        _explain(page, "default", "50% off")
        page.says("#explanation", "Served as fresh")
        page.click("#explain-bytes")
        _explain(page, "default", "%FF%00x")
        page.says("#explanation", "%FF%00x")
        page.says("#explanation", "Served as fresh")
        _explain(page, "default", "%F")
        page.says("#explanation", "two hexadecimal digits")
        page.click("#explain-bytes")
        _explain(page, "default", "..")
        page.says("#explanation", "martlet explain")


def a_late_answer_is_not_to_a_newer_question(program: str, browser: Browser) -> None:
    with World(program) as world, visit(browser, world) as page:
        page.click("#explain-bytes")
        # In one breath: the first has no answer yet when the second is refused on the page.
        page.run(
            "for (const key of ['first', '%F']) {"
            " document.querySelector('#explain-key').value = key;"
            " document.querySelector('#explain-form').requestSubmit() }")
        page.until(
            "the first is answered", "performance.getEntriesByType('resource')"
            ".some(each => each.name.endsWith('/first') && each.responseEnd > 0)")
        page.run("new Promise(done => setTimeout(done, 200))")
        assert "two hexadecimal digits" in page.text("#explanation"), page.text("#explanation")


def what_is_counted_and_confirmed_goes(program: str, browser: Browser) -> None:
    with World(program) as world, visit(browser, world) as page:
        for number in range(7):
            world.put(f"shop/item:{number}", b"x", Surrogate_Key="price")
        _ask_to_invalidate(page, "tags", "shop", "price")
        page.says("#confirm", "7 entries")
        assert page.run("document.activeElement.value") == "no", "the harmless button is at hand"
        page.press("Escape", 27)
        page.says("#receipt", "Left as it is")
        assert world.ask("GET", "/v1/shop/item:1").status_code == 200
        page.click("#invalidate-form button")
        page.until("it asks again", "document.querySelector('#confirm').open")
        page.click("#confirm-yes")
        page.says("#receipt", "● done at 1:1")
        page.says("#receipt", "Applied: n")
        assert world.ask("GET", "/v1/shop/item:1").status_code == 404
        tells(page, "1:1")
        page.says("#records", "2 nodes within")


def what_others_invalidate_is_shown_with_its_nodes(program: str, browser: Browser) -> None:
    with World(program) as world, visit(browser, world) as page:
        world.invalidate(namespace="shop", prefixes=["item:"])
        page.says("#records", "item:")
        page.says("#records", "all 2 applied")
        world.invalidate(namespace="shop", keys=["one"])
        page.says("#records", "one")
        page.fill("#stream-filter", "item:")
        assert "one" not in page.text("#records") and "item:" in page.text("#records")
        page.fill("#stream-filter", "")
        page.click("#records button.link")
        page.says("#explanation", "shop/one")


def everything_takes_a_word_to_confirm(program: str, browser: Browser) -> None:
    with World(program) as world, visit(browser, world) as page:
        world.put("shop/a")
        _ask_to_invalidate(page, "namespaces", "shop")
        page.says("#confirm", "1 entry")
        assert page.run("document.querySelector('#confirm-yes').disabled")
        page.fill("#confirm-typed", "shop")
        assert not page.run("document.querySelector('#confirm-yes').disabled")
        page.fill("#confirm-typed", "shopp")
        # Enter takes the first button of the form: nothing happens by haste.
        page.run("document.querySelector('#confirm-typed').focus()")
        page.press("Enter", 13, "\r")
        page.says("#receipt", "Left as it is")
        assert world.ask("GET", "/v1/shop/a").status_code == 200
        _ask_to_invalidate(page, "everything", "default")
        page.says("#confirm", "Everything, in all namespaces")
        page.fill("#confirm-typed", "everything")
        page.click("#confirm-yes")
        page.says("#receipt", "● done")
        assert world.ask("GET", "/v1/shop/a").status_code == 404


def what_cannot_be_asked_for_is_said(program: str, browser: Browser) -> None:
    with World(program) as world, visit(browser, world, expected=["400"]) as page:
        _ask_to_invalidate(page, "keys", "shop", "")
        page.says("#receipt", "Name something")
        _ask_to_invalidate(page, "keys", "no such name", "a")
        page.says("#receipt", "namespace")
        page.click("#invalidate-bytes")
        _ask_to_invalidate(page, "keys", "shop", "%Z")
        page.says("#receipt", "two hexadecimal digits")
        _ask_to_invalidate(page, "keys", "shop", "%FFa\nplain")
        page.says("#confirm", "%FFa")
        page.press("Escape", 27)


def _tokens() -> str:
    rights = {"boss": "admin", "reader": "read shop", "looker": "metrics"}
    return "".join(
        f"{name} {hashlib.sha256(name.encode()).hexdigest()} {right}\n"
        for name, right in rights.items())


def a_token_is_asked_for_and_kept_nowhere(program: str, browser: Browser) -> None:
    refusals = ["401", "Unauthorized"]
    with World(program, tokens=_tokens()) as world:
        with visit(browser, world, expected=refusals, is_live=False) as page:
            page.until("it asks", "document.querySelector('#token').open")
            page.says("#banner", "authenticates requests")
            page.fill("#token-input", "nobody")
            page.click("#token [value=yes]")
            page.says("#banner", "does not know this token")
            page.until("it asks again", "document.querySelector('#token').open")
            page.fill("#token-input", "boss")
            page.click("#token [value=yes]")
            page.says("#summary", "2 of 2 nodes live")
            page.says("#stream-state", "Live")
            world.invalidate(keys=["a"])
            tells(page, "1:1")
            kept = page.run("JSON.stringify([{...localStorage}, {...sessionStorage},"
                            " document.cookie, location.href, history.state])")
            assert "boss" not in kept, kept
            assert not any("boss" in each for each in page.requests), page.requests
            page.open(world.url + "/dashboard")
            page.until("it asks after a reload", "document.querySelector('#token').open")


def a_token_with_few_rights_shows_what_it_may(program: str, browser: Browser) -> None:
    refusals = ["401", "403", "Forbidden", "Unauthorized"]
    with World(program, tokens=_tokens()) as world:
        world.put("shop/a")
        with visit(browser, world, expected=refusals, is_live=False) as page:
            page.until("it asks", "document.querySelector('#token').open")
            page.fill("#token-input", "reader")
            page.click("#token [value=yes]")
            page.says("#banner", "role metrics")
            page.says("#stream-state", "Live")
            _explain(page, "shop", "a")
            page.says("#explanation", "Served as fresh")
            _explain(page, "other", "a")
            page.says("#explanation", "may not do this")
            _ask_to_invalidate(page, "keys", "shop", "a")
            page.says("#confirm", "1 entry")
            page.click("#confirm-yes")
            page.says("#receipt", "may not do this")
            world.invalidate(namespace="other", keys=["secret"])
            world.invalidate(namespace="shop", keys=["mine"])
            page.says("#records", "mine")
            assert "secret" not in page.text("#records")
        with visit(browser, world, expected=refusals, is_live=False) as page:
            page.until("it asks", "document.querySelector('#token').open")
            page.fill("#token-input", "looker")
            page.click("#token [value=yes]")
            page.says("#summary", "2 of 2 nodes live")
            page.says("#stream-state", "Not shown")
