"""An installation on a machine without access to an index: download elsewhere, copy, install from a folder. Pure.

pip install torch==2.9.1 --index-url URL     pip install --no-index --find-links wheels torch==2.9.1
                                             in words: pip download -d wheels torch==2.9.1 --index-url URL, elsewhere

Only steps that install by pip are changed; for conda, apt and images there are only words.
"""

from typing import Final

from accel.model.dataclass import replace
from accel.model.diagnosis import Remedy
from accel.resolver.system_tools import plain_words
from accel.text.pattern import pattern
from accel.text.shells import Step, Token, steps_of, written

_INDEXES: Final = ("--index-url", "--extra-index-url", "-f", "--index-strategy")
_ALONE: Final = ("--force-reinstall", "--no-cache-dir", "--no-cache", "--upgrade", "-U", "--user")
_FETCHES: Final = pattern(r"(?:^|[\s;&|(])(?:conda|mamba|apt|apt-get|dnf|yum|zypper|git|docker|podman|uv) [a-z]")
_FOLDER: Final = "wheels"


def as_fetched_elsewhere(remedy: Remedy) -> Remedy:
    """Return an installing remedy with its files downloaded on another machine; others unchanged."""
    if remedy.command is None:
        return remedy
    steps = steps_of(remedy.command)
    if steps is None or not any(_verb_at(step) for step in steps):
        told = " This machine reaches no index: download the packages on one that does, and copy them here."
        return replace(remedy, text=remedy.text + told) if _FETCHES.search(remedy.command) else remedy
    fetched = " && ".join(written([_fetched(step)]) for step in steps if _verb_at(step))
    text = (
        f"{remedy.text} This machine reaches no index: on one that does, with the same system and Python, "
        f"download the files with  {fetched}  and copy the folder {_FOLDER} here."
    )
    return replace(remedy, text=text, command=written([_from_folder(s) if _verb_at(s) else s for s in steps]))


def _verb_at(step: Step) -> int | None:
    """Return the position of "install" in a step of pip; None for another step."""
    raw = [token.raw for token in step.words]
    at = next((place for place, word in enumerate(raw[:5]) if word == "install"), None)
    return at if at and raw[at - 1].rsplit("/", 1)[-1].startswith(("pip", "%pip")) else None


def _fetched(step: Step) -> Step:
    at = _verb_at(step) or 0
    asked = [token for token in step.words[at + 1 :] if token.raw not in _ALONE]
    return Step("", (*plain_words("pip", "download", "-d", _FOLDER), *asked))


def _from_folder(step: Step) -> Step:
    at = _verb_at(step) or 0
    kept: list[Token] = []
    skip = False
    for token in step.words[at + 1 :]:
        if skip or token.raw in _INDEXES:
            skip = not skip
            continue
        kept.append(token)
    return Step(step.by, (*step.words[: at + 1], *plain_words("--no-index", "--find-links", _FOLDER), *kept))
