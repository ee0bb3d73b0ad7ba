"""The exact command that installs the chosen packages, for pip, uv or conda."""

from collections.abc import Sequence
from typing import Literal

from accel.model.dataclass import dataclass
from accel.resolver.candidates import candidates
from accel.resolver.catalogue import Catalogue, Record, choice
from accel.resolver.records import Candidate, Chosen
from accel.resolver.target import Target
from accel.specs.versions import numbers
from accel.vendors.contract.command import (
    Word,
    bounded_word,
    chained,
    command_line,
    match_word,
    name_word,
    option_word,
    package_word,
    requirement_word,
    url_word,
)

Installer = Literal["pip", "uv", "conda"]
Pick = tuple[Candidate, tuple[Chosen, ...]]


def command_for(
    catalogue: Catalogue, picks: Sequence[Pick], target: Target, installer: Installer
) -> tuple[str | None, tuple[str, ...]]:
    """Return the command and notes on it; None, with a note, if the installer lacks a build of a chosen package."""
    if installer == "conda":
        return _conda(catalogue, picks)
    return _wheels(catalogue, picks, target, installer)


def other_index(catalogue: Catalogue, candidate: Candidate, target: Target) -> str | None:
    """Return the index of a build that is not on PyPI; None if it is on PyPI."""
    part = _part(catalogue, candidate, (), target)
    return next((place for place in (*part.indexes, *part.files, part.find_links) if place), None)


def oldest_alike(catalogue: Catalogue, candidate: Candidate, target: Target) -> str | None:
    """Return the oldest release whose build the same extra chooses: the command asks for that to this one.

    None if it asks for this release: the Python is known, or has it installed; or no extra chooses the build.
    """
    extras = catalogue.packages[candidate.package].get("extras")
    extra = choice(extras, candidate.variant, candidate.version) or {}
    here = {version.partition("+")[0] for version in target.installed.values()}
    fixed = target.python is not None or candidate.version in here or candidate.base_version is not None
    if fixed or "extra" not in extra or "find_links" in extra:
        return None
    alike = (one for one in candidates(catalogue, candidate.package) if one.variant == candidate.variant)
    return [one.version for one in alike if choice(extras, one.variant, one.version) is extra][-1]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """One framework's part of the command.

    words     (package, extra, version, local version on the index; None if it is on the plain index)
    indexes   the variant's index, and those of companions with their own; () if the plain index has everything
    files     addresses of wheels that are on no index
    whole     the index also has the packages' dependencies
    compiled  (package, extra, version, options) of packages compiled against the rest, so installed after it
    replaced  installed packages of the same version in another build, which an installer would consider satisfied
    """

    words: tuple[tuple[str, str | None, str, str | None], ...]
    indexes: tuple[str, ...]
    files: tuple[str, ...]
    compiled: tuple[tuple[str, str | None, str, str], ...]
    find_links: str | None
    notes: tuple[str, ...]
    whole: bool
    replaced: tuple[str, ...]


