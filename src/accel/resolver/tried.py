"""What the writer of a text tried already: a remedy that did not help is not offered again, one that did comes first.

    NCCL_P2P_DISABLE=1: no change         export NCCL_P2P_DISABLE=1 is left out, if another step is there
    after rebooting: the same             so is a step that only reboots
    with --ipc=host it works              docker run --ipc=host … comes first, and its finding with it

Only what is the same to the letter counts: a variable with its value, an option with its value, a reboot. That some
package was installed again tells nothing of another build of it. Pure.
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from accel.infer.engine import observations_of
from accel.model.observation import Experiment
from accel.text.pattern import pattern

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.model.diagnosis import Remedy

_SET: Final = pattern(r"(?<![\w-])[A-Z][A-Z0-9_]{2,60}=[\w./:,+$@{}~-]{1,120}", exact_case=True)
_OPTION: Final = pattern(r"(?<![\w-])--[a-z][a-z-]{1,40}[= ][\w./:+-]{1,60}", exact_case=True)
_REBOOT: Final = pattern(
    r"\breboot(?:ed|ing|s)?\b|\brestart(?:ed|ing)? (?:the |my )?(?:machine|computer|server|pc|host|node)\b"
)
_STOPGAP: Final = "Until then"  # helps, and cures nothing
_ONLY_REBOOTS: Final = pattern(r"(?:sudo )?reboot")


def arranged(remedies: Sequence["Remedy"], facts: "Facts") -> "tuple[tuple[Remedy, ...], tuple[str, ...], bool]":
    """Return the remedies that are left, the best first; what was tried in vain, as the text has it; whether one cured.

    The last remedy is kept, tried or not: a finding says what to do.
    """
    tried = [one for one in observations_of(facts.snapshot) if isinstance(one, Experiment)]
    if not tried or not remedies:
        return tuple(remedies), (), False
    failed = [one for one in tried if one.outcome == "fails" and one.relation != "without"]
    worked = [one for one in tried if one.outcome == "works" and one.relation != "without"]
    left: list[Remedy] = []
    vain: list[str] = []
    for remedy in remedies:
        said = _same(remedy, failed)
        if said is None or _same(remedy, worked) is not None:
            left.append(remedy)
        else:
            vain.append(said)
    if not left:
        return tuple(remedies), (), False
    helped = [remedy for remedy in left if _same(remedy, worked) is not None]
    cures = [remedy for remedy in helped if not remedy.text.startswith(_STOPGAP)]
    return (*cures, *(remedy for remedy in left if remedy not in cures)), tuple(dict.fromkeys(vain)), bool(helped)


def _same(remedy: "Remedy", tried: Iterable[Experiment]) -> str | None:
    """Return the words of the first experiment that did what the remedy does; None if none did."""
    acts = _acts(remedy.command or "")
    reboots = remedy.action == "reboot" and (remedy.command is None or bool(_ONLY_REBOOTS.fullmatch(remedy.command)))
    for one in tried:
        if acts and acts <= _acts(one.condition):
            return one.text
        if reboots and _REBOOT.search(one.condition):
            return one.text
    return None


def _acts(text: str) -> frozenset[str]:
    found = [hit[0] for form in (_SET, _OPTION) for hit in form.finditer(text)]
    return frozenset(" ".join(one.replace("=", " ", 1).split()) if one.startswith("--") else one for one in found)
