"""The colours of the screen: the terminal's own sixteen, so that it is readable in dark and light themes."""

from functools import lru_cache

from rich.segment import Segment
from rich.style import Style

_NAMED = {
    "name": "bold reverse",
    "title": "bold",
    "head": "bold cyan",
    "sorted": "bold reverse cyan",
    "rule": "dim",
    "id": "bold",
    "key": "bold cyan",
    "button": "reverse",
    "box": "cyan",
    "curve": "cyan",
    "dim": "dim",
    "good": "green",
    "warn": "bold yellow",
    "bad": "bold red",
    "mark": "underline",
    "select": "reverse",
}


@lru_cache(8192)
def segment(text: str, names: str, colour: bool = True) -> Segment:
    """Return a text in a style; without colour it keeps bold, dim, underline and reverse."""
    return Segment(text, style_of(names, colour))


@lru_cache(256)
def style_of(names: str, colour: bool = True) -> Style:
    """Return the style of a span: names of the palette, where later ones take precedence."""
    style = Style.combine([Style.null(), *(Style.parse(_NAMED[name]) for name in names.split())])
    return style if colour else style.without_color
