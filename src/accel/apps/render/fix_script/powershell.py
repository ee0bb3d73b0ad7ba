"""The script for Windows, in PowerShell. Pure.

Commands are the remedies' own, in PowerShell syntax; everything else is comments and quoted texts.
"""

from collections.abc import Iterator
from pkgutil import get_data
from typing import Final

from accel.apps.render.fix_script.comments import fill_in, head, of_step, plain, question, stops, wrapped
from accel.apps.render.fix_script.steps import Step
from accel.model.diagnosis import Diagnosis

_FILLED: Final = "$Filled = @()  # the steps whose words in capitals you have filled in, as in  $Filled = @(2, 3)"
_START: Final = (get_data("accel.apps.render.fix_script", "start.ps1") or b"").decode()
_QUOTES: Final = str.maketrans(dict.fromkeys("'‘’‚‛", "''"))  # PowerShell treats all of them as the same quote


def powershell(diagnosis: Diagnosis, steps: tuple[Step, ...], origin: str, version: str, name: str) -> str:
    """Return the script. name: its file name, as typed to run it: "fix.ps1"."""
    again = plain(f".\\{name} -At")
    lines = [*wrapped(head(diagnosis, steps, origin, version))]
    lines += [f"#   {plain(name)}          runs the steps that need nobody else and asks before each"]
    lines += [f"#   {again} 2    starts at step 2, and runs that one whoever it needs", _START]
    lines += [_FILLED, ""] if any(step.blanks and not step.is_hand for step in steps) else []
    for number, step in enumerate(steps, 1):
        lines += _step(step, number, len(steps), again)
    lines.append(f"Write-Output {_quoted('That was the last step.')}")
    return "\r\n".join("\n".join(lines).split("\n")) + "\r\n"


def _step(step: Step, number: int, total: int, again: str) -> Iterator[str]:
    yield f"# ---- Step {number} of {total} ----"
    yield from wrapped(of_step(step))
    said = stops(step, number, again)
    if said:
        yield f"if ($At {'-le' if step.is_hand else '-lt'} {number}) {{ {_stop(said)} }}"
    if step.is_hand:
        yield ""
        return
    yield f"if ($At -le {number}) {{"
    if step.blanks:
        yield f"  if ($Filled -notcontains {number}) {{ {_stop(fill_in(step, number, '$Filled = @(…)'))} }}"
    if step.asks:
        yield f"  {_called('Confirm-Step', question(step, number))}"
    for line in (step.remedy.command or "").splitlines():  # one command for each of several devices
        yield f"  {line}"
        yield f"  if (-not $?) {{ {_stop([f'Step {number} failed: {step.remedy.text}'])} }}"
    if step.verification is not None and step.verification.command is not None:
        yield "  # How to check that it is fixed:"
        yield f"  Write-Output {_quoted(f'Step {number} is done when: {step.verification.text}')}"
        yield f"  {step.verification.command}"
    yield "}"
    yield ""


def _stop(lines: list[str]) -> str:
    return _called("Stop-Here", lines)


def _called(function: str, lines: list[str]) -> str:
    return f"{function} @(" + ",\n    ".join(_quoted(line) for line in lines if line) + ")"


def _quoted(text: str) -> str:
    return f"'{plain(text).translate(_QUOTES)}'"
