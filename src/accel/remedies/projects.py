"""An installation in a project with a lock file, whose manager would revert what pip adds. Pure.

pip install torch==2.9.1 --index-url https://…/cu128     uv add torch==2.9.1 --index pytorch-cu128=https://…/cu128
pip uninstall -y torch && pip install torch==2.9.1       poetry add torch==2.9.1
conda install -c nvidia cuda-nvcc                        pixi workspace channel add nvidia && pixi add cuda-nvcc

What a manager cannot express (--no-deps, --force-reinstall, a page of wheels) is left to its own pip.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final

from accel.facts.containers import is_of_class
from accel.facts.installers import OF_PROJECT
from accel.facts.questions import Facts
from accel.model.dataclass import replace
from accel.model.observation import Command, Complaint, Raised
from accel.resolver.installer import SAID
from accel.resolver.system_tools import plain_words
from accel.text.pattern import pattern
from accel.text.shells import Step, Token
from accel.vendors.contract.command import Word, name_word, url_word

_OF_PROJECT: Final[Mapping[str, tuple[str, ...]]] = {
    "uv": ("sync", "add", "lock", "run", "remove"),
    "poetry": ("install", "add", "lock", "update", "run", "remove", "sync"),
    "pdm": ("install", "add", "lock", "update", "run", "remove", "sync", "use"),
    "pipenv": ("install", "lock", "update", "run", "sync", "shell"),
    "pixi": ("install", "add", "lock", "update", "run", "shell", "task", "remove", "workspace", "project"),
}
_BESIDE: Final[Mapping[str, tuple[str, ...]]] = {  # uv's own pip, and installers of environments without a manifest
    "uv": ("pip", "install", "uninstall", "venv"),
    **dict.fromkeys(("pip", "pip3", "conda", "mamba", "micromamba"), ("install", "update", "create")),
}
_REMOVES: Final = {"pipenv": "uninstall"}
_INDEX: Final = ("--index-url", "--extra-index-url")
_LAST: Final = pattern(r"/(?P<last>[A-Za-z0-9.]{1,40})/?$", exact_case=True)
_QUIET: Final = ("-y", "--upgrade", "-U", "--no-cache-dir")


def project_of(facts: Facts) -> str | None:
    """Return the manager of a text's project: uv, poetry, pdm …; None if pip, conda or uv's own pip was last."""
    said = (fact.value("tool") for fact in facts.stated(SAID) if fact.value("project"))
    found = "pixi" if is_of_class(facts, "pixi") else next(said, None)
    for one in facts.snapshot.observations:
        if isinstance(one, Command) and not one.advice:
            verb = one.verb.split(" ")[0]
            if verb in _OF_PROJECT.get(one.tool, ()):
                found = one.tool
            elif verb in _BESIDE.get(one.tool, ()):
                found = None
        elif isinstance(one, Raised | Complaint):
            found = next((name for name, form in OF_PROJECT.items() if form.search(one.text)), found)
    return found


def as_of_project(steps: Sequence[Step], project: str) -> tuple[Step, ...] | None:
    """Return the steps with those of pip or conda rewritten for the project; None if one cannot be."""
    added = {name for step in steps for name in _names(_after(step, "install"))}
    known: list[Step] = []
    removed: set[str] = set()
    for step in steps:
        taken = _after(step, "uninstall")
        removed |= set(_names(taken))
        asked = _after(step, "install")
        if taken is not None and set(_names(taken)) <= added:
            continue
        if step.words[0].raw == "pip" and project == "pixi":
            known.append(step)  # resolver/pixi.py types it
        elif taken is not None:
            known.append(
                Step(
                    step.by,
                    (
                        *plain_words(project, _REMOVES.get(project, "remove")),
                        *(t for t in taken if not t.raw.startswith("-")),
                    ),
                )
            )
        elif asked is not None:
            written = _added(_plainly(asked, removed), project, conda=step.words[0].raw == "conda")
            if written is None:
                return None
            known.append(Step(step.by, written))
        else:
            known.append(step)
    return (replace(known[0], by=""), *known[1:]) if known else None


def _plainly(asked: Sequence[Token], removed: Collection[str]) -> Sequence[Token]:
    """Return the request without options that a preceding removal makes unnecessary."""
    if not set(_names(asked)) <= set(removed):
        return asked
    return tuple(token for token in asked if token.raw not in ("--force-reinstall", "--no-deps"))


def _after(step: Step, verb: str) -> tuple[Token, ...] | None:
    """Return the words after "pip install" or "conda install"; None for another step."""
    raw = [token.raw for token in step.words]
    installs = raw[:2] in (["pip", verb], ["conda", verb]) and len(raw) > 2
    return step.words[2:] if installs else None


def _names(words: Sequence[Token] | None) -> Iterator[str]:
    for token in words or ():
        if not token.raw.startswith("-"):
            yield (token.value or token.raw).split("[")[0].split("=")[0].split("<")[0].split(">")[0].lower()


def _added(words: Sequence[Token], project: str, *, conda: bool) -> tuple[Token, ...] | None:
    """Return the manager's own command for an installer's request; None if it has none."""
    asked: list[Token] = []
    index: Word | None = None
    channels: list[str] = []
    rest = iter(words)
    for token in rest:
        if token.raw in _INDEX:
            named = next(rest, None)
            index = url_word(named.value) if named is not None else None
        elif conda and token.raw == "-c":
            channels += [name.raw for name in [next(rest, None)] if name is not None]
        elif not token.raw.startswith("-"):
            asked.append(token)
        elif token.raw not in _QUIET:
            return None
    if conda:
        return _in_pixi(asked, channels) if asked and project == "pixi" else None
    if not asked:
        return None
    if project == "pipenv":
        return (*plain_words("pipenv", "install", *(("--index", index) if index is not None else ())), *asked)
    if index is None:
        return (*plain_words(project, "add"), *asked)
    if project == "pdm":
        return None  # its sources are written in pyproject.toml alone
    name = name_word(f"pytorch-{last['last']}" if (last := _LAST.search(index)) else "extra")
    if name is None:
        return None
    if project == "uv":
        return (*plain_words("uv", "add"), *asked, *plain_words("--index", f"{name}={index}"))
    source = plain_words("poetry", "source", "add", "--priority=explicit", name, index, "&&")
    return (*source, *plain_words("poetry", "add", "--source", name), *asked)


def _in_pixi(asked: Sequence[Token], channels: Sequence[str]) -> tuple[Token, ...]:
    new = [name for name in channels if name != "conda-forge"]
    start = plain_words("pixi", "workspace", "channel", "add", *new, "&&") if new else ()
    return (*start, *plain_words("pixi", "add"), *asked)