def _wheels(
    catalogue: Catalogue, picks: Sequence[Pick], target: Target, installer: Installer
) -> tuple[str | None, tuple[str, ...]]:
    start = "uv pip install" if installer == "uv" else "pip install"
    parts = [_part(catalogue, candidate, companions, target) for candidate, companions in picks]
    indexes = list(dict.fromkeys(index for part in parts for index in part.indexes))
    # One index is enough if it has everything; otherwise the versions must name the build.
    alone = len(indexes) == 1 and all(
        word[3] is not None and not part.files and part.whole for part in parts for word in part.words
    )
    oldest = oldest_alike(catalogue, picks[0][0], target) if len(picks) == 1 else None
    asked = (
        bounded_word(name, f">={oldest},<={version}", extra)
        if oldest is not None and extra
        else requirement_word(name, f"{version}{'' if alone else local or ''}", extra)
        for part in parts
        for name, extra, version, local in part.words
    )
    words: list[str | Word | None] = [*(["--upgrade"] if oldest is not None else []), *dict.fromkeys(asked)]
    words += [bounded_word("numpy", "<2")] if any(_needs_numpy_1(catalogue, one, target) for one, _ in picks) else []
    words += [url_word(file) for part in parts for file in part.files]
    for index in indexes:
        words += ["--index-url" if alone else "--extra-index-url", url_word(index)]
    if indexes and not alone and installer == "uv":
        words.append("--index-strategy unsafe-best-match")
    for part in parts:
        words += ["-f", url_word(part.find_links)] if part.find_links is not None else []
    replaced = [package_word(name) for name in dict.fromkeys(name for part in parts for name in part.replaced)]
    lines = [command_line("pip uninstall -y", *replaced)] if replaced and installer == "pip" else []
    again = [word for name in replaced for word in ("--reinstall-package", name)] if installer == "uv" else []
    lines.append(command_line(start, *words, *again))
    for name, extra, version, options in (compiled for part in parts for compiled in part.compiled):
        lines.append(command_line(start, requirement_word(name, version, extra), *map(option_word, options.split())))
    notes = [note for part in parts for note in part.notes]
    notes += [
        f"{one.package} {one.version} was built for NumPy 1: install 'numpy<2' with it."
        for one, _ in picks
        if "numpy<2" not in map(str, words) and _needs_numpy_1(catalogue, one, target, "packages")
    ]
    return chained(*lines), tuple(dict.fromkeys(notes))


def _part(catalogue: Catalogue, candidate: Candidate, companions: Sequence[Chosen], target: Target) -> _Part:
    record = base = catalogue.packages[candidate.package]
    extra = choice(record.get("extras"), candidate.variant, candidate.version) or {}
    version, variant, plain = candidate.version, candidate.variant, candidate.default
    if candidate.base_version is not None:
        base, version, variant = catalogue.packages[record["base"]], candidate.base_version, record["base_variant"]
        build = catalogue.specs.build(base["table"], version, platform=candidate.platform)
        plain = build is not None and build.variant == variant
    plain = plain or choice(base.get("plain"), variant, version) is not None
    named = not plain or (target.system is None and _is_cpu_on_windows(catalogue, base, version, variant))
    index = base["index"].format(variant=variant) if "index" in base and named else None
    name = (record.get("distributions") or {}).get(candidate.variant, candidate.package)
    with_extra = extra["extra"].format(variant=variant) if "extra" in extra else None
    # CPU wheels for ARM have the label in some releases only; pip prefers a labelled one.
    is_unlabelled = candidate.base_version is not None and variant == "cpu" and target.machine is None
    local = f"+{variant}" if index and not is_unlabelled else None
    if index and base.get("unlabelled"):
        local = ""
    words: list[tuple[str, str | None, str, str | None]] = [(name, with_extra, candidate.version, local)]
    if candidate.base_version is not None:
        words = [(base["name"], None, version, local), (name, with_extra, candidate.version, None)]
    noted = record.get("noted", candidate.variant) == candidate.variant
    notes = [record["note"]] if "note" in record and noted else []
    notes += [text for vendor, text in (record.get("vendor_notes") or {}).items() if noted and target.of(vendor)]
    notes += [extra["note"].format(toolkit=candidate.toolkit_version)] if "note" in extra else []
    compiled, indexes, files = [], [index] if index is not None else [], list[str]()
    for companion in companions:
        beside = catalogue.companions[companion.package]
        notes += [beside["note"]] if "note" in beside else []
        if companion.variant is not None:
            wheel = catalogue.release_wheel(companion.package, companion.version, variant, candidate.platform)
            if wheel is not None and wheel.index is not None:
                indexes.append(wheel.index)
                words.append((companion.package, None, companion.version, f"+{companion.variant}"))
            elif wheel is not None and wheel.file is not None:
                files.append(wheel.file)
            continue
        if "index" in beside:
            indexes.append(beside["index"])
            words.append((companion.package, None, companion.version, f"+{beside['local']}"))
            continue
        options = beside.get("options")
        if options is not None:
            with_its_extra = beside.get("extra")
            compiled.append((companion.package, with_its_extra, companion.version, options))
            continue
        local = None
        if index is not None and companion.package in base.get("on_index", ()):
            if _is_made_for(catalogue, base, companion, variant, candidate.platform):
                has_label = companion.package in base.get("with_local", ()) and not is_unlabelled
                local = f"+{variant}" if has_label else ""
            else:
                told = f"{companion.package}=={companion.version}"
                notes.append(f"{told} has no build for {variant}: it comes from the plain index")
        words.append((companion.package, None, companion.version, local))
    return _Part(
        words=tuple(words),
        indexes=tuple(indexes),
        files=tuple(files),
        compiled=tuple(compiled),
        find_links=extra.get("find_links"),
        notes=tuple(notes),
        whole="index_beside" not in base,
        replaced=tuple(
            name
            for name, wanted in ((base["name"], version), *((c.package, c.version) for c in companions))
            if "index" in base
            and name in (base["name"], *base.get("with_local", ()))
            and _is_other_build(target.installed.get(name), wanted, variant, plain)
        ),
    )


