"""Ask accel and its peers what to install on some two hundred machines, judge the answers, and write the page.

    python -m venv PEERS && PEERS/bin/pip install uv light-the-torch torchruntime
    python benchmarks/compare_resolvers.py --peers PEERS/bin --accel WHEEL/bin/accel --out benchmarks/resolvers.md

--peers   a virtual environment's bin folder with the other three
--accel   the command to ask, best one installed from a built wheel: its times are taken too
--out     the page; without it, only the score is printed

The machines and what is right on each: resolve_machines.yaml, of which all four are asked; resolve_further.yaml and
resolve_fresh.yaml, of which accel is asked, and the others where the latter wants torch alone. How each tool is asked:
resolvers/ask.py. Needs openssl,
and on Linux the right to mount in a namespace of its own (root), for uv's look at the PCI bus. Nothing is installed.
"""

import argparse
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import date
from pathlib import Path

import yaml
from resolvers import ask, beside, further
from resolvers.judge import HOW, Pick, Truth, Verdict, judge, truths
from resolvers.page import Measured, Times, page
from resolvers.pytorch_index import PyTorchIndex

_HERE = Path(__file__).parent
_LOOKUP = """
import time
from accel.specs import load
{imports}
start = time.process_time()
specs = load()
specs.chip({name!r}).name
mid = time.process_time()
for _ in range(100):
    specs.chip({name!r})
print((mid - start) * 1e3, (time.process_time() - mid) * 10)
"""
_ASKED_OF_ALL = ("resolve_fresh.yaml", "resolve_further.yaml", "resolve_whatif.yaml", "resolve_asked.yaml")
_NAMES = ("RTX 5090", "h100 sxm", "Tesla V100-SXM2-32GB", "昇腾910B3", "MI300X")


def main(words: Sequence[str]) -> int:
    """Run the benchmark; 1 if accel is wrong anywhere."""
    options = _parser().parse_args(words)
    if Path("/sys/module/nvidia").exists():
        sys.exit("This machine has an NVIDIA driver, which uv would see on the machines without one: run it elsewhere.")
    for needed in (Path(options.accel), Path(options.peers) / "uv", Path(options.peers) / "python"):
        if not needed.exists():
            sys.exit(f"{needed} is not there. Give --accel the command's path and --peers a bin folder with uv in it.")
    machines = truths(yaml.safe_load((_HERE / "resolve_machines.yaml").read_text(encoding="utf-8")))
    answers: dict[str, dict[str, tuple[Pick, Verdict]]] = {}
    with tempfile.TemporaryDirectory() as folder, PyTorchIndex(Path(folder)) as index:
        bench = ask.Bench(
            accel=str(Path(options.accel).absolute()),
            peers=Path(options.peers).absolute(),
            folder=Path(folder),
            index=index.environment,
        )
        for truth in machines:
            answers[truth.name] = _answers(truth, bench)
        judged, peers = _further(options.accel, bench)
    versions = {"accel": _version(options.accel), **ask.versions(Path(options.peers))}
    for tool in ask.TOOLS:
        outcomes = [answers[t.name][tool][1].outcome for t in machines]
        print(f"{tool:16} {outcomes.count('right'):2} right of {len(machines)}")
    print(f"further          {sum(not one.wrong for one in judged):2} right of {len(judged)}")
    if options.out:
        more = beside.section(judged, peers, beside.FIRST_SIGHT)
        text = page(machines, answers, versions, _measured(options.accel), more)
        Path(options.out).write_text(text, encoding="utf-8")
    return int(
        any(answers[t.name]["accel"][1].outcome != "right" for t in machines) or any(one.wrong for one in judged)
    )


def _further(accel: str, bench: ask.Bench) -> tuple[list[further.Judged], dict[str, dict[str, tuple[Pick, str]]]]:
    """Ask accel about every further machine, and all tools about those that ask for torch alone."""
    judged: list[further.Judged] = []
    peers: dict[str, dict[str, tuple[Pick, str]]] = {}
    for file in beside.FILES:
        text = yaml.safe_load((_HERE / file).read_text(encoding="utf-8"))
        judged += further.ask_all(accel, text)
        for truth, row in beside.truths_of(text).values() if file in _ASKED_OF_ALL else ():
            answers = peers.setdefault(truth.name, {})
            for tool, question in ask.TOOLS.items():
                try:
                    pick = question(truth, bench)
                except (
                    RuntimeError,
                    StopIteration,
                    ValueError,
                    KeyError,
                ) as error:  # the tool or its stand-ins fail here
                    pick = Pick(not_asked=str(error).strip()[:80] or type(error).__name__)
                answers[tool] = (pick, beside.outcome(pick, row))
                print(f"{truth.name:32} {tool:16} {answers[tool][1]:18} {pick.label}", flush=True)
    return judged, peers


def _answers(truth: Truth, bench: ask.Bench) -> dict[str, tuple[Pick, Verdict]]:
    found = {}
    for tool, question in ask.TOOLS.items():
        pick = question(truth, bench)
        found[tool] = (pick, verdict := judge(truth, pick))
        how = HOW.get(verdict.how or "", "")
        print(f"{truth.name:32} {tool:16} {verdict.outcome:9} {pick.label:18} {how}", flush=True)
    return found


def _measured(accel: str) -> Measured:
    """Time the installed command and the lookup, each in processes of their own."""
    python = Path(accel).absolute().parent / "python"
    with_imports, _ = _lookup(python, "")
    first, further = _lookup(python, "import accel.model.chip, accel.names.index")
    what_if = ["--gpu", "RTX 5090", "--driver", "570", "--python", "3.12", "--os", "linux"]
    return Measured(
        day=date.today(),
        machine=f"{platform.system()} {platform.machine()}, Python {platform.python_version()}, {_load()}",
        interpreter=_timed([str(python), "-c", "pass"]),
        live=_timed([accel, "resolve", "torch"]),
        what_if=_timed([accel, "resolve", "torch", *what_if]),
        with_imports_ms=with_imports,
        first_lookup_ms=first,
        further_lookup_ms=further,
    )


def _lookup(python: Path, imports: str) -> tuple[float, float]:
    """Return the median processor time in ms of a process's first lookup of a chip, and of each further one."""
    taken = []
    for name in _NAMES * 3:
        words = [str(python), "-c", _LOOKUP.format(name=name, imports=imports)]
        told = subprocess.run(words, capture_output=True, text=True, check=True, cwd="/").stdout.split()
        taken.append([float(number) for number in told])
    first, further = (statistics.median(column) for column in zip(*taken, strict=True))
    return first, further


def _timed(words: Sequence[str], runs: int = 15) -> Times:
    """Return the seconds of a whole process; the first two runs, which may compile, are left out."""
    taken, processor = [], []
    for _ in range(runs + 2):
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        subprocess.run(words, capture_output=True, check=False, cwd="/")
        taken.append(time.perf_counter() - start)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        processor.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return Times(median_s=statistics.median(taken[2:]), least_s=min(taken[2:]), processor_s=min(processor[2:]))


def _load() -> str:
    return f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"


def _version(accel: str) -> str:
    return subprocess.run([accel, "--version"], capture_output=True, text=True, check=True).stdout.split()[-1]


def _parser() -> argparse.ArgumentParser:
    it = argparse.ArgumentParser(description="Ask accel and its peers about machines, and judge the answers.")
    it.add_argument(
        "--peers", required=True, help="bin folder of an environment with uv, light-the-torch, torchruntime"
    )
    it.add_argument("--accel", required=True, help="the accel command, installed from a wheel")
    it.add_argument("--out", help="the page to write")
    return it


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
