"""Packages compiled for another torch: its companions, and other projects' add-ons."""

import re
from collections.abc import Iterator
from typing import Any, Final

from accel.facts.readers.mechanisms.exceptions import module_of
from accel.model.observation import Conflict, Fact, Missing, Raised
from accel.specs import Specs
from accel.text.compiled_file import folder_in_cache, folder_of_project, module_in
from accel.text.pattern import pattern
from accel.vendors.contract.rule import Seen, fact_from, rule

COMPANION: Final = "companion-built-for-other-torch"
ADD_ON: Final = "add-on-built-for-other-torch"
DECLARED: Final = "other-torch-declared"
_MODELS: Final = ("transformers", "diffusers", "accelerate", "peft")  # see torch-too-old-for-transformers
_COMPILED: Final = pattern(r"\b(?:built|compiled|build\.torch_version|with CUDA \d{3,5})\b")
_FILE: Final = pattern(r"\.(?:so|pyd|dll|dylib)")
_CUT_OFF: Final = pattern(r"[A-Za-z]{0,12}", exact_case=True)  # a word of prose: the symbol was omitted
_FOR_TORCH: Final = pattern(r"_(?:py)?torch_\d{1,2}\.\d{1,2}[.\d]{0,6}\.(?:so|dll|dylib)")  # a file for each torch


@rule(
    gives={
        COMPANION: "torchvision or torchaudio was built for another torch",
        ADD_ON: "a compiled add-on was built for another torch, another build of it, or another Python",
        DECLARED: "a package declares another torch than the one that is installed",
    },
    triggers=("missing", "conflict", "windows-dll-unloadable", "add-on-procedure-missing"),
)
def add_ons(seen: Seen, specs: Specs) -> Iterator[Fact]:
    """Holds if a package's file lacks a torch symbol, operator, library or name; if an add-on needs another major of a
    runtime library; if Triton lacks a name; for a symbol of another vendor's torch plugin. The file's owner determines
    the package. torch's own files, and those of other vendors' plugins, are skipped.
    """
    table = specs.table("frameworks/add_ons") or {}
    noted = {fact.line for fact in seen.facts("torchvision-image-unloaded")}
    installed = {p.name for e in seen.snapshot.environments for p in e.packages or ()}
    for one in seen.of(Missing):
        if one.line in noted or not _is_of_torch(one, table, specs, seen):
            continue
        owner = _owner(one, seen, table, specs)
        file = one.name if one.piece == "library" and _FOR_TORCH.search(one.name) else one.wanted_by
        name = _distribution(file, owner, table)
        if {owner, name} & {*table.get("plugins", ()), "torch", *_MODELS}:
            continue
        if owner is None and one.piece == "attribute":
            owner = "torchvision" if "torchvision" in installed else None
            name = name or owner
        kind = COMPANION if owner in table.get("companions", ()) else ADD_ON
        yield fact_from(kind, one, package=name, name=one.name, component=one.component, file=file)
    for fact in seen.facts("windows-dll-unloadable", "add-on-procedure-missing"):
        yield from _of_file(fact, table, specs)
    for conflict in seen.of(Conflict):
        yield from _of_conflict(conflict, installed, table)


def _torch_is_here(seen: Seen) -> bool:
    """Return whether the text mentions torch: without it, a missing CUDA library does not point to a torch build."""
    named = any(p.name == "torch" for e in seen.snapshot.environments for p in e.packages or ())
    told = any(f.name == "torch" for e in seen.snapshot.environments for f in e.frameworks)
    return named or told or any(fact.value("subject") == "torch" for fact in seen.facts("spoken-of"))


def _is_of_torch(one: Missing, table: dict[str, Any], specs: Specs, seen: Seen) -> bool:
    """Return whether it is torch's, Triton's, an add-on's operator, or a library that differs between torch builds."""
    add_ons = table.get("add_ons", ())
    if one.piece == "symbol":
        if one.component == "python":
            return one.by_component in add_ons or one.by_component in table.get("companions", ())
        of_torch = ("torch", *table.get("plugins", ()))
        if one.component is None and one.by_component in add_ons and _CUT_OFF.fullmatch(one.name):
            return True
        return one.component in of_torch or ("::" in one.name and one.component in add_ons)
    if one.piece == "library":
        if one.component == "torch":
            return _FILE.search(one.name) is not None and not one.name.lower().endswith(".dll")
        if _FOR_TORCH.search(one.name):
            return True
        known = one.by_component is not None and one.by_component not in add_ons
        known = known or (one.by_component is None and not _torch_is_here(seen))
        return one.component in table.get("libraries", ()) and one.wanted_by is not None and not known
    if one.piece == "attribute":
        by_add_on = one.by_component is None or one.by_component in (*add_ons, *table.get("companions", ()))
        return one.component == "triton" or (
            one.component == "torch" and by_add_on and (one.inside or "").lower() == "torch.library"
        )
    return one.piece == "module" and one.component == "triton" and "." in one.name


