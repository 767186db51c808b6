"""How figures look: colours, type, sizes, and their bytes as SVG and PNG.

One unit of a figure is one CSS pixel. A figure is drawn in the light theme; `dark` gives the same
SVG in the colours of the dark one. Nothing here touches pyplot or leaves a setting behind.
"""

import io
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import matplotlib
from matplotlib.figure import Figure

WIDE, NARROW = 680, 340
"""The widths of a figure, in pixels: for a page of text and for a phone."""

INK, MUTED, GRID, PAPER = "#1d2733", "#5b6876", "#dde3e9", "#ffffff"
_DARK = {INK: "#e8ecf1", MUTED: "#a3afbc", GRID: "#333d49", PAPER: "#161b22"}

STRATEGY_COLOURS = (
    "#0072b2",
    "#f07800",
    "#9aa36a",
    "#783cf0",
    "#855656",
    "#d073ff",
    "#00b2b2",
    "#d10000",
)
"""Told apart with every common colour blindness (least distance in CIELAB 23), and seen on white
and on the dark paper. Names always stand beside them, so that colour only helps."""

PART_COLOURS = {
    "sets": "#2f7396",
    "runs": "#5fa3c0",
    "lay-offs": "#a9d0de",
    "doubling": "#e3b341",
    "going out": "#8f7fb8",
    "left in hands": "#c0604d",
}
END_COLOURS = {
    "went out": "#2f7396",
    "opponents went out": "#d08c6c",
    "stock exhausted": "#b4bec9",
    "cut off": "#74808c",
}
FATE_COLOURS = {
    "three at once": "#2f7396",
    "four at once": "#e3b341",
    "the fourth, later": "#a9d0de",
    "discarded": "#b4bec9",
    "left in hand": "#c0604d",
}
AHEAD, BEHIND = "#1f7a99", "#c96a2b"
"""The two ends of heat maps."""

_DASHES: tuple[Any, ...] = ("-", (0, (5, 1.6)), (0, (1.5, 1.4)))
_ON_DARK, _ON_LIGHT = "#fdfdfd", "#12181f"
_RC: Any = {  # a dict, whose keys matplotlib spells out as literals
    "svg.hashsalt": "prummy",
    "svg.fonttype": "none",
    "font.family": ["DejaVu Sans"],
    "pdf.fonttype": 42,
    "font.size": 12,
    "text.parse_math": False,
    "text.color": INK,
    "axes.edgecolor": MUTED,
    "axes.labelcolor": MUTED,
    "axes.labelsize": 11.5,
    "axes.titlesize": 12.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.titlepad": 8,
    "axes.unicode_minus": True,
    "axes.axisbelow": True,
    "axes.facecolor": "none",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.spines.left": False,
    "xtick.color": MUTED,
    "xtick.labelsize": 11,
    "ytick.color": MUTED,
    "ytick.labelsize": 11,
    "ytick.major.size": 0,
    "ytick.major.pad": 8,
    "xtick.major.size": 3,
    "grid.color": GRID,
    "grid.linewidth": 1,
    "figure.facecolor": "none",
    "hatch.linewidth": 1,
    "legend.frameon": False,
    "legend.fontsize": 11,
    "legend.handlelength": 1,
    "legend.handleheight": 1,
    "legend.handletextpad": 0.5,
    "legend.columnspacing": 1.4,
    "legend.borderaxespad": 0,
    "legend.borderpad": 0,
}
_FONTS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif"


@dataclass(frozen=True)
class Look:
    """What a figure needs to know beside its numbers: its width, and the strategies' colours."""

    width: int
    colours: dict[str, str]

    @property
    def narrow(self) -> bool:
        """Whether the figure is for a phone."""
        return self.width < 500

    def figure(self, height: float) -> Figure:
        """Return an empty figure of this width, and of a height in pixels."""
        return Figure(figsize=(self.width / 72, height / 72), dpi=72, layout="constrained")

    def dash(self, name: str) -> Any:
        """Return the dashes of a strategy's line: solid but where an earlier one has its colour."""
        entered = list(self.colours)
        before = [self.colours[other] for other in entered[: entered.index(name)]]
        return _DASHES[before.count(self.colours[name]) % len(_DASHES)]

    def label(self, name: str) -> str:
        """Return a strategy's name, with its middle left out when it is long."""
        return shortened(name, 18 if self.narrow else 24)


