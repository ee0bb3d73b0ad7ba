"""Recognise installers' answers to unmet requirements: the package, and what the index has instead.

ERROR: Could not find a version that satisfies the requirement torch==2.7.0 (from versions: 2.2.0, 2.2.1)      pip
ERROR: No matching distribution found for torch==2.7.0
ERROR: Ignored the following versions that require a different python version: 0.5.0 Requires-Python <3.12
ERROR: torch-2.0.1-cp310-cp310-linux_x86_64.whl is not a supported wheel on this platform.
Because there is no version of torch==2.4.0+cu118 and you require …                                            uv
Because only torch<=2.2.2 is available and …       Because torch==2.7.0 has no wheels with a matching Python ABI tag
hint: torch was found on https://…, but not at the requested version
PackagesNotFoundError: The following packages are not available from current channels:

  - cudatoolkit=11.8   conda
nothing provides requested pytorch 2.0*            Unable to find installation candidates for torch (2.4.0)   poetry
"""

import re
from collections.abc import Iterator
from typing import Any, Final

from accel.facts.readers.mechanisms.commands import commands_in
from accel.facts.readers.page import Page
from accel.model.dataclass import replace
from accel.model.observation import Offered
from accel.text.pattern import Pattern, pattern
from accel.text.versions import normalised

