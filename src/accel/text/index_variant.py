"""The build that an index of PyTorch's wheels is for, by the folder in its address. Pure."""

from typing import Final

from accel.text.pattern import pattern

_FOLDER: Final = pattern(r"/whl/(?:nightly/|test/)?(?P<variant>cu\d{2,3}|cpu|rocm\d[\d.]{0,5}|xpu)(?:/|$|_)")


def index_variant(address: str) -> str | None:
    """Return the label of the builds; None if the address names none.

    >>> index_variant("--index-url=https://mirror.example/whl/nightly/cu129"), index_variant("https://a.example/simple")
    ('cu129', None)
    """
    found = _FOLDER.search(address)
    return found["variant"].lower().rstrip(".") if found else None
