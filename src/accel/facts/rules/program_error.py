"""An exception or a missing file that has nothing to do with accelerators: the program's own error."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from accel.model.observation import Conflict, ErrorSeen, Fact, Missing, Noted, Observation, Raised, share_a_line
from accel.specs import Specs
from accel.text.pattern import pattern
from accel.text.words import Words
from accel.vendors.contract.rule import Seen, fact_from, rule

_ORDINARY: Final = frozenset(
    (
        *("keyerror", "indexerror", "nameerror", "typeerror", "valueerror", "attributeerror", "zerodivisionerror"),
        *("filenotfounderror", "isadirectoryerror", "notadirectoryerror", "fileexistserror", "unicodedecodeerror"),
        *("unicodeencodeerror", "syntaxerror", "indentationerror", "jsondecodeerror", "stopiteration", "lookuperror"),
        *("recursionerror", "unboundlocalerror", "validationerror", "assertionerror"),
        *("connectionerror", "connecttimeout", "readtimeout", "httperror", "parsererror", "overflowerror", "eoferror"),
    )
)

_REFUSED: Final = "call-refused"
_OF_PROGRAMS: Final = (None, "application")
_OF_AN_OBJECT: Final = pattern(r"^(?:type object )?'[\w.]{1,100}' (?:object )?has no attribute '\w{1,100}'$")
_OWN_ENDINGS: Final = (
    *(".txt", ".json", ".yaml", ".yml", ".toml", ".cfg", ".ini", ".csv", ".md", ".py", ".ipynb", ".sh", ".bat"),
)
_FOREIGN: Final = pattern(
    r"^/(?:usr|opt|etc|proc|sys|dev|lib|lib64|run|var)/|(?:site|dist)-packages|^[A-Za-z]:\\(?:Windows|Program Files)",
)


@rule(
    gives={"program-error": "an error of the program itself, unrelated to an accelerator"},
    triggers=("raised", "missing.file", "call-refused"),
)
def program_error(seen: Seen, specs: Specs) -> Iterator[Fact]:
    """Holds for an exception of a common class whose message names no accelerator software or hardware, with no error,
    conflict or missing part of such software nearby, and for a call that a framework or a command line refuses. Other
    exceptions of other classes (RuntimeError, ImportError, OSError …) are ambiguous and skipped. Class and attribute
    names in Python's AttributeError message do not count as words of the message. A missing file is the program's own
    if it is text or code outside the system's and the packages' folders.
    """
    theirs = (one for kind in (ErrorSeen, Conflict, Missing) for one in seen.of(kind) if _is_theirs(one, specs))
    noted = seen.of(Noted)
    refused = [one for one in noted if one.fact == _REFUSED]
    known: list[Observation] = [*theirs, *(one for one in noted if one.fact != _REFUSED)]
    for raised in seen.of(Raised):
        if any(share_a_line(one, raised) for one in refused) or (
            raised.exception.rsplit(".", 1)[-1].lower() in _ORDINARY
            and not any(share_a_line(one, raised) for one in known)
            and not names_accelerator(_OF_AN_OBJECT.sub("", raised.message), specs)
        ):
            yield fact_from("program-error", raised, exception=raised.exception)
    for one in refused:  # a title repeats the message without its class
        if not any(share_a_line(one, raised) for raised in seen.of(Raised)):
            yield fact_from("program-error", one)
    for absent in seen.of(Missing):
        if (
            absent.piece == "file"
            and absent.component is None
            and _is_own_file(absent.name)
            and not any(share_a_line(absent, raised) for raised in seen.of(Raised))
        ):
            yield fact_from("program-error", absent, exception="FileNotFoundError")


def _is_own_file(name: str) -> bool:
    return name.lower().endswith(_OWN_ENDINGS) and not _FOREIGN.search(name)


def names_accelerator(text: str, specs: Specs) -> bool:
    """Return whether a text names accelerators or their software: specs/language/layers.yaml, "accelerator", and the
    modules of specs/*/components.yaml, in an import or by a name that is no word ("torch_musa").
    """
    wanted, words = specs.hints.accelerator_words, Words(text).words
    if any(word in wanted or any(word.startswith(start) for start in wanted["*"]) for word in words):
        return True
    named = (word for before, word in pairwise(("", *words)) if "_" in word or before == "import")
    return any(specs.components.layer(specs.components.of_module(word)) not in _OF_PROGRAMS for word in named)


def _is_theirs(one: Observation, specs: Specs) -> bool:
    """Return whether an observation is about software that accel knows; system error numbers may be any program's."""
    if isinstance(one, ErrorSeen):
        return specs.errors.layer(one.domain, one.code) != "application"
    return getattr(one, "component", None) is not None