_NAME: Final = (
    r"(?P<name>[A-Za-z][\w.-]{0,80})(?:\[[\w,.\s-]{1,60}\])?(?:\{[^{}]{1,200}\})?"  # {platform_system == 'Linux'}
)
_WANTS: Final = r"(?P<wants>\s?[<>=!~^]{1,3}\s?[\w.*+!<>=~,-]{1,80}(?:,\s?[<>=!~^]{1,3}[\w.*+!-]{1,40}){0,3})?"
_TICK: Final = r"[`'\"]?"
_BEFORE: Final = 25  # maximum words before a pattern's word at which a match may begin
# A rare word that every match contains, to look for first; the pattern; what is missing.
_FORMS: Final[tuple[tuple[str, Pattern, str | None], ...]] = tuple(
    (word, pattern(form.replace(" ", r"\s{1,60}"), re.IGNORECASE), reason)
    for word, form, reason in (
        (
            "satisfies",
            rf"\bcould not find a version that satisfies the requirement {_NAME}{_WANTS}"
            r"(?:;[^(\n]{1,80})?(?:\s{0,9}\(from (?!versions)(?P<by>[^()\n]{1,120})\))?(?:;[^(\n]{1,80})?"
            r"(?:\s{0,9}\(from versions:?(?P<versions>[^()]{0,60000}?)(?:\)|(?=\s{1,60}ERROR: No matching)))?",
            None,
        ),
        ("distribution", rf"\bno matching distribution found for {_NAME}{_WANTS}(?=[\s.;(]|$)", None),
        ("distributions", rf"\bno matching distributions found for {_NAME}{_WANTS}(?=[\s.;(]|$)", None),
        (
            "supported",
            r"(?<![\w-])(?P<name>[A-Za-z]\w{0,60}(?:[.-]\w{1,40}){0,4}?)-(?P<wants>\d[\w.+!]{0,60})(?:-\d\w{0,20})?"
            r"-(?P<tags>(?:cp|py|pp|abi)[\w.]{1,80}-[\w.]{1,80}-[\w.]{1,120})\.whl is not a supported wheel",
            "platform",
        ),
        (
            "there",
            rf"\bthere (?:is|are) no versions? of {_TICK}{_NAME}{_WANTS}{_TICK}(?= and\b| so\b|,|\s{{0,9}}$)",
            "version",
        ),
        (
            "available",
            rf"\bonly {_TICK}{_NAME}(?P<versions>[<>=!~]{{1,2}}[\w.*+!<>=,-]{{1,80}}){_TICK} is available",
            "version",
        ),
        (
            "following",
            rf"\bonly the following versions of {_NAME} are available:"
            r"(?P<versions>(?:\s{1,60}[A-Za-z][\w.-]{0,80}[<>=!~][\w.*+!<>=~,-]{1,80}){1,400})",
            "version",
        ),
        ("found", rf"{_NAME} was not found in the (?:package registry|provided package locations|cache)", "package"),
        (
            "matching",
            rf"{_NAME}{_WANTS} has no wheels with a matching Python (?:ABI|version|implementation) tag"
            r"(?: \(e\.g\.,\s{0,9}`(?P<tags>[\w.-]{1,80}))?",
            "python",
        ),
        (
            "unusable",
            rf"{_NAME}{_WANTS} is unusable because no wheels are available with a matching Python"
            r" (?:ABI|version|implementation)",
            "python",
        ),
        ("platform", rf"{_NAME}{_WANTS} has no (?:wheels with a matching|compatible) platform tag", "platform"),
        ("wheels", rf"{_NAME}{_WANTS} has no (?:usable|built|compatible) wheels?\b", "platform"),
        (
            "wheels",
            rf"{_NAME}{_TICK}(?: \(v(?P<wants>[\w.+!-]{{1,60}})\))? only has wheels"
            r" (?:for|with) the following (?:platforms?|Python[\w\s]{1,30}tags?):(?P<tags>[^\n]{1,600})",
            "platform",
        ),
        ("found", rf"{_NAME}{_TICK} was found on (?P<index>https?://[^\s,`]{{1,200}}), but not at", "version"),
        (
            "wheels",
            rf"\bonly found wheels for {_TICK}{_NAME}{_TICK}(?: \(v(?P<wants>[\w.+!-]{{1,60}})\))? with the following"
            r" Python (?:ABI|version|implementation) tags?:(?P<tags>[^\n]{1,400})",
            "python",
        ),
        (
            "distribution",
            rf"\bdistribution {_TICK}{_NAME}{_WANTS}(?: @ [^\s`]{{1,200}})?{_TICK} can'?t be installed because it"
            r" doesn'?t have a source distribution or wheel for the current platform",
            "platform",
        ),
        (
            "candidates",
            r"\bunable to find installation candidates for (?P<name>[\w.-]{1,80}) \((?P<wants>[\w.+!-]{1,60})\)",
            "platform",
        ),
        (
            "depends",
            r"\bdepends on (?P<name>[\w.-]{1,80}) \((?P<wants>[^()\n]{1,60})\) which doesn'?t match any versions",
            "version",
        ),
        (
            "provides",
            rf"\bnothing provides (?:requested )?{_NAME}(?P<wants> [\w.*<>=,!|-]{{1,60}})?(?=[\s,]|$)",
            "package",
        ),
        ("exist", rf"\bpackage {_NAME}{_WANTS} does not exist \(perhaps", "package"),
        ("matching", rf"\bcould not find a matching version of package {_NAME}\b", "version"),
    )
)
_CONDA: Final = pattern(
    r"packages\s{1,9}are\s{1,9}(?:not\s{1,9}available|missing)[^:-]{0,80}:?\s{1,20}"
    r"(?P<list>(?=-[ \t])(?:-[ \t]{1,3}\S[^\n]{0,119}\n\s{0,20}){0,40}(?:-[ \t]{1,3}\S[^\n]{0,119})?)",
    re.IGNORECASE,
)
_CONDA_ITEM: Final = pattern(r"-\s{1,3}(?:[\w./-]{1,60}::)?(?P<name>[\w.-]{1,80})(?P<wants>[ =<>!~][^\n]{1,80})?")
_OTHER_PYTHON: Final = pattern(
    r"ignored\s{1,9}the\s{1,9}following\s{1,9}versions\s{1,9}that\s{1,9}require\s{1,9}a\s{1,9}different\s{1,9}python",
    re.IGNORECASE,
)
_INDEXES: Final = pattern(r"\blooking in (?:indexes|links):\s{1,3}(?P<list>https?://[^\n]{1,600})", re.IGNORECASE)
_VERSION: Final = pattern(r"(?:[<>=!~]{1,2})?\d[\w.+!*-]{0,80}")
_TAG: Final = pattern(
    r"\b(?:cp\d\w{0,10}|py\d\w{0,10}|abi3|none|(?:many|musl)?linux\w{1,40}|win\w{1,20}|macosx\w{1,40})\b"
)
_MOST: Final = 60


