"""Fill in the blanks of a command with the words that the text's own commands have in the same place. Pure.

gcloud compute tpus tpu-vm create demo --zone us-central1-c     NAME, ZONE of  … tpu-vm delete NAME --zone=ZONE
docker run --name web app:1; docker logs web                    CONTAINER of  docker exec CONTAINER nvidia-smi
npu-smi info -t health -i 5                                     NPU_ID of  npu-smi info -t ecc -i NPU_ID

A word fills a blank only if the text's commands of that tool agree on it, and if it is a plain name, a number or an
image. specs/language/shells.yaml lists the blanks, and what of other commands of the tool fills them.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from accel.facts.infer import observations_of
from accel.facts.readers.mechanisms.command_words import PROSE
from accel.model.observation import Command
from accel.remedies.actions import Inspect, actions_of
from accel.remedies.environment import Environment
from accel.text.pattern import pattern
from accel.vendors.contract.command import image_word, name_word, parts_of

_BLANK: Final = pattern(r"(?<![\w$./'\"-])[A-Z][A-Z_-]{1,20}(?![\w./'\"-])", exact_case=True)
_IMAGE: Final = "IMAGE"


def filled_in(command: str | None, devices: Sequence[str], here: Environment) -> str | None:
    """Return a command with the blanks that the text fills. devices: the ids of those that the finding is about."""
    if command is None or here.facts.live or not _BLANK.search(command):
        return command
    table: Mapping[str, Any] = here.specs.table("language/shells") or {}
    typed = [one for one in observations_of(here.facts.snapshot) if isinstance(one, Command) and _is_typed(one)]
    parts = []
    for part in parts_of(command):
        known: dict[str, str] = {}
        for blank in set(_BLANK.findall(part)) & set(table.get("filled", ())):
            is_number = blank in table.get("device_numbers", ())
            if is_number and not all(isinstance(one, Inspect) for one in actions_of(part, here.specs)):
                continue  # which device a command changes is left to the reader
            words = set(_words(blank, part, typed, here, table))
            if not words and is_number and len(devices) == 1:
                words = {devices[0].rpartition(":")[2]}
            word = _checked(blank, next(iter(words))) if len(words) == 1 else None
            if word is not None:
                known[blank] = word
        parts.append(_with(part, known))
    return "; ".join(parts)


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
                others = [one for one in same if one.verb in row["verbs"]]
                yield from (
                    _values(others, row["option"])
                    if "option" in row
                    else (one.operands[0] for one in others if one.operands)
                )


def _values(commands: Sequence[Command], name: str) -> Iterator[str]:
    pairs = (option.partition("=") for one in commands for option in one.options)
    yield from (value for key, _, value in pairs if key == name and value)


def _checked(blank: str, word: str) -> str | None:
    """Return a word that may be typed; None for another blank, and for what is no plain name."""
    if word.isupper() and word.isalpha():
        return None
    return image_word(word) if blank == _IMAGE else name_word(word)
