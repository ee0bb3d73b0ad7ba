"""Recognise what a listing lacks, what was counted in it, and who is in which group.

    $ lsmod | grep peermem                    printed nothing: the module is not loaded
    $ lsmod | grep -c drv_                    0: no such module is loaded
    $ ls /dev | grep kfd                      there is no such node
    $ pip list | grep -i habana               everything with this word in its name is in the output
    $ lspci | grep -c NVIDIA                  3: so many are on the bus
    render:x:110:anna,ollama                  a line of /etc/group or getent

A search counts if a prompt (with or without the next command) or a blank line and more text follows, or if the writer
says that there was no output. At the end of a text the answer may be truncated.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any, Final

from accel.facts.readers.mechanisms.commands import commands_in
from accel.facts.readers.page import Page
from accel.model.observation import Command, Missing, Noted
from accel.text.pattern import pattern

_SEARCH: Final = pattern(
    r"\|\s{0,3}(?:sudo\s{1,3})?[ef]?grep\s{1,3}(?P<options>(?:-[a-zA-Z]{1,6}\s{1,3}){0,4})"
    r"(?:(?P<quote>['\"])(?P<quoted>[^'\"\n]{2,200})(?P=quote)|(?P<bare>[\w.+^$-]{2,60}))"
    r"\s{0,3}(?P<lines>\|\s{0,3}wc -l)?\s{0,3}(?:\((?:nothing|empty|no output)\)\s{0,3})?(?:\s(?P<count>\d{1,4}))?$",
    re.IGNORECASE,
)
_WORD: Final = pattern(r"\s?\^?(?P<word>\w[\w.+: -]{1,60}?)\s?\$?\s?")
_LINES: Final = pattern(r"\|\s{0,3}wc -l(?:\s(?P<count>\d{1,4}))?$")
_FOLDER: Final = pattern(r"\bls\s{1,3}(?:-\w{1,8}\s{1,3}){0,3}(?P<folder>/dev(?:/dri|/accel)?)/?\s{0,3}\|")
_SAID_EMPTY: Final = ("(nothing)", "(empty)", "(no output)", "nothing", "no output")
_PACKAGE: Final = pattern(r"^\s{0,4}(?P<name>[A-Za-z][\w.-]{1,80})(?:\s{1,60}|==|\s?@\s?)(?P<version>\d[\w.+!-]{0,60})")
_QUOTED, _MOST = 400, 60  # characters and lines of a listing
_GROUP: Final = pattern(r"^\s{0,8}(?P<group>[a-z_][\w-]{0,31}):[x*!]?:\d{1,7}:(?P<members>[\w.,@-]{0,2000})\s{0,4}$")
_NAME: Final = pattern(r"[\w-]{1,80}(?:\.[\w-]{1,80}){0,4}", exact_case=True)
_USER: Final = pattern(
    r"(?:^|\s)\[?(?P<user>[a-z_][\w-]{0,31})@[\w.-]{1,60}(?=[:\s~][^\n$#]{0,60}[$%❯➜])", exact_case=True
)


def recognise(page: Page) -> Iterator[Missing | Noted]:
    """Yield what a listing was searched for without success, what it has, and who is in no group of devices."""
    table: Mapping[str, Any] = page.specs.table("language/listings") or {}
    for one in commands_in(page):
        fits = (r for r in table["listings"] if r["tool"] == one.tool and all(w in one.text for w in r.get("with", ())))
        if one.line is not None and one.last_line == one.line and not one.advice and (row := next(fits, None)):
            yield from _searched(page, one, one.line, row)
    if ":x:" in page.text:
        yield from _groups(page, table["device_groups"])
    for row in (page.specs.table("frameworks/requirements") or {}).get("same_module", ()):
        first, *others = row["wheels"]
        if first in page.text and not row.get("harmless") and any(other in page.text for other in others):
            from accel.facts.readers.mechanisms._packages_together import packages_together  # few texts name two

            yield from packages_together(page, row["wheels"])


def _searched(page: Page, command: Command, number: int, row: Mapping[str, Any]) -> Iterator[Missing | Noted]:
    line, piece = page.lines[number - 1].rstrip(), row.get("piece")
    searched = _SEARCH.search(line)
    options = searched["options"].lower() if searched else ""
    parts = re.split(r"\\?\|", searched["quoted"] or searched["bare"]) if searched and "v" not in options else []
    words = [hit["word"] for part in parts if (hit := _WORD.fullmatch(part))]
    counting = _LINES.search(line) or (searched if "c" in options else None)
    counted = (counting["count"] or command.answer or "").strip() if counting else None
    place = page.on_line(number)
    if counted:
        text = " ".join(line.split())[:_QUOTED]
        place["text"] = text if text.endswith(f" {counted}") else f"{text} {counted}"
    if counted and counted.isdecimal() and counted != "0":
        if "counts" in row:
            yield Noted(fact="devices-counted", values=(("place", row["counts"]), ("count", counted)), **place)
        return
    if words and piece == "package" and counted in (None, "0"):
        yield _listed(page, number, "|".join(words).lower())
    if piece is None or not (counted == "0" if counting else _is_empty(page, command)):
        return
    folder = _FOLDER.search(line)
    for word in words:
        name = _library(word) if piece == "library" else f"{folder['folder']}/{word}" if folder else word
        owner = page.specs.components.of_library(name) if piece == "library" else None
        if piece != "node" or folder is not None:
            yield Missing(piece=piece, name=name, component=owner, **place)


def _is_empty(page: Page, command: Command) -> bool:
    """Return whether nothing was printed, and something follows, so that nothing of the output is left out."""
    if command.answer is not None:
        return command.answer.lower() in _SAID_EMPTY
    return any(line.strip() for line in page.lines[command.last_line or 0 :])


def _listed(page: Page, number: int, words: str) -> Noted:
    """Return what a search through the installed packages printed, by name: "habana-pyhlml=1.19.0.561".

    It has the value `complete` unless the text may leave out some of it.
    """
    lines = page.lines[number : number + _MOST]
    packages = [hit for hit in takewhile(bool, map(_PACKAGE.match, lines)) if hit]
    last = number + len(packages)
    found = " ".join(f"{one['name'].lower().replace('_', '-')}={one['version']}" for one in packages)
    complete = (("complete", "yes"),) if any(line.strip() for line in page.lines[last:]) else ()
    text = " ".join(" ".join(page.lines[number - 1 : last]).split())[:_QUOTED]
    values = (("words", words), ("found", found), *complete)
    return Noted(fact="packages-searched", values=values, text=text, line=number, last_line=last)


def _library(word: str) -> str:
    """Return a file name: "libze_loader.so" for "ze_loader"."""
    base = word if word.startswith("lib") else f"lib{word}"
    return base if ".so" in base else f"{base}.so"


def _groups(page: Page, of_devices: Sequence[str]) -> Iterator[Noted]:
    """Yield who is in none of the listed groups of devices, or in all of them: who typed the commands, or is a member
    of another group and is named in the writer's words.
    """
    hits = [(n, hit) for n, line in enumerate(page.lines, 1) if ":" in line[:40] and (hit := _GROUP.match(line))]
    members = {hit["group"]: frozenset(hit["members"].split(",")) - {""} for _, hit in hits}
    wanted = [group for group in of_devices if group in members]
    if not wanted:
        return
    listed = {n for n, _ in hits}
    text = "\n".join(line for n, line in enumerate(page.lines, 1) if n not in listed)
    words = frozenset(_NAME.findall(text))
    typed = {hit["user"] for hit in _USER.finditer(text)} - {"root"}
    others = frozenset().union(*members.values()) - typed - {"root"}
    people = (*sorted(typed), *sorted(others & words))
    inside = [one for one in people if any(one in members[group] for group in wanted)]
    outside = next((one for one in people if one not in inside), None)
    place = page.on_line(next(n for n, hit in hits if hit["group"] == wanted[0]))
    if outside:
        values = (("user", outside), ("group", wanted[0]), ("groups", ",".join(wanted)))
        member = tuple(("member", one) for one in inside[:1])
        yield Noted(fact="user-outside-device-groups", values=values + member, **place)
    elif inside:
        yield Noted(fact="users-in-device-groups", **place)
