"""The installer that the user works with, and commands of words for it. Pure.

pip                                  where nothing else shows
uv pip                               uv was run, or answered
python_embeded\\python.exe -m pip     the traceback goes through a portable Python on Windows
"""

import re
from typing import TYPE_CHECKING, Final

from accel.contract.command import Word, command_line, url_word
from accel.model.observation import Command, Offered, Raised

if TYPE_CHECKING:
    from accel.facts.questions import Facts

_EMBEDDED: Final = re.compile(r"(?:^|[\\/])(python_embedd?ed|python_standalone)[\\/]", re.IGNORECASE)


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


def pip_install(
    facts: "Facts", *wanted: "Word | None", index: str | None = None, extra: str | None = None
) -> str | None:
    """Return the command that installs these with the user's pip; None if a word or an index is none.

    index  alone; extra: beside the usual one. A page of wheels (.html) is given as one
    """
    words: list[str | Word | None] = [pip_of(facts), "install", *wanted]
    for option, address in (("--index-url", index), ("--extra-index-url", extra)):
        if address is not None:
            page = address.endswith(".html")
            words += ["-f" if page else option, url_word(address)]
    return command_line(*words)