def _owner(one: Missing, seen: Seen, table: dict[str, Any], specs: Specs) -> str | None:
    """Return the package to reinstall: the owner of the file that lacks it, of the frame, or of the name."""
    if one.component == "triton" or ("::" in one.name and one.component in table.get("add_ons", ())):
        return one.component
    if one.by_component is not None or one.wanted_by is not None:
        return one.by_component
    components = specs.components
    for raised in seen.of(Raised):
        if raised.line is not None and one.line is not None and raised.line <= one.line <= (raised.last_line or 0):
            modules = [frame.module for frame in reversed(raised.frames) if frame.module]
            return next((found for module in modules if (found := components.of_module(module))), None)
    return None


def _distribution(file: str | None, owner: str | None, table: dict[str, Any]) -> str | None:
    """Return the package to install: the one of a folder or file, else the component.

    A file in a project's own folder is that project's, even if other packages have a file of that name.
    """
    if file is not None and (folder_of_project(file) or folder_in_cache(file)):
        return module_in(file).replace("_", "-").lower()
    folders: dict[str, str] = table.get("folders", {})
    parts = [module_of(file or "") or "", *re.split(r"[\\/]", file or "")[::-1]]
    for part in parts:
        known = [start for start in folders if part.lower().startswith(start)]
        if part and known:
            return folders[max(known, key=len)]
    if owner is not None:
        return owner
    folder = module_of(file or "")
    stem = re.split(r"[\\/]", file or "")[-1].split(".")[0]
    name = folder if folder and folder != stem else stem
    return name.replace("_", "-").lower() if len(name) > 3 and not name.startswith("lib") else None


def _of_file(fact: Fact, table: dict[str, Any], specs: Specs) -> Iterator[Fact]:
    """Yield facts about a library that Windows or torch could not load: only companions and add-ons."""
    file = (fact.value("file") or fact.value("module") or "").strip("'\":")
    number = fact.value("number")
    if number not in (None, "127") or (fact.name == "windows-dll-unloadable" and number is None):
        return
    module = module_of(file) or file.split(".")[0]
    owner = specs.components.of_module(module) or specs.components.of_library(file)
    kind = COMPANION if owner in table.get("companions", ()) else ADD_ON if owner in table.get("add_ons", ()) else None
    unknown = owner is None and fact.name == "add-on-procedure-missing" and re.search(r"_(?:cuda|ext|C)$", module)
    if kind is not None or unknown:
        values = (("package", _distribution(file, owner, table) or owner or module.replace("_", "-")),)
        yield Fact(
            name=kind or ADD_ON,
            text=fact.text,
            values=values,
            grade=fact.grade,
            source=fact.source,
            line=fact.line,
            last_line=fact.last_line,
        )


def _of_conflict(conflict: Conflict, installed: set[str], table: dict[str, Any]) -> Iterator[Fact]:
    by = conflict.by or ""
    known = (*table.get("add_ons", ()), *table.get("companions", ()), "torch")
    if conflict.component not in ("torch", "triton") or by not in known:
        return
    bare = {(version or "").partition("+")[0] for version in (conflict.has, conflict.wants)}
    if len(bare) == 1 and not _COMPILED.search(conflict.text):
        return  # one release in two builds: torch-cpu-label-conflict
    if by in ("vllm", "sglang") and any(name.startswith(f"{by}-") for name in installed):
        return  # another vendor's plugin installs its own torch
    values = {"package": by, "has": conflict.has, "wants": conflict.wants, "component": conflict.component}
    if _COMPILED.search(conflict.text) and conflict.component == "torch" and by != "torch":
        yield fact_from(COMPANION if by in table.get("companions", ()) else ADD_ON, conflict, **values)
    else:
        yield fact_from(DECLARED, conflict, **values)
