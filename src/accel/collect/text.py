"""Reads texts about a machine into one Snapshot: pasted reports, tool output, saved snapshots, in any mixture."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from accel.collect.live import apply_masks, device_types, plugin_gaps
from accel.collect.said_devices import SOURCE as SAID
from accel.collect.said_devices import said_reports
from accel.collect.text_parts import parts_in
from accel.collect.understanding import (
    Scoped,
    environments_of,
    host_of,
    reports_of,
    understood,
    variables_of,
    with_typed,
)
from accel.model.codec import decode_snapshot, is_snapshot
from accel.model.dataclass import replace
from accel.model.device import Gap
from accel.model.errors import BadInput
from accel.model.observation import Observation
from accel.model.snapshot import Host, Part, Snapshot
from accel.plugins.registry import Registry
from accel.text.bounds import LEAST, MOST_WORK, Bounded, bounded, ends, work_of
from accel.text.clean import has_services, plain, sections, unmarked, without_prefixes
from accel.text.encodings import decoded, is_wide
from accel.text.segments import segments_of
from accel.text.wrapped import unwrapped
from accel.vendors.contract.backend import Reading, has_sign

if TYPE_CHECKING:
    from accel.model.wiring import Wiring

LIMIT_CHARACTERS: Final = 24_000_000  # per text: the middle of a longer one is dropped and reported
_SERVICES: Final = "docker compose's log"
_NAMING: Final = ("products",)  # the mechanism whose observations become devices
_READERS: Final = 40  # that begin in one text, once for each of its scopes: a report begins two dozen at the most


def read_texts(
    texts: Sequence[tuple[str, str]], registry: Registry, *, for_devices: bool = False, several: bool = False
) -> Snapshot:
    """Return the combined facts of all (name, text) pairs.

    for_devices  whether only the devices are needed: faults are then not searched for, which saves half of the time
    several      whether saved snapshots may be from several machines: each then becomes a part
    Raises BadInput if all texts are empty, and for a saved snapshot that cannot be used.
    """
    if not any(text.strip() for _, text in texts):
        raise BadInput(f"{', '.join(name for name, _ in texts)}: empty. Give what a tool printed, or an error message.")
    saved: list[Snapshot] = []
    named: list[tuple[str, Snapshot]] = []
    readings: list[Scoped] = []
    gaps: list[Gap] = []
    observations: list[Observation] = []
    parts: tuple[Part, ...] = ()
    if several:
        from accel.collect.one_machine import nodes_of_files

        if (nodes := nodes_of_files(texts, lambda: device_types(registry))) is not None:
            return nodes
    for name, text in texts:
        if is_snapshot(text):
            saved.append(decode_snapshot(text, device_types(registry), name))
            named.append((name, saved[-1]))
            continue
        part, cut = _bounded(name, text)
        gaps += cut
        bare = plain(part.text)
        joined = unwrapped(unmarked(bare))
        marked = joined.within(part)
        part, cut = _affordable(name, replace(marked, text=without_prefixes(marked.text)), registry)
        gaps += cut
        if has_services(marked.text):  # the lines say so only with what is taken off before they are read
            readings.append((None, Reading(source=_SERVICES, host=Host(containerized=True, container="docker"))))
        whole = part.numbers is marked.numbers or part.text.count("\n") == marked.text.count("\n")
        segments = segments_of(_lines_of(bare, joined) if whole else part.text)  # lines left out: they are others
        found = understood(part, registry, segments, _NAMING if for_devices else ())
        readings += found.readings
        observations += found.observations
        gaps += found.gaps
        if len(texts) == 1 and not cut and not for_devices:
            parts, cut = parts_in(name, marked, registry, segments)
            gaps += cut
    if len(saved) > 1:
        from accel.collect.one_machine import check_one_machine

        check_one_machine(named)
    known = [*(r for s in saved for r in s.reports), *(r for _, reading in readings for r in reading.reports)]
    for report in said_reports(observations, known, registry.backend, registry.specs):
        readings.append((None, Reading(source=SAID, reports=(report,))))
    origin = ", ".join(name for name, _ in texts)
    if not saved and not readings and not observations:
        reason = (
            "nothing in it was recognised. Give what a tool printed: nvidia-smi, npu-smi info, pip list, "
            "python -m torch.utils.collect_env, the error message, or  accel snapshot"
        )
        gaps.append(Gap(fact="the whole text", reason=reason, source=origin))
    return replace(_assembled(saved, readings, tuple(observations), registry, tuple(gaps), origin), parts=parts)


def _bounded(name: str, text: str) -> tuple[Bounded, list[Gap]]:
    if len(text) <= LIMIT_CHARACTERS:
        part = bounded(text)
        reason = (
            f"{part.left_out:,} of its lines were not read, or not completely: they repeat others, are too long, "
            "or are far from any sign of an error. Pass the relevant part if one of them contains it."
        )
        return part, [Gap(fact=name, reason=reason, source=name)] if part.left_out else []
    millions = LIMIT_CHARACTERS // 1_000_000
    reason = (
        f"it has {len(text):,} characters; the first and last {millions // 2} million were read. "
        "Give the part that matters:  grep -n -i -E 'nvidia|cuda|npu|tpu|error' FILE | accel doctor --from -"
    )
    read = ends(text, LIMIT_CHARACTERS)
    return bounded(read.text).within(read), [Gap(fact=name, reason=reason, source=name)]


def _lines_of(bare: str, joined: Bounded) -> str:
    """Return, for each line of a text with rejoined lines, the line that it started as."""
    if joined.numbers is None:
        return bare
    lines = bare.split("\n")
    return "\n".join(lines[number - 1] for number in joined.numbers)


def _affordable(name: str, part: Bounded, registry: Registry) -> tuple[Bounded, list[Gap]]:
    """Return the part of a text to read: less of it if it starts more readers or sentences than any real report."""
    lowered = [section.lower() for _, section in sections(part.text)]
    begun = sum(has_sign(reader, lower) for lower in lowered for reader in registry.all_readers)
    work = work_of(part.text, registry.specs.phrase_books)
    share = min(_READERS / max(begun, 1), MOST_WORK / max(work, 1))
    if share >= 1:
        return part, []
    less = bounded(part.text, max(int(len(part.text) * share), LEAST if begun <= _READERS else 0))
    looks = f"like {begun} outputs at once" if begun > _READERS else "like thousands of error messages"
    reason = f"{less.left_out:,} of its lines were not read: it looks {looks}. Give one at a time."
    return less.within(part), [Gap(fact=name, reason=reason, source=name)] if less.left_out else []


def _assembled(
    saved: Sequence[Snapshot],
    readings: Sequence[Scoped],
    observations: tuple[Observation, ...],
    registry: Registry,
    gaps: tuple[Gap, ...],
    origin: str,
) -> Snapshot:
    reports, environments = reports_of(readings), with_typed(environments_of(readings), observations)
    host = host_of(readings, (s.host for s in saved))
    reports += [report for s in saved for report in s.reports]
    environments += [environment for s in saved for environment in s.environments]
    masked = apply_masks(reports, registry, variables_of(environments))
    live = len(saved) == 1 and not readings
    return Snapshot(
        taken_at=saved[0].taken_at if live else None,
        origin=saved[0].origin if live else origin,
        host=host,
        environments=tuple(environments),
        observations=tuple(one for s in saved for one in s.observations) + observations,
        wiring=_wiring(saved, readings),
        reports=tuple(masked),
        gaps=tuple(gap for s in saved for gap in s.gaps) + gaps + (() if live else plugin_gaps(registry)),
        holdings=next((s.holdings for s in saved if s.holdings is not None), None),
    )


def _wiring(saved: Sequence[Snapshot], readings: Sequence[Scoped]) -> "Wiring | None":
    told = [wiring for wiring in (*(s.wiring for s in saved), *(r.wiring for _, r in readings)) if wiring is not None]
    if len(told) < 2:
        return told[0] if told else None
    from accel.model.merge_wiring import merged_wiring

    return merged_wiring(told)


def decode_bytes(name: str, data: bytes) -> str:
    """Return a file's text, whatever its encoding; invalid bytes are replaced.

    Raises BadInput if it is not text at all.
    """
    sample = data[:8192]
    if sample.count(0) > len(sample) * 0.6:
        raise BadInput(f"{name}: zeros, not a report. Give the text that the tool printed, or a saved snapshot.")
    if not is_wide(sample) and sum(byte < 7 or 13 < byte < 27 for byte in sample) > len(sample) * 0.04:
        raise BadInput(f"{name}: binary data, not a report. Give the text that the tool printed, or a saved snapshot.")
    return decoded(data)
