"""Fill in the blanks of a command with the words that the text's own commands have in the same place. Pure.

gcloud compute tpus tpu-vm create demo --zone us-central1-c     NAME, ZONE of  … tpu-vm delete NAME --zone=ZONE
docker run --name web app:1; docker logs web                    CONTAINER of  docker exec CONTAINER nvidia-smi
npu-smi info -t health -i 5                                     NPU_ID of  npu-smi info -t ecc -i NPU_ID
talosctl -n 10.0.0.4 ls /dev                                    NODE of  talosctl upgrade --nodes NODE
… for CUDA device ordinal 0: ECC error                          GPU_NUMBER of  nvidia-smi --gpu-reset -i GPU_NUMBER

A word fills a blank only if the text's commands of that tool agree on it, and if it is a plain name, a number or an
image. The number of a device is that of the only one that a tool lists, or the only one that the error names.
specs/language/shells.yaml lists the blanks, and what of other commands of the tool fills them.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from accel.facts.containers import in_container
from accel.facts.infer import observations_of
from accel.facts.readers.mechanisms.command_words import PROSE
from accel.model.dataclass import replace
from accel.model.diagnosis import Remedy
from accel.model.observation import Command
from accel.remedies.actions import Inspect, actions_of
from accel.remedies.environment import Environment
from accel.text.pattern import pattern
from accel.vendors.contract.command import image_word, name_word, number_word, parts_of, pci_word

_BLANK: Final = pattern(r"(?<![\w$./'\"-])[A-Z][A-Z_-]{1,20}(?![\w./'\"-])", exact_case=True)
_IMAGE: Final = "IMAGE"
_NUMBERED: Final = pattern(
    r"(?<![\w/.-])(?P<by>[A-Za-z]{2,12}[ :#]{1,2})(?P<number>[0-9]{1,2})(?![\w/-]|[.:][0-9]| ?(?:[KMGT]i?B|%|x)\b)"
)


def filled_in(
    command: str | None, devices: Sequence[str], here: Environment, evidence: Sequence[str] = ()
) -> str | None:
    """Return a command with the blanks that the text fills. devices, evidence: the finding's, by id and by line."""
    if command is None:
        return command
    table: Mapping[str, Any] = here.specs.table("language/shells") or {}
    for blank, row in table.get("device_numbers", {}).items():
        if blank in command:
            number = _listed(row["field"], devices, here) or _named(row, evidence, here)
            command = _with(command, {blank: number or blank})
    if here.facts.live:
        return command
    typed = [one for one in observations_of(here.facts.snapshot) if isinstance(one, Command) and _is_typed(one)]
    for row in table.get("defaults", ()):
        before, _, usual = row["words"].rpartition(" ")
        own = set(_own_values(row, typed)) if f"{before} {usual} " in f"{command} " else set()
        name = name_word(own.pop()) if len(own) == 1 else None
        if name is not None:
            command = f"{command} ".replace(f"{before} {usual} ", f"{before} {name} ").rstrip()
    parts = []
    for part in parts_of(command):
        known: dict[str, str] = {}
        for blank in set(_BLANK.findall(part)) & set(table.get("filled", ())):
            is_number = blank in table.get("device_numbers", ())
            if is_number and not all(isinstance(one, Inspect) for one in actions_of(part, here.specs)):
                continue  # that a command names a device does not say that this is the one to be changed
            words = set(_words(blank, part, typed, here, table))
            if not words and is_number and len(devices) == 1:
                words = {devices[0].rpartition(":")[2]}
            word = _checked(blank, next(iter(words))) if len(words) == 1 else None
            if word is not None:
                known[blank] = word
        parts.append(_with(part, known))
    return "; ".join(parts)


def told_of_number(remedy: Remedy, finding: str, here: Environment) -> Remedy:
    """Return a remedy that says how to find the device's number, if its command has a blank in its place."""
    rows = (here.specs.table("language/shells") or {}).get("device_numbers", {})
    blank = next((one for one in _BLANK.findall(remedy.command or "") if one in rows), None)
    if blank is None or blank in remedy.text:
        return remedy
    finds = rows[blank].get("finds", ())
    said = next((row["text"] for row in finds if finding in row.get("findings", (finding,))), None)
    return replace(remedy, text=f"{remedy.text} {said}") if said is not None else remedy