def strategy_colours(names: Sequence[str]) -> dict[str, str]:
    """Return a colour a strategy, by its place among a run's entries."""
    n = len(STRATEGY_COLOURS)
    return {name: STRATEGY_COLOURS[index % n] for index, name in enumerate(names)}


def shortened(name: str, most: int) -> str:
    """Return a name of at most `most` characters: what tells names apart is often their end."""
    if len(name) <= most:
        return name
    tail = (most - 1) // 2
    return f"{name[: most - 1 - tail]}…{name[-tail:]}"


def text_on(colour: str) -> str:
    """Return the text colour that reads on an opaque colour, whatever the theme."""
    channels = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return _ON_LIGHT if luminance > 0.2 else _ON_DARK


@contextmanager
def drawing() -> Iterator[None]:
    """Set the style while a figure is made and written."""
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        with matplotlib.rc_context(_RC):
            yield


def svg_bytes(figure: Figure) -> bytes:
    """Return a figure as SVG: the same bytes for the same figure, text as text, no dates.

    What matplotlib writes is made shorter, since a page holds each figure four times.
    """
    buffer = io.BytesIO()
    nothing = dict.fromkeys(("Creator", "Date", "Format", "Type"))
    figure.savefig(buffer, format="svg", metadata=nothing)
    text = buffer.getvalue().decode("utf-8")
    text = re.sub(r"^.*?(?=<svg)", "", text, count=1, flags=re.DOTALL)
    text = re.sub(r'(<svg[^>]* width="[\d.]+)pt(" height="[\d.]+)pt"', r'\1\2"', text, count=1)
    text = re.sub(r"font-family: 'DejaVu Sans'; ", "", text)
    text = text.replace("</style>", f"text{{font-family: {_FONTS}}}</style>", 1)
    text = re.sub(r' id="[a-z0-9.]+_\d+"', "", text, flags=re.IGNORECASE)  # of groups
    text = re.sub(r">\s+<", "><", text).replace("<g/>", "")
    text = re.sub(r' transform="rotate\(-0 [^"]*"', "", text)
    text = re.sub(r' style="[^"]*"', lambda match: re.sub("([:;]) ", r"\1", match[0]), text)
    return re.sub(r' (?:d|x|y|transform)="[^"]*"', _rounded, text).encode("utf-8")


def _rounded(match: re.Match[str]) -> str:
    """Return places on the canvas to a hundredth of a pixel, a path without needless spaces."""
    text = re.sub(r"(\.\d\d)\d+", r"\1", match[0])
    if match[0].startswith(" d="):
        text = re.sub(r"\s*([A-Za-z])\s+(?=[-\d.])", r"\1", text[4:-1].strip()).replace("\n", "")
        text = re.sub(r"\s+(?=[A-Za-z])", "", text)
        text = re.sub(r"\s+", ",", text)
        return f' d="{text}"'
    return text


def png_bytes(figure: Figure, title: str) -> bytes:
    """Return a figure as PNG on white under its title, two dots a pixel."""
    return _titled_bytes(figure, title, "png", dpi=144, metadata={"Software": None})


def pdf_bytes(figure: Figure, title: str) -> bytes:
    """Return a figure as PDF on white under its title: the same bytes for the same figure."""
    nothing = dict.fromkeys(("Creator", "Producer", "CreationDate"))
    return _titled_bytes(figure, title, "pdf", metadata=nothing)


def _titled_bytes(figure: Figure, title: str, kind: str, **how: Any) -> bytes:
    width, height = figure.get_size_inches()
    figure.set_size_inches(width, height + 34 / 72)
    figure.suptitle(title, x=0.01, ha="left", fontsize=15, fontweight="bold")
    buffer = io.BytesIO()
    figure.savefig(buffer, format=kind, facecolor=PAPER, **how)
    return buffer.getvalue()


FILES: dict[str, Callable[[Figure, str], bytes]] = {
    "png": png_bytes,
    "svg": lambda figure, _: svg_bytes(figure),
    "pdf": pdf_bytes,
}
"""What writes a figure, with its title where it has room for one, by the ending of the file."""


def dark(svg: bytes) -> bytes:
    """Return an SVG of `svg_bytes` in the colours of the dark theme."""

    def swap(match: re.Match[str]) -> str:
        return match[1] + _DARK.get(match[2], match[2])

    text = svg.decode("utf-8")
    return re.sub(r"((?:fill|stroke):)(#[0-9a-f]{6})", swap, text).encode("utf-8")
