"""The page that compare_resolvers.py writes."""

import statistics
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from resolvers.judge import HOW, Pick, Truth, Verdict

Answers = dict[str, dict[str, tuple[Pick, Verdict]]]

_INTRODUCTION = """\
# Resolvers side by side

The same {count} machines, asked of accel {accel}, uv {uv}, light-the-torch {light-the-torch} and torchruntime
{torchruntime} on {day}: what would you install for `torch`? A tool is right if what it picks would run on the
machine: a wheel is there for its Python and system, the driver starts it, and its compiled code is for every
GPU. Newest is not asked for. Where no GPU build can work, declining is right, and so is a CPU build;
elsewhere a CPU build leaves the GPU idle and is wrong.

What is right on each machine, why, and by which source was written by hand in
[resolve_machines.yaml](resolve_machines.yaml); `compare_resolvers.py` asks, judges and writes this page. The
machines were picked for their traps, and a common one (an A100 with driver 535) all four get right: the scores
say who sees the traps, not how often a user meets one.
"""

_HOW_ASKED = """\
## How they were asked

All four saw the same wheels. PyTorch's index could not be reached from the machine of the run, so a proxy
stood in for it and for PyPI's page of torch: it lists the releases, builds, Pythons and platforms of
`specs/frameworks/torch*.yaml` under the names that the real indexes give their files, and refuses every other
host. Those tables are accel's too: a wheel that they lack is lacking for all. The judgement takes from them
only which build PyPI's plain wheel of a release is.

- **accel**: `accel resolve torch --json` with `--gpu`, `--driver`, `--python`, `--os`, `--arch`, `--libc`.
  Its printed command was then run by `pip install --dry-run`, as on that machine, and had to install what it
  said.
- **uv**: `uv pip install --dry-run --torch-backend=auto torch` with `--python-version`, `--python-platform`
  and `UV_CUDA_DRIVER_VERSION`. AMD: an `rocm_agent_enumerator` on `PATH` that prints the target, on Linux.
  Intel: a folder with the device's class and vendor over `/sys/bus/pci/devices`. It has no way to be told of
  a GPU's capability.
- **light-the-torch**: `ltt install --dry-run torch` with an `nvidia-smi` on `PATH` that prints the driver,
  pip's options for another platform, and the system's name replaced. It compares releases as text, so that
  2.9.1 comes before 2.14.1.
- **torchruntime**: it has no dry run, so its own functions were called with the PCI ids as `lspci` or
  PowerShell print them, and the system, processor and Python replaced; pip then resolved the command it would
  run. PCI ids of Jetson Orin: none, its GPU is not on the bus.

Every machine could be asked of every tool. What this cannot show: how each detects hardware on a real
machine, and whether a wheel that should run does. torch 2.15.0's list of builds beyond cu132 was not found,
so none of the four could pick one.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """Seconds of a whole process, over some runs. processor_s: the least that it computed, waiting not counted."""

    median_s: float
    least_s: float
    processor_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What the installed command took.

    first_lookup_ms    the first of a process, which reads the database
    with_imports_ms    the same with the modules that it imports
    further_lookup_ms  any later one
    """

    day: date
    machine: str
    interpreter: Times
    live: Times
    what_if: Times
    first_lookup_ms: float
    with_imports_ms: float
    further_lookup_ms: float


def page(
    machines: Sequence[Truth],
    answers: Answers,
    versions: dict[str, str],
    measured: Measured,
    further: Iterable[str] = (),
) -> str:
    """Return the page in Markdown. further: lines of a section of its own, before how the tools were asked."""
    tools = list(next(iter(answers.values())))
    head = _INTRODUCTION.format(count=len(machines), day=measured.day, **versions)
    return "\n".join(
        [
            head,
            *_score(machines, answers, tools),
            "",
            *_table(machines, answers, tools),
            "",
            *_reasons(machines, answers, tools),
            "",
            *further,
            _HOW_ASKED,
            *_times(measured),
            "",
        ]
    )