def _own_values(row: Mapping[str, Any], typed: Sequence[Command]) -> Iterator[str]:
    """Yield what the text's own commands have in place of the usual name of a namespace or of a release."""
    for one in typed:
        if one.tool not in row["tools"]:
            continue
        if "chart" in row:
            named = (
                one.verb in ("install", "upgrade") and len(one.operands) > 1 and one.operands[1].endswith(row["chart"])
            )
            yield from one.operands[:1] if named else ()
        elif any(word in f"{one.text} {one.answer or ''}" for word in row["about"]):
            yield from (value for name in row["options"] for value in _values([one], name))


def _listed(field: str, devices: Sequence[str], here: Environment) -> str | None:
    """Return the number of the only device that a tool listed."""
    whole = (one for one in here.facts.snapshot.reports if one.source != "text" and "in part" not in one.source)
    listed = {one.id: one for report in whole for one in report.devices if one.kind in ("gpu", "npu")}
    of_it = [one for one in listed.values() if not devices or one.id in devices]
    value = getattr(of_it[0], field, None) if len(of_it) == 1 else None
    return pci_word(value) if field == "pci_address" else number_word(value)


def _named(row: Mapping[str, Any], evidence: Sequence[str], here: Environment) -> str | None:
    """Return the number of the only device that the error names, or, if it names none, that the text does.

    None where a program's numbers are not the tool's: a container, a job or a variable hides devices from it, or the
    devices differ, of which CUDA puts the fastest first.
    """
    models = {one.name for one in here.facts.accelerators}
    hidden = any(here.facts.variable(name) is not None for name in row["renumbered_by"])
    if hidden or here.in_cluster or in_container(here.facts) or len(models) > 1:
        return None
    said = (one.text for one in observations_of(here.facts.snapshot))
    for lines, signs in ((evidence, row["named_by"]), (said, row["written_by"])):
        hits = (hit for line in lines for hit in _NUMBERED.finditer(line))
        if found := {hit["number"] for hit in hits if hit["by"].lower() in signs}:
            return number_word(int(found.pop())) if len(found) == 1 else None
    return None


def _is_typed(command: Command) -> bool:
    return not command.advice and PROSE.isdisjoint(command.operands)


def _with(part: str, known: Mapping[str, str]) -> str:
    return _BLANK.sub(lambda found: known.get(found[0], found[0]), part)


def _words(
    blank: str, part: str, typed: Sequence[Command], here: Environment, table: Mapping[str, Any]
) -> Iterator[str]:
    """Yield what the text's commands of the same tool have where a part has a blank."""
    for action in actions_of(part, here.specs):
        asked = action.command
        same = [one for one in typed if one.tool == asked.tool]
        for name, _, value in (option.partition("=") for option in asked.options):
            if value == blank:
                yield from _values(same, name)
        if blank in asked.operands:
            at, group = asked.operands.index(blank), asked.verb.rpartition(" ")[0]
            alike = [one for one in same if one.verb == asked.verb or (group and one.verb.startswith(f"{group} "))]
            yield from (one.operands[at] for one in alike if len(one.operands) > at)
        for row in table.get("blanks", ()):
            if blank == row["blank"] and asked.tool in row["tools"]:
                others = [one for one in same if "verbs" not in row or one.verb in row["verbs"]]
                named = [value for option in row.get("options", ()) for value in _values(others, option)]
                yield from named if "options" in row else (one.operands[0] for one in others if one.operands)


def _values(commands: Sequence[Command], name: str) -> Iterator[str]:
    pairs = (option.partition("=") for one in commands for option in one.options)
    yield from (value for key, _, value in pairs if key == name and value)


def _checked(blank: str, word: str) -> str | None:
    """Return a word that may be typed; None for another blank, and for what is no plain name."""
    if word.isupper() and word.isalpha():
        return None
    return image_word(word) if blank == _IMAGE else name_word(word)