def _needs_numpy_1(catalogue: Catalogue, candidate: Candidate, target: Target, rows: str = "installers") -> bool:
    """Return whether NumPy 2 may be next to a release that was built for NumPy 1 and does not say so.

    rows  "installers" for packages that install NumPy, "packages" for all. Python 3.8 and older have no NumPy 2.
    """
    if target.python is not None and numbers(target.python) < (3, 9):
        return False
    version = numbers(candidate.base_version or candidate.version)
    name = catalogue.packages[candidate.package].get("base", candidate.package)
    known = (catalogue.specs.table("frameworks/numpy2") or {}).get(rows, ())
    return any(name in row["names"] and version < numbers(row.get("declared") or row["first"]) for row in known)


def _is_cpu_on_windows(catalogue: Catalogue, base: Record, version: str, variant: str) -> bool:
    """Return whether the plain index has a different build for Windows, which an unknown machine may run."""
    build = catalogue.specs.build(base["table"], version, platform="windows_x86_64") if "index" in base else None
    return build is not None and build.variant != variant


def _is_other_build(installed: str | None, version: str, variant: str, plain: bool) -> bool:
    """Return whether the installed wheel has this version but another build; without a build name it is the default."""
    have, _, local = (installed or "").partition("+")
    return have == version and (local != variant if local else not plain)


def _is_made_for(catalogue: Catalogue, base: Record, companion: Chosen, variant: str, platform: str) -> bool:
    """Return whether a companion's version has a build of the variant, judged by the first release compatible with it.

    torchaudio 2.11.0 also works with later releases of torch, but was built for the variants of torch 2.11.0.
    """
    releases = catalogue.specs.frameworks(base["table"])
    first = next((r for r in releases if r.companions.get(companion.package) == companion.version), None)
    return first is None or any(b.variant == variant and b.platform == platform for b in first.builds)


def _conda(catalogue: Catalogue, picks: Sequence[Pick]) -> tuple[str | None, tuple[str, ...]]:
    words: list[Word | None] = []
    channels: list[Word | None] = []
    notes: list[str] = []
    for candidate, companions in picks:
        record: Record = catalogue.packages[candidate.package]
        row = choice(record.get("conda"), candidate.variant, candidate.version)
        left = [c.package for c in companions if c.package not in ((row or {}).get("companions") or ())]
        if row is None or left:
            what = ", ".join(left) or f"{candidate.package} {candidate.label}"
            return None, (f"accel knows no conda builds of {what}: use --installer pip or uv in its environment",)
        toolkit = ".".join((candidate.toolkit_version or "").split(".")[:2])
        pins = " ".join(f"{c.package}={c.version}" for c in companions)
        before, _, after = row["line"].partition(" -c ")
        asked = before.format(version=candidate.version, toolkit=toolkit, companions=pins).split()
        words += [match_word(word) for word in asked]
        channels += [name_word(channel) for channel in after.split(" -c ") if channel]
        notes += [row["note"]] if "note" in row else []
    of = [word for channel in dict.fromkeys(channels) for word in ("-c", channel)]
    return command_line("conda install", *words, *of), tuple(dict.fromkeys(notes))
