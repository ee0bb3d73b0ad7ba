"""The installer that the user works with, and commands of words for it. Pure.

pip                                  where nothing else shows
uv pip                               uv was run, or answered
python_embeded\\python.exe -m pip     the traceback goes through a portable Python on Windows
"""

import re
import shlex
from typing import TYPE_CHECKING, Final

from accel.model.observation import Command, Offered, Raised

if TYPE_CHECKING:
    from accel.facts.questions import Facts

_EMBEDDED: Final = re.compile(r"(?:^|[\\/])(python_embedd?ed|python_standalone)[\\/]", re.IGNORECASE)
_SAFE: Final = re.compile(r"[A-Za-z0-9][\w.+!\-\[\],]{0,100}(?:[<>=!~]=?[\w.+!*,<>=]{1,60})?|--?[a-z][\w-]{0,40}")
_INDEX: Final = re.compile(r"https?://[\w.-]{1,100}(?::\d{1,5})?(?:/[\w.+~%-]{1,80}){0,12}/?")


def pip_of(facts: "Facts") -> str:
    """Return the words by which the user's pip is called."""
    for one in facts.snapshot.observations:
        if isinstance(one, Raised):
            for frame in one.frames:
                if found := _EMBEDDED.search(frame.file):
                    return f"{found[1]}\\python.exe -m pip"
        if isinstance(one, Command) and one.tool == "uv" and not one.advice:
            return "uv pip"
        if isinstance(one, Offered) and "hint:" in one.text and "`" in one.text:
            return "uv pip"
    return "pip"


def pip_install(facts: "Facts", *words: str, index: str | None = None, extra: str | None = None) -> str | None:
    """Return the command that installs these with the user's pip; None if a word or an index is none.

    index  alone; extra: beside the usual one
    """
    addresses = [address for address in (index, extra) if address is not None]
    if not all(_SAFE.fullmatch(word) for word in words) or not all(_INDEX.fullmatch(a) for a in addresses):
        return None
    options = ["--index-url", index] if index else ["--extra-index-url", extra] if extra else []
    return f"{pip_of(facts)} install {shlex.join([*words, *options])}"
