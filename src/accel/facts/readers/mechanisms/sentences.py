"""Find the sentences of the tables: errors, inference rules, and common ways in which programs report faults."""

import re
from collections.abc import Callable, Iterator
from typing import Any, Final

from accel.facts.readers.mechanisms.exceptions import exception_at, module_of
from accel.facts.readers.page import Page
from accel.model.dataclass import field_names, replace
from accel.model.observation import Conflict, ErrorSeen, Experiment, Limit, Missing, Noted, Observation
from accel.specs.components import Components
from accel.specs.indexing import own_denials
from accel.text.pattern import pattern
from accel.text.phrase import Match
from accel.text.versions import relation

_LIBRARY: Final = pattern(r"\.(?:so|dll|dylib|pyd|lib)(?:$|[.\d_-])|^-l\w", re.IGNORECASE)
_REQUIREMENT: Final = pattern(r"(?P<name>[A-Za-z][\w.-]{0,80})(?P<bounds>[<>=!~^].*)")
_NODES: Final = "/dev"
_PROSE: Final = pattern(
    r"^[\u2e80-\u9fff\uac00-\ud7af\uff00-\uffef]{1,40}(?=[A-Za-z])"
)  # written to a name without a space
_ONCE: Final = frozenset(("missing", "conflict", "limit"))  # kinds of which a longer sentence covers the shorter


def recognise(page: Page) -> Iterator[Observation]:
    """Yield an observation for each sentence found; of overlapping ones of a kind the longest counts."""
    once: dict[str, list[tuple[int, int, Observation]]] = {}
    for tag, match in page.phrases:
        make = _MAKERS.get(tag[0])
        made = make(page, tag, match) if make else None
        if made is None:
            continue
        if tag[0] in _ONCE:
            once.setdefault(tag[0], []).append((match.start, match.end, made))
        else:
            yield made
    for kind, places in once.items():
        kept = _longest(places)
        yield from _without_importers(kept) if kind == "missing" else kept


def _longest(places: list[tuple[int, int, Observation]]) -> Iterator[Observation]:
    """Yield those inside no other, and of equal ones the first; of two with one meaning on a line, the fuller."""
    kept: dict[tuple[object, ...], Observation] = {}
    reached = -1
    for start, end, made in sorted(places, key=lambda place: (place[0], -place[1])):
        if end <= reached:
            continue
        reached = end
        key = (made.line, made.piece, made.name.lower()) if isinstance(made, Missing) else (start,)
        known = kept.get(key)
        if known is None or _told(made) > _told(known):
            kept[key] = made
    yield from kept.values()


def _without_importers(found: Iterator[Observation]) -> Iterator[Observation]:
    """Yield what is missing, without modules that fail to import only because of another one that the line names.

    "Failed to import module te_fusion.x. ModuleNotFoundError: No module named 'attr'": te_fusion is there; attr is not.
    """
    kept: list[Observation] = []
    for one in found:
        before = kept[-1] if kept else None
        if isinstance(one, Missing) and isinstance(before, Missing) and _is_why(one, before):
            importer = before.component
            one = replace(one, wanted_by=one.wanted_by or before.name, by_component=one.by_component or importer)
            kept.pop()
        kept.append(one)
    yield from kept


def _is_why(one: Missing, before: Missing) -> bool:
    apart = one.name.partition(".")[0] != before.name.partition(".")[0]
    return one.line == before.line and {one.piece, before.piece} == {"module"} and apart


def _told(one: Observation) -> int:
    """Return how many fields of an observation have a value."""
    return sum(getattr(one, name) is not None for name in field_names(one))


def _noted(page: Page, tag: list[Any], match: Match) -> Noted | None:
    _, fact, backend, constants = tag
    if fact in page.specs.inference["deniable"] and own_denials().denies(page.text, match.start, match.end):
        return None
    values = {**dict(constants), **match.values}
    index = values.get("index", "")
    device = f"{backend}:{int(index)}" if backend and index.isdecimal() else None
    return Noted(fact=fact, values=tuple(values.items()), device=device, **page.placed(match.start, match.end))


def _error(page: Page, tag: list[Any], match: Match) -> ErrorSeen:
    return ErrorSeen(domain=tag[1], code=tag[2], call=match.values.get("call"), **page.placed(match.start, match.end))