def recognise(page: Page) -> Iterator[Offered]:
    """Yield what is offered for each package once, merging several answers about one requirement."""
    found: dict[str, Offered] = {}
    for one in _answers(page):
        known = found.get(one.package)
        found[one.package] = one if known is None else _joined(known, one)
    yield from list(found.values())[:_MOST]


def _answers(page: Page) -> Iterator[Offered]:
    found = [*_matches(page)]
    index = _index(page) if found else None
    other_python = bool(found) and bool(_OTHER_PYTHON.search(page.text))
    for match, reason in found:
        groups: dict[str, Any] = match.groupdict()
        versions, tags = groups.get("versions"), groups.get("tags")
        yield Offered(
            package=_normal(groups["name"]),
            wants=_plain(groups.get("wants")),
            versions=None if versions is None else tuple(_VERSION.findall(versions)),
            reason="python" if reason is None and other_python else reason,  # type: ignore[arg-type]
            tags=tuple(dict.fromkeys(_TAG.findall(tags.lower()))) if tags else (),
            index=groups.get("index") or index,
            by=" ".join((groups.get("by") or "").split()) or None,
            **page.placed(match.start(), match.end()),
        )
    yield from _of_conda(page)


def _matches(page: Page) -> "Iterator[tuple[re.Match[str], str | None]]":
    words, text = page.words, page.text
    for word, form, reason in _FORMS:
        done = -1
        for place in words.places.get(word, ())[:_MOST]:
            at = words.starts[place]
            if at < done:
                continue
            for start in words.starts[max(0, place - _BEFORE) : place + 1]:
                match = form.match(text, start)
                if match and at < match.end():
                    done = match.end()
                    yield match, reason
                    break


def _of_conda(page: Page) -> Iterator[Offered]:
    text = page.text if "packages" in page.words.places else ""
    for listed in _CONDA.finditer(text):
        for item in _CONDA_ITEM.finditer(listed["list"]):
            start = listed.start("list") + item.start()
            yield Offered(
                package=_normal(item["name"]),
                wants=_plain(item["wants"]),
                reason="package",
                **page.placed(start, start + len(item[0])),
            )


def _joined(one: Offered, other: Offered) -> Offered:
    return replace(
        one,
        wants=one.wants or other.wants,
        versions=other.versions if one.versions is None else one.versions,
        reason=one.reason or other.reason,
        tags=one.tags or other.tags,
        index=one.index or other.index,
        by=one.by or other.by,
        last_line=max(one.last_line or 0, other.last_line or 0) if _adjacent(one, other) else one.last_line,
    )


def _adjacent(one: Offered, other: Offered) -> bool:
    return other.line is not None and one.last_line is not None and one.last_line < other.line <= one.last_line + 1


def _index(page: Page) -> str | None:
    """Return the index that was searched: from pip's "Looking in indexes", else from the last command naming one."""
    if listed := _INDEXES.search(page.text):
        return listed["list"].split(",")[0].strip()
    for command in reversed(commands_in(page)):
        for option in command.options:
            name, _, value = option.partition("=")
            if name.lower() in ("--index-url", "-i", "--extra-index-url", "--index", "-f", "--find-links") and value:
                return value
    return None


def _plain(wants: str | None) -> str | None:
    """Return "2.7.0" for "==2.7.0", ">=2.1,<3" for ">=2.1,<3", None for nothing."""
    bare = "".join((wants or "").split()).rstrip(".,;")
    exact = bare.lstrip("=")
    return (exact if not set(exact) & set("<>=!~^") else bare) or None


def _normal(name: str) -> str:
    return normalised(name.rstrip(".-"))
