"""Text in an SVG drawing."""

from xml.sax.saxutils import escape

from accel.model.printable import printable


def svg_text(text: str) -> str:
    """Return the text escaped for an SVG element, without control characters."""
    return escape(printable(text))