def _score(machines: Sequence[Truth], answers: Answers, tools: Sequence[str]) -> Iterator[str]:
    yield f"| | right | {' | '.join(HOW.values())} | seconds |"
    yield "|---|" + "---:|" * (len(HOW) + 2)
    for tool in tools:
        verdicts = [answers[t.name][tool][1] for t in machines]
        right = sum(v.outcome == "right" for v in verdicts)
        wrong = [str(sum(v.how == how for v in verdicts) or "") for how in HOW]
        taken = [s for t in machines if (s := answers[t.name][tool][0].seconds) is not None]
        name = f"**{tool}**" if tool == "accel" else tool
        yield f"| {name} | {right} of {len(machines)} | {' | '.join(wrong)} | {statistics.median(taken):.2f} |"
    yield ""
    yield (
        "Seconds: median of the whole process. uv and light-the-torch read index pages from the proxy in theirs, accel "
        "and torchruntime read none."
    )


def _table(machines: Sequence[Truth], answers: Answers, tools: Sequence[str]) -> Iterator[str]:
    yield "## Answers"
    yield ""
    yield f"| machine | newest that fits | {' | '.join(tools)} |"
    yield "|---|---|" + "---|" * len(tools)
    for truth in machines:
        cells = [_cell(*answers[truth.name][tool]) for tool in tools]
        yield f"| {_described(truth)} | {truth.newest or 'none'} | {' | '.join(cells)} |"


def _cell(pick: Pick, verdict: Verdict) -> str:
    if verdict.outcome == "not asked":
        return f"cannot be asked: {verdict.because}"
    if verdict.outcome == "right":
        return f"✓ {pick.label}"
    return f"✗ {pick.label}: {HOW[verdict.how or '']}"


def _described(truth: Truth) -> str:
    m = truth.machine
    parts = [" + ".join(m["gpus"]) or "no GPU"]
    parts += [f"driver {m['driver']}"] if "driver" in m else []
    system = {"linux": "", "windows": "Windows", "wsl": "WSL", "macos": "macOS"}[m["system"]]
    named = f"{system} {'' if m['machine'] == 'x86_64' and system != 'macOS' else m['machine']}".strip()
    parts += [named] if named else []
    parts += [f"Python {m['python']}"]
    parts += [m["libc"] if m["libc"] == "musl" else f"glibc {m['libc']}"] if "libc" in m else []
    parts += [f"`{truth.asks}`"] if truth.asks != "torch" else []
    return ", ".join(parts)


def _reasons(machines: Sequence[Truth], answers: Answers, tools: Sequence[str]) -> Iterator[str]:
    yield "## Why"
    yield ""
    for truth in machines:
        yield f"- **{_described(truth)}**: {truth.why}. ({', '.join(truth.sources)})"
        reasons: dict[str, list[str]] = {}
        for tool in tools:
            pick, verdict = answers[truth.name][tool]
            if verdict.outcome == "wrong":
                reasons.setdefault(f"{pick.label}: {verdict.because}", []).append(tool)
            elif verdict.because and pick.build is not None:
                reasons.setdefault(f"{pick.label} runs {verdict.because}", []).append(tool)
        for reason, by in reasons.items():
            yield f"  - {', '.join(by)}: {reason}"


def _times(measured: Measured) -> Iterator[str]:
    yield "## accel's time"
    yield ""
    yield (
        f"Measured on {measured.day} in an installed wheel: {measured.machine}. 15 runs each, "
        "on a machine that others used too, hence the fastest and the processor time beside the median."
    )
    yield ""
    yield "| whole process | median | fastest | processor time | budget |"
    yield "|---|---:|---:|---:|---:|"
    processes = {
        "a bare interpreter": measured.interpreter,
        "`accel resolve torch`, this machine": measured.live,
        "`accel resolve torch --gpu …`": measured.what_if,
    }
    for name, times in processes.items():
        cells = [f"{s * 1e3:.0f} ms" for s in (times.median_s, times.least_s, times.processor_s)]
        yield f"| {name} | {' | '.join(cells)} | {'250 ms' if 'accel' in name else ''} |"
    yield ""
    yield "| lookup of a chip by name | median of processor time | budget |"
    yield "|---|---:|---:|"
    yield f"| first of a process, which reads the database | {measured.first_lookup_ms:.2f} ms | 5 ms |"
    yield f"| any later one | {measured.further_lookup_ms:.2f} ms | 5 ms |"
    yield f"| first of a process, with the modules that it imports | {measured.with_imports_ms:.1f} ms | |"
