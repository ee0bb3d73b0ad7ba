"""The exact line that installs what was chosen, for pip, uv or conda."""

import shlex
from collections.abc import Sequence
from typing import Literal

from accel.resolver.catalogue import Catalogue, Record, choice
from accel.resolver.records import Candidate, Chosen
from accel.resolver.target import Target

Installer = Literal["pip", "uv", "conda"]
Pick = tuple[Candidate, tuple[Chosen, ...]]


def command_for(
    catalogue: Catalogue, picks: Sequence[Pick], target: Target, installer: Installer
) -> tuple[str | None, tuple[str, ...]]:
    """Return the command, and notes on it; None where the installer has no builds of something, with a note why."""
    if installer == "conda":
        return _conda(catalogue, picks)
    return _wheels(catalogue, picks, "uv pip install" if installer == "uv" else "pip install", installer)


def _wheels(
    catalogue: Catalogue, picks: Sequence[Pick], start: str, installer: Installer
) -> tuple[str, tuple[str, ...]]:
    words: list[str] = []
    options: list[str] = []
    notes: list[str] = []
    indexes: list[str] = []
    later: list[str] = []
    elsewhere = len(picks) > 1
    for candidate, companions in picks:
        record = catalogue.packages[candidate.package]
        extra = choice(record.get("extras"), candidate.variant, candidate.version) or {}
        base, variant = record, candidate.variant
        needs_index = not candidate.default and "index" in record
        if candidate.base_version is not None:
            base, variant = catalogue.packages[record["base"]], record["base_variant"]
            plain = catalogue.specs.build(base["table"], candidate.base_version, platform=candidate.platform)
            needs_index = "index" in base and (plain is None or plain.variant != variant)
            words.append(f"{base['name']}=={candidate.base_version}" + (f"+{variant}" if needs_index else ""))
            elsewhere = True
        if needs_index:
            indexes.append(base["index"].format(variant=variant))
        on_index = base.get("on_index") or ()
        elsewhere = elsewhere or any(c.package not in on_index and not _is_compiled(catalogue, c) for c in companions)
        name = (
            f"{candidate.package}[{extra['extra'].format(variant=variant)}]" if "extra" in extra else candidate.package
        )
        local = f"+{variant}" if needs_index and candidate.base_version is None and elsewhere else ""
        words.append(f"{name}=={candidate.version}{local}")
        for companion in companions:
            if options_of := catalogue.companions[companion.package].get("options"):
                later.append(f"{start} {shlex.quote(f'{companion.package}=={companion.version}')} {options_of}")
                continue
            tied = needs_index and companion.package in on_index and elsewhere and companion.package != "triton"
            words.append(
                f"{companion.package}=={companion.version}" + (f"+{variant}" if tied and _has_local(companion) else "")
            )
        if "find_links" in extra:
            options += ["-f", extra["find_links"]]
        notes += [record["note"]] if "note" in record else []
        notes += [extra["note"].format(toolkit=candidate.toolkit_version)] if "note" in extra else []
    for index in dict.fromkeys(indexes):
        options += ["--extra-index-url" if elsewhere else "--index-url", index]
    if indexes and elsewhere and installer == "uv":
        options += ["--index-strategy", "unsafe-best-match"]
    line = " ".join(shlex.quote(word) for word in (*dict.fromkeys(words), *options))
    return " && ".join([f"{start} {line}", *later]), tuple(dict.fromkeys(notes))


def _is_compiled(catalogue: Catalogue, companion: Chosen) -> bool:
    """Whether the companion is compiled against what is installed, and so comes in a command of its own."""
    return "options" in catalogue.companions[companion.package]


def _has_local(companion: Chosen) -> bool:
    """Whether the companion's wheels on the variant's index carry the variant in their version, as torch's own do."""
    return companion.package in ("torchvision", "torchaudio")


def _conda(catalogue: Catalogue, picks: Sequence[Pick]) -> tuple[str | None, tuple[str, ...]]:
    words: list[str] = []
    channels: list[str] = []
    notes: list[str] = []
    for candidate, companions in picks:
        record: Record = catalogue.packages[candidate.package]
        row = choice(record.get("conda"), candidate.variant, candidate.version)
        left = [c.package for c in companions if c.package not in ((row or {}).get("companions") or ())]
        if row is None or left:
            what = ", ".join(left) or f"{candidate.package} {candidate.label}"
            return None, (
                f"conda has no builds of {what} that accel knows: use --installer pip or uv in its environment",
            )
        toolkit = ".".join((candidate.toolkit_version or "").split(".")[:2])
        pins = " ".join(f"{c.package}={c.version}" for c in companions)
        before, _, after = row["line"].partition(" -c ")
        words += before.format(version=candidate.version, toolkit=toolkit, companions=pins).split()
        channels += [channel for channel in after.split(" -c ") if channel]
        notes += [row["note"]] if "note" in row else []
    line = " ".join(shlex.quote(word) for word in words)
    line += "".join(f" -c {channel}" for channel in dict.fromkeys(channels))
    return f"conda install {line}", tuple(dict.fromkeys(notes))
