"""The script for POSIX systems, in bash. Pure.

Commands are the remedies' own, built from checked words; everything else is comments and quoted texts.
"""

import re
import shlex
from collections.abc import Iterable, Iterator
from pkgutil import get_data
from typing import Final

from accel.apps.render.fix_script.comments import fill_in, head, of_step, plain, question, stops, wrapped
from accel.apps.render.fix_script.steps import Step
from accel.model.diagnosis import Diagnosis
from accel.text.shells import steps_of as words_of

_KEPT_HERE = ("export", "unset", "ulimit", "source", "cd")  # commands that change only the shell that runs them
_FILLED = 'filled=""  # the steps whose words in capitals you have filled in, as in  filled="2 3"'
_START: Final = (get_data("accel.apps.render.fix_script", "start.sh") or b"").decode()


def bash(diagnosis: Diagnosis, steps: tuple[Step, ...], origin: str, version: str, name: str) -> str:
    """Return the script. name: its file name, as typed to run it: "fix.sh"."""
    again = f"bash {shlex.quote(name)}"
    lines = ["#!/usr/bin/env bash", *wrapped(head(diagnosis, steps, origin, version))]
    lines += [f"#   {plain(again)}      runs the steps that need nobody else and asks before each"]
    lines += [f"#   {plain(again)} 2    starts at step 2, and runs that one whoever it needs", _START]
    lines += [_FILLED, ""] if any(step.blanks and not step.is_hand for step in steps) else []
    for number, step in enumerate(steps, 1):
        lines += _step(step, number, len(steps), again)
    lines.append(f"printf '%s\\n' {shlex.quote('That was the last step.')}")
    return "\n".join(lines) + "\n"


def _step(step: Step, number: int, total: int, again: str) -> Iterator[str]:
    yield f"# ---- Step {number} of {total} ----"
    yield from wrapped(of_step(step))
    said = stops(step, number, again)
    if said:
        test = "-le" if step.is_hand else "-lt"
        yield f'if [ "$at" {test} {number} ]; then'
        yield f"  {_stop(said)}"
        yield "fi"
    if step.is_hand:
        yield ""
        return
    yield f'if [ "$at" -le {number} ]; then'
    if step.blanks:
        asks = _stop(fill_in(step, number, 'filled="…"'))
        yield f'  case " $filled " in *" {number} "*) ;; *) {asks} ;; esac'
    command = " &&\n    ".join((step.remedy.command or "").splitlines())
    if step.asks:
        yield f"  {_called('ask', question(step, number))}"
    for name in _variables(f"{command} {step.verification.command if step.verification is not None else ''}"):
        yield f'  : "${{{name}:=}}"'
    if _changes_the_shell(command):
        yield (
            "  # This applies within the script: put it into the job script, the service or your shell's startup file."
        )
    yield f"  {{ {command.rstrip(';')}; }} || {_stop([f'Step {number} failed: {step.remedy.text}'])}"
    if step.verification is not None and step.verification.command is not None:
        yield "  # How to check that it is fixed:"
        yield f"  printf '%s\\n' {shlex.quote(plain(f'Step {number} is done when: {step.verification.text}'))}"
        yield f"  {{ {step.verification.command.rstrip(';')}; }} || true"
    yield "fi"
    yield ""


def _stop(lines: list[str]) -> str:
    return _called("stop", lines)


def _called(function: str, lines: list[str]) -> str:
    return " \\\n    ".join([function, *(shlex.quote(plain(line)) for line in lines if line)])


def _variables(commands: str) -> Iterable[str]:
    """Return the variables that commands use: an unset one would end a script that starts with set -u."""
    return dict.fromkeys(re.findall(r"\$\{?([A-Za-z_]\w*)", commands))


def _changes_the_shell(command: str) -> bool:
    return any(step.words[0].raw in _KEPT_HERE for step in words_of(command) or ())