def _missing(page: Page, tag: list[Any], match: Match) -> Missing | None:
    given = {**tag[1], **match.values}
    name, piece = given.pop("name", "").strip("'\"`‘’“”"), given["piece"]
    if piece == "library":
        name = _PROSE.sub("", name)
    if not name or name.isdecimal() or (piece == "library" and not _LIBRARY.search(name)):
        return None
    lacks = given.pop("same", "").strip("'\"`")
    if piece == "library" and lacks and _stem(lacks) != _stem(name) and _LIBRARY.search(lacks):
        name, given["wanted_by"] = lacks, name  # "Could not load library A. Error: B: cannot open shared object file"
    if piece in ("package", "system-package") and (requirement := _REQUIREMENT.fullmatch(name)):
        name = requirement["name"]
    if piece == "node" and given.get("inside") == _NODES and not name.startswith("/"):
        name, given["inside"] = f"{_NODES}/{name}", None
    is_node = name.lower().startswith(f"{_NODES}/")
    if piece == "node" and not is_node:
        return None
    if piece == "file" and is_node:
        piece = "node"
    component = given.get("component") or _owner(page.specs.components, piece, name, given.get("inside"))
    if given.get("known") and component is None:
        return None
    place = page.placed(match.start, match.end)
    if component and "=>" in place["text"] and page.specs.components.get(component, "in_memory"):
        return None  # ldd looks on disk; at run time it is already loaded, because the package loads it first
    raised = exception_at(page, place["line"])
    wanted_by = given.get("wanted_by") or (_importer(raised.frames) if raised else None)
    return Missing(
        piece=piece,
        name=name,
        component=component,
        wanted_by=wanted_by,
        by_component=_component_of_file(page, wanted_by) if wanted_by else None,
        inside=given.get("inside"),
        **place,
    )


def _stem(library: str) -> str:
    """Return a library's name without its folder and version: "libcudnn_cnn" for "libcudnn_cnn.so.9.1"."""
    return library.rpartition("/")[2].partition(".")[0]


def _owner(components: Components, piece: str, name: str, inside: str | None) -> str | None:
    """Return the component that a missing piece belongs to; for an attribute, the one that lacks it."""
    if piece == "attribute":
        return components.of_module(inside) if inside else None
    if piece == "library" and name[:2].lower() == "-l":
        return components.of_library(f"lib{name[2:]}.so")
    owners: dict[str, Callable[[str], str | None]] = {
        "library": components.of_library,
        "file": components.of_file,
        "node": components.of_file,
        "header": components.of_file,
        "symbol": components.of_symbol,
        "version": components.of_symbol,
        "module": components.of_module,
        "command": components.of_command,
        "package": components.of_package,
        "system-package": components.of_package,
        "kernel-module": components.of_kernel_module,
    }
    return owners[piece](name)


def _importer(frames: Any) -> str | None:
    """Return the innermost installed file of a traceback."""
    return next((frame.file for frame in reversed(frames) if frame.module), None)


def _component_of_file(page: Page, path: str) -> str | None:
    components = page.specs.components
    module = module_of(path)
    return (
        (components.of_module(module) if module else None) or components.of_library(path) or components.of_module(path)
    )


def _conflict(page: Page, tag: list[Any], match: Match) -> Conflict | None:
    given = {**tag[1], **match.values}
    components = page.specs.components
    wanted_name, wants = _split(given.get("wants"))
    had_name, has = _split(given.get("has"))
    component = given.get("component") or had_name or wanted_name
    if component is None:
        return None
    known = components.named(component) or component.lower()
    has, wants = components.version(known, has), components.version(known, wants)
    by, by_version = _split(given.get("by"))
    by, by_version = by or by_version, by_version if by else None
    compared = relation(has, wants)
    if compared == "same" and given.get("unless_fits") and not _differ_in_build(has, wants):
        return None
    return Conflict(
        component=known,
        has=has,
        wants=wants,
        by=(components.named(by) or by.lower()) if by else None,
        by_version=given.get("by_version") or by_version,
        relation=given.get("relation", "other") if compared is None or compared == "same" else compared,
        **page.placed(match.start, match.end),
    )


def _differ_in_build(has: str | None, wants: str | None) -> bool:
    """Return whether both versions name a build, "2.1.0+cu121", and the builds differ."""
    builds = {version.partition("+")[2] for version in (has or "", wants or "")}
    return len(builds) > 1 and "" not in builds


def _split(printed: str | None) -> tuple[str | None, str | None]:
    """Split a requirement into a name and a version or bounds: "torch==2.6.0" into "torch", "2.6.0"."""
    found = _REQUIREMENT.fullmatch(printed) if printed else None
    if printed is None or found is None:
        return None, printed
    bounds = found["bounds"]
    exact = bounds.removeprefix("===").removeprefix("==")
    return found["name"], exact if exact != bounds and not set(exact) & set("<>=!~^,*") else bounds


def _experiment(page: Page, tag: list[Any], match: Match) -> Experiment:
    given = {**tag[1], **match.values}
    return Experiment(
        condition=given.get("condition", ""),
        relation=given.get("relation", "with"),
        outcome=given.get("outcome", "works"),
        **page.placed(match.start, match.end),
    )


def _limit(page: Page, tag: list[Any], match: Match) -> Limit | None:
    given = {**tag[1], **match.values}
    text = given.get("value", "").lower()
    if text in ("unlimited", "infinity", "-1", "max"):
        return Limit(resource=given["resource"], value=None, **page.placed(match.start, match.end))
    if not text.isdecimal():
        return None
    scale = int(given.get("unit_bytes", 1))
    return Limit(resource=given["resource"], value=int(text) * scale, **page.placed(match.start, match.end))


_MAKERS: Final[dict[str, Callable[[Page, list[Any], Match], Observation | None]]] = {
    "noted": _noted,
    "error": _error,
    "missing": _missing,
    "conflict": _conflict,
    "experiment": _experiment,
    "limit": _limit,
}
