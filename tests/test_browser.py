"""The report in a real browser: no error, no request, nothing overflows, the viewer and sorting.

Needs Chromium (Debian: `apt install chromium`) and, for the check of accessibility, axe-core
(`npm install --prefix .axe axe-core`); what is missing is skipped.
"""

import itertools
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command import run

ROOT = Path(__file__).parents[1]
AXE = ROOT / ".axe" / "node_modules" / "axe-core" / "axe.min.js"
CHROMIUM = shutil.which("chromium")

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed (apt install chromium)"),
    pytest.mark.xdist_group("browser"),
]


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the page of a small real run."""
    place = tmp_path_factory.mktemp("browser") / "run"
    field = ("greedy", "hunter", "doubler", "random")
    run("tournament", *field, "--matches", "200", "--out", str(place), "--report")
    return place / "report" / "index.html"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as started:
        chromium = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.fixture
def opened(browser: Any, page_file: Path) -> Iterator[Any]:
    """Give a function that opens the page; at the end there was no error and no request."""
    complaints: list[str] = []
    contexts = []

    def open_(width: int = 1440, scheme: str = "light", fragment: str = "") -> Any:
        size = {"width": width, "height": 900}
        context = browser.new_context(viewport=size, color_scheme=scheme, reduced_motion="reduce")
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: complaints.append(f"error: {error}"))
        page.on("request", lambda request: _note(complaints, request.url))
        page.goto(f"{page_file.as_uri()}{fragment}")
        return page

    yield open_
    for context in contexts:
        context.close()
    assert complaints == []


def _note(complaints: list[str], url: str) -> None:
    if not url.startswith(("file:", "data:")):
        complaints.append(f"request: {url}")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 768, 1440])
def test_page__any_width_and_scheme__nothing_overflows(opened, width, scheme):
    page = opened(width, scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    beyond = """() => [...document.querySelectorAll("body *")].filter((node) => {
        if (node.closest(".scroll, nav, .viewer select, svg")) return false;
        const box = node.getBoundingClientRect();
        return box.width > 0 && (box.right > innerWidth + 1 || box.left < -1);
    }).map((node) => node.outerHTML.slice(0, 80))"""
    assert page.evaluate(beyond) == []


def test_contents__every_link__leads_to_a_section(opened):
    page = opened()
    links = page.eval_on_selector_all("nav a", "nodes => nodes.map((n) => n.getAttribute('href'))")
    assert len(links) > 8
    for link in links:
        page.click(f'nav a[href="{link}"]')
        top = page.eval_on_selector(link, "node => node.getBoundingClientRect().top")
        seen = page.evaluate("innerHeight")
        assert -5 <= top < seen
        assert page.url.endswith(link)


def test_sorting__a_heading__orders_rows_both_ways(opened):
    page = opened()
    column = "#standings tbody td:nth-child(4)"  # margin
    values = "nodes => nodes.map((n) => parseFloat(n.textContent.replace('\\u2212', '-')))"
    for direction in ("descending", "ascending"):
        page.click("#standings thead button:has-text('margin')")
        found = page.eval_on_selector_all(column, values)
        assert found == sorted(found, reverse=direction == "descending")
        heading = page.locator("#standings thead th", has_text="margin")
        assert heading.get_attribute("aria-sort") == direction
    assert len(set(found)) == 4


def position(page: Any) -> dict[str, Any]:
    """Return what the viewer shows."""
    return page.evaluate(
        """() => {
        const texts = (part) => [...document.querySelectorAll(`[data-part="${part}"] .card`)]
            .map((node) => node.textContent);
        const hands = [0, 1, 2, 3].map((seat) => texts(`seat-${seat}`));
        const text = (part) => document.querySelector(`[data-part="${part}"]`).textContent;
        return { hands, pile: texts("pile"), melds: texts("melds"), stock: text("stock"),
                 words: text("words"), points: text("points") };
    }"""
    )


def test_viewer__each_step__shows_the_position_of_the_rules(opened):
    from reports.test_viewer import moved

    page = opened(fragment="#m-upset-0")
    (match,) = (
        match
        for match in json.loads(page.eval_on_selector("#matches-data", "n => n.textContent"))
        if match["id"] == "upset"
    )
    deal = match["deals"][0]
    page.focus("#viewer")
    for count in range(0, len(deal["steps"]) + 1):
        if count % 17 == 0 or count == len(deal["steps"]):
            shown, wanted = position(page), moved(deal, count)
            assert [len(hand) for hand in shown["hands"]] == [len(h) for h in wanted["hands"]]
            assert len(shown["pile"]) == len(wanted["pile"])
            assert len(shown["melds"]) == len(wanted["sets"] | wanted["runs"])
            assert int(shown["stock"]) == wanted["stock"]
            if count:
                assert deal["steps"][count - 1][3] in shown["words"]
        page.keyboard.press("ArrowRight")
    assert deal["end"] in shown["words"]


def test_viewer__keys_buttons_and_links__agree(opened):
    page = opened(fragment="#m-longest-5")
    first = position(page)
    page.focus("#viewer")
    page.keyboard.press("ArrowRight")
    assert position(page) != first
    assert page.url.endswith("#m-longest-6")
    page.click('[data-part="back"]')
    assert position(page) == first
    page.keyboard.press("ArrowDown")  # the end of the next turn
    page.keyboard.press("ArrowUp")
    page.keyboard.press("End")
    assert page.is_disabled('[data-part="next"]')
    assert "to" in position(page)["words"]
    page.keyboard.press("Home")
    assert page.is_disabled('[data-part="back"]')
    page.select_option('[data-part="match"]', index=0)
    assert page.url.endswith("#m-upset-0")
    other = opened(fragment="#m-longest-5")
    assert position(other) == first


@pytest.mark.skipif(
    not AXE.exists(), reason="axe-core is missing: npm install --prefix .axe axe-core"
)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_accessibility__axe__finds_nothing(opened, scheme):
    page = opened(1440, scheme)
    page.evaluate(AXE.read_text())  # as the devtools do: the page's own policy forbids more scripts
    found = page.evaluate(
        "axe.run().then((r) => r.violations.map((v) => [v.id, v.nodes.length, "
        "v.nodes[0].html.slice(0, 120)]))"
    )
    assert found == []


def test_headings__one_h1__in_order(opened):
    page = opened()
    levels = page.eval_on_selector_all("h1, h2, h3, h4", "nodes => nodes.map((n) => +n.tagName[1])")
    assert levels.count(1) == 1
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))
