from collections.abc import Iterable, Iterator
from typing import Final

from accel.facts.questions import Facts
from accel.model.observation import Fact
from accel.specs import Specs
from accel.vendors.contract.check import Evidence, Problem, Remedy, check
from accel.vendors.contract.command import command_line, module_word, path_word, python_word

_FACT: Final = "framework-step-failed"
_MOST_NAMED: Final = 3
_ON_DEVICE: Final = (
    "Take the device out of service until it is known whether it or the build computes wrongly: try the same "
    "step on another device of this kind, and with another release of the framework."
)
_ON_PROCESSOR: Final = "Try the same step in a fresh environment: the framework's build is the first suspect."
_ELEMENTS: Final = {"fp64": "float64", "fp32": "float32", "fp16": "float16", "bf16": "bfloat16"}
_IN_TORCH: Final = {  # the step on the device of the first word after it
    "context": '"import sys, torch; print(torch.ones(1, device=sys.argv[1]))"',
    "matmul": '"import sys, torch; a = torch.ones(128, 128).to(sys.argv[1], getattr(torch, sys.argv[2])); '
    'print(a @ a)"',
    "convolution": '"import sys, torch; a = torch.ones(4, 4, 3, 3, device=sys.argv[1]); '
    'print(torch.nn.functional.conv2d(a, a))"',
    "FFT": '"import sys, torch; print(torch.fft.fft(torch.ones(256, device=sys.argv[1])))"',
    "solver": '"import sys, torch; a = torch.eye(16, device=sys.argv[1]); print(torch.linalg.solve(a, a))"',
    "copy": '"import sys, torch; print(torch.ones(4096, device=sys.argv[1]).to(sys.argv[2]))"',
}
_REPORT: Final = {  # where to report a fault of the framework itself
    "torch": "https://github.com/pytorch/pytorch/issues",
    "torch_npu": "https://gitee.com/ascend/pytorch/issues",
    "torch_xla": "https://github.com/pytorch/xla/issues",
    "jax": "https://github.com/jax-ml/jax/issues",
    "tensorflow": "https://github.com/tensorflow/tensorflow/issues",
    "onnxruntime": "https://github.com/microsoft/onnxruntime/issues",
    "cupy": "https://github.com/cupy/cupy/issues",
}


@check(
    code="AC490",
    name="framework-step-failed",
    layer="framework",
    reads=(_FACT,),
    needs=("framework-computed",),
    asks=(),
)
def framework_step_failed(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """A framework raised, crashed, hung or gave a wrong answer in a small test computation.

    Why it matters   Every program that performs this step fails in the same way, and a wrong answer fails silently.
    What to do       Fix what another finding names as the cause. Otherwise run the step alone, reinstall the framework,
                     and report it to its developers; a wrong answer on only one of several devices is that device's
                     fault.
    Looks at         what accel doctor --deep runs in the frameworks of the environment
    Silent when      every step succeeded; --deep was not requested
    Source           docs/deep.md: the inputs, and how the right answers are known
    """
    groups: dict[tuple[str | None, ...], list[Fact]] = {}
    for fact in facts.stated(_FACT):
        how = tuple(fact.value(name) for name in ("framework", "called", "outcome", "exception", "ending"))
        groups.setdefault(how, []).append(fact)
    for several in groups.values():
        first = several[0]
        yield Problem(
            title=f"{_what(several)} {_how(first)}",
            detail=_detail(first),
            devices=tuple(dict.fromkeys(one.device for one in several if one.device)),
            evidence=tuple(_evidence(several)),
            remedies=tuple(_remedies(first)),
        )


def _what(several: list[Fact]) -> str:
    """Return a summary such as "torch 2.13.0: convolution and FFT on cpu:0"."""
    first = several[0]
    steps = dict.fromkeys(one.value("step") or "a step" for one in several)
    names = ["listing its devices" if step == "devices" else step for step in steps]
    shown = ", ".join(names[:_MOST_NAMED]) + (
        f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    )
    version = first.value("version")
    name = f"{first.value('framework') or 'the framework'}{f' {version}' if version else ''}"
    on = " and ".join(dict.fromkeys(place for place in (first.value("place"), first.value("other")) if place))
    return f"{name}: {shown}{f' on {on}' if on else ''}"


def _how(fact: Fact) -> str:
    outcome, ending = fact.value("outcome"), fact.value("ending")
    if outcome == "raised":
        return f"raised {fact.value('exception') or 'an exception'}"
    if outcome == "wrong":
        return "gave a wrong answer"
    if outcome == "hung":
        return "did not return"
    if ending is None:
        return "ended its process"
    killed = ending.startswith(("SIG", "signal"))
    return f"ended its process by {ending}" if killed else f"ended its process with {ending}"


def _detail(fact: Fact) -> str | None:
    says, outcome = fact.value("says"), fact.value("outcome")
    if outcome == "hung":
        limit = f"; the deadline of all steps was {fact.value('deadline')} s" if fact.value("deadline") else ""
        words = says or "it did not return"
        return f"{words[:1].upper()}{words[1:]}{limit}."
    if outcome == "wrong":
        return f"{says or ''} The device computes wrongly, or this build does."
    return None


def _evidence(several: Iterable[Fact]) -> Iterator[Evidence]:
    for fact in list(several)[:4]:
        yield Evidence(
            fact=fact.value("step") or fact.name,
            value=fact.text[:240],
            source=fact.source,
            line=fact.line,
            last_line=fact.last_line,
            grade=fact.grade,
        )


def _remedies(fact: Fact) -> Iterator[Remedy]:
    framework, outcome = fact.value("framework") or "", fact.value("outcome")
    if outcome == "wrong":
        yield Remedy(text=_ON_PROCESSOR if fact.value("called") == "cpu" else _ON_DEVICE, action="env")
    yield Remedy(
        text="Check whether the smallest program for this step does the same.",
        command=_smallest(fact),
        action="app",
        kind="look",
    )
    where = _REPORT.get(framework)
    at = f", at {where}" if where else ""
    yield Remedy(
        text=f"If it fails in a fresh environment, too: report it with these lines to its maintainers{at}.",
        action="app",
        kind="ask",
    )


def _smallest(fact: Fact) -> str | None:
    """Return the shortest command that performs the step: in its framework if that is one line, otherwise in accel."""
    python, framework = path_word(fact.value("python")), fact.value("framework") or ""
    step, _, dtype = (fact.value("step") or "").partition(" ")
    if step in ("import", "devices") and not (step == "devices" and framework != "torch"):
        imported = module_word(dtype or framework)
        code = "import torch, {0}" if dtype else "import {0}; {0}.cuda.init()"
        return command_line(python, "-c", python_word(code if dtype or step == "devices" else "import {0}", imported))
    places = [path_word(place) for place in (fact.value("called"), fact.value("other")) if place]
    if framework == "torch" and step in _IN_TORCH and places:
        element = (module_word(_ELEMENTS.get(dtype)),) if step == "matmul" else ()
        if None not in element:
            return command_line(python, "-c", _IN_TORCH[step], *places, *element)
    return command_line("accel doctor --deep --python", python)
