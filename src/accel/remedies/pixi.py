"""A step of pip in the form for pixi, which builds environments from pixi.toml and reverts what pip did. Pure.

pip install 'numpy<2'                        pixi add --pypi 'numpy<2'
pip install torch==2.4.0 --index-url URL     the index is written in pixi.toml; then pixi add --pypi torch==2.4.0
pip uninstall -y triton                      pixi remove --pypi triton
pip list, pip show torch                     pixi list
Source  pixi: reference of its command line, and of [pypi-options] in its manifest
"""

from typing import Final

from accel.model.dataclass import dataclass
from accel.resolver.system_tools import plain_words
from accel.text.shells import Step, Token

_INDEXES: Final = {"--index-url": "extra-index-urls", "--extra-index-url": "extra-index-urls", "-f": "find-links"}
_DROPPED: Final = ("--upgrade", "-U", "--force-reinstall", "--no-cache-dir", "-y", "--yes", "--reinstall")


@dataclass(frozen=True, slots=True)
class PixiStep:
    """step: None if pixi has no counterpart; words: what to write in pixi.toml first."""

    step: Step | None
    words: str | None = None


def by_pixi(step: Step) -> PixiStep:
    """Return a step `pip VERB …` for pixi."""
    verb, rest = step.words[1].raw, list(step.words[2:])
    if verb in ("list", "show", "check"):
        return PixiStep(Step(step.by, tuple(plain_words("pixi", "list"))))
    words, wanted = _told(rest)
    if wanted is None or verb not in ("install", "uninstall"):
        return PixiStep(None, words)
    does = "add" if verb == "install" else "remove"
    return PixiStep(Step(step.by, (*plain_words("pixi", does, "--pypi"), *wanted)), words)


def _told(rest: list[Token]) -> tuple[str | None, list[Token] | None]:
    """Return what pixi.toml has to contain, and the requirements, which are None if an option has no counterpart."""
    wanted: list[Token] = []
    words, known = None, True
    while rest:
        token = rest.pop(0)
        if (key := _INDEXES.get(token.raw)) is not None and rest:
            address = rest.pop(0).value
            entry = f'[{{ url = "{address}" }}]' if key == "find-links" else f'["{address}"]'
            words = f"First add to pixi.toml, under [pypi-options]: {key} = {entry}."
        elif token.raw.startswith("-"):
            known = known and token.raw in _DROPPED
        else:
            wanted.append(token)
    return words, wanted if known and wanted else None
