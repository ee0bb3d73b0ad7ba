"""Makes a step last whose effect ends with the boot, sleep or session. Pure.

sudo modprobe nvidia_uvm        after every reboot   … && echo nvidia_uvm | sudo tee /etc/modules-load.d/nvidia_uvm.conf
sudo sysctl -w A=1              after every reboot   … && echo A=1 | sudo tee /etc/sysctl.d/90-accel.conf
sudo rmmod nvidia_uvm && …      after each sleep     … the driver's option that keeps its memory, and its sleep services

The fact lost-again (specs/system/inference/lasting.yaml) says when the effect is lost; specs/language/lasting.yaml says
what lasts.
"""

from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from accel.facts.containers import in_container, is_kubernetes
from accel.model.dataclass import replace
from accel.remedies.actions import Action, actions_of
from accel.vendors.contract.command import chained, filled

if TYPE_CHECKING:
    from accel.model.diagnosis import Remedy
    from accel.remedies.environment import Environment


def made_to_last(
    remedy: "Remedy", actions: tuple[Action, ...], here: "Environment"
) -> "tuple[Remedy, tuple[Action, ...]]":
    """Return a remedy with what makes its effect last, if the text says when it is lost; any other unchanged."""
    if remedy.command is None or remedy.kind != "mend" or here.provider is not None or here.facts.host.wsl:
        return remedy, actions
    if is_kubernetes(here.facts) or (in_container(here.facts) and not any(one.as_root for one in actions)):
        return remedy, actions
    when = {fact.value("when") for fact in here.facts.stated("lost-again")}
    added: dict[str, str] = {}
    for row, command in _lasting(actions, here):
        if row["when"] in when and not any(word in remedy.command for word in row["lasts"]):
            added.setdefault(command, row["text"])
    if not added:
        return remedy, actions
    whole = chained(remedy.command, *added, by=";" if "; " in remedy.command or " | " in remedy.command else "&&")
    # One sentence: where only its beginning is shown, the command belongs to all of it.
    text = "; ".join((remedy.text.rstrip("."), *dict.fromkeys(added.values())))
    told = replace(remedy, text=f"{text}.", command=whole)
    return told, actions_of(whole, here.specs)


def _lasting(actions: Sequence[Action], here: "Environment") -> "Iterator[tuple[Mapping[str, Any], str]]":
    """Yield the rows for what the actions do, each with the command that makes it last."""
    table: Mapping[str, Any] = here.specs.table("language/lasting") or {}
    for one in actions:
        words = " ".join(token.raw for token in one.step.words if token.raw != "sudo")
        for row in table.get("lasting", ()):
            if not fnmatchcase(words, row["of"]):
                continue
            command = _with_last(row["command"], one.step.words[-1].value)
            if command is not None:
                yield row, command


def _with_last(template: str, last: str | None) -> str | None:
    return filled(template, lambda _: last) if "{" in template else template
