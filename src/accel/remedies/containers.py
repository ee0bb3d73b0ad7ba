"""A remedy's "docker run", rewritten for the way the text starts its container. Pure.

docker run --shm-size 8g IMAGE        docker run --rm --gpus all --shm-size 8g IMAGE, as its start is shown
                                      podman run …, nerdctl run …
                                      in the compose file: shm_size: 8g; then docker compose up -d
                                      in the pod: volumes: [{name: shm, emptyDir: {medium: Memory, sizeLimit: 8Gi}}]
docker run --gpus all IMAGE nvidia-smi      kubectl exec POD -- nvidia-smi

The counterparts of the options are in specs/language/containers.yaml.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, Literal

from accel.facts.containers import ENVIRONMENT, OF_LXC, is_compose, is_kubernetes
from accel.facts.infer import observations_of
from accel.facts.questions import Facts
from accel.facts.readers.mechanisms.command_words import taken_apart
from accel.model.dataclass import dataclass
from accel.model.observation import Command
from accel.remedies.container_options import (
    Rows,
    as_words,
    filled,
    is_given,
    is_mounted,
    is_option,
    numbered,
    of_pod,
    of_service,
    option_rows,
    replaces,
    row_of,
)
from accel.remedies.own_start import typed_again
from accel.specs import Specs
from accel.text.shells import Step, Token
from accel.vendors.contract.command import image_word

_Starter = Literal["docker", "podman", "nerdctl", "singularity", "apptainer", "compose", "kubernetes", "lxc"]
_ENGINES: Final[Mapping[str, _Starter]] = {
    **dict.fromkeys(("docker", "nvidia-docker", "nvidia-docker2"), "docker"),
    "podman": "podman",
    "nerdctl": "nerdctl",
}
_BY_IMAGE: Final[Mapping[str, _Starter]] = {"singularity": "singularity", "apptainer": "apptainer"}
_OF_CLUSTER: Final = frozenset(("kubectl", "k3s", "microk8s", "minikube", "oc"))
_GPUS: Final = ("--gpus",)
_KEEP_OPTIONS: Final = "Keep the other options of your own command"
_KEEP_PROGRAM: Final = "The arguments after the image stay the same."
_MOVE: Final = "Options for the engine come before the image name: what follows it is passed to the program."
_SHELLS: Final = ("bash", "sh", "zsh", "fish")
_SHELL: Final = "$("  # a value that only a shell makes
_NUMBER: Final = "--group-add=GID"  # of the host's group, where no shell asks for it


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """A remedy's step on this machine. step: None if it is not a command here; words: what to write, and where."""

    step: Step | None
    words: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Start:
    """How the text starts its container. command: None if only the program that starts it is known."""

    by: _Starter
    command: Command | None = None


def as_started_here(step: Step, facts: Facts, specs: Specs) -> Started:
    """Return a step in the way the text starts its container; unchanged if it starts none, or the text shows none."""
    asked = _asked(step, specs)
    start = _start(facts, specs) if asked is not None else None
    if asked is None or start is None:
        return Started(step=step)
    rows = option_rows(specs)
    if start.by in _ENGINES.values():
        return _by_engine(step, asked, start, specs, facts.host.system == "windows")
    if asked.tool != "docker" or asked.operands[0] != "IMAGE":
        return Started(step=step)  # of an engine or an image that is named in so many words
    only_looks = bool(asked.operands[1:]) and all(is_option(option, ("--rm", *_GPUS)) for option in asked.options)
    if start.by in _BY_IMAGE or start.by == "lxc":
        column = "lxc" if start.by == "lxc" else "apptainer"
        if only_looks and start.by == "lxc":
            return Started(step=_plain(step, asked.operands[1:]))
        told = [filled(row, f"{column}_says", one) for one in asked.options if (row := row_of(one, rows))]
        words = " ".join(dict.fromkeys(filter(None, told))) or None
        return Started(step=None if start.by == "lxc" else _by_image(step, asked, start, rows), words=words)
    if only_looks:
        inside = "docker compose run --rm SERVICE" if start.by == "compose" else "kubectl exec POD --"
        return Started(step=_plain(step, (*inside.split(), *asked.operands[1:])))
    group = next((one for one in asked.options if one.startswith("--group-add=") and _SHELL in one), None)
    options = [_NUMBER if one == group else one for one in asked.options]
    if start.command is None and any(not is_option(one, _GPUS) for one in options):
        options = [one for one in options if not is_option(one, _GPUS)]  # a start that is not shown has the GPU already
    if any(_SHELL in option for option in options):
        return Started(step=step)
    asks = (
        f"GID is the number that  {group.partition(_SHELL)[2].rpartition(')')[0]}  prints on the host."
        if group
        else None
    )
    wanted = _wanted(options, start, rows)
    if start.by != "compose":
        return Started(step=None, words=" ".join(filter(None, (of_pod(wanted, rows), asks))) or None)
    words = of_service(wanted, rows)
    words = f"{words} {asks}" if words and asks else words
    return Started(step=_plain(step, ("docker", "compose", "up", "-d")) if words is not None else None, words=words)


def is_started_with(asked: Command, own: Command, specs: Specs) -> bool:
    """Return whether a start in the text has all options that a remedy wants; False if the remedy's runs a program."""
    if asked.operands[:1] not in (("IMAGE",), own.operands[:1]):
        return False  # it changes the image
    rows = option_rows(specs)
    options = tuple(_in_podman(asked.options, rows)) if own.tool == "podman" else asked.options
    return (
        bool(options)
        and not asked.operands[1:]
        and not (own.operands and _is_other_tag(asked.operands[0], own.operands[0]))
        and all(option in own.options or is_given(option, own.options, rows) for option in options)
    )


def tries_other_image(own: Command, facts: Facts, specs: Specs) -> bool:
    """Return whether a start only looks, in another image than the program's: its options are not the program's."""
    start = _start(facts, specs) if _only_looks(own, specs) else None
    return bool(start and start.command and start.command.operands[:1] not in ((), own.operands[:1]))


def starts_program(facts: Facts, specs: Specs) -> bool:
    """Return whether the container of a text starts the program itself, not a shell in which it is typed."""
    start = _start(facts, specs)
    if start is None or start.by in _BY_IMAGE.values():
        return False
    if start.by in ("compose", "kubernetes"):
        return True
    own = start.command
    if own is None:
        return False
    shells = tuple(word for word in own.operands[1:2] if word.rsplit("/", 1)[-1] in _SHELLS)
    return not shells and ("-d" in own.options or "--detach" in own.options or bool(own.operands[1:]))


def starter_of(facts: Facts, specs: Specs) -> str | None:
    """Return what starts the containers of a text; None if it does not say."""
    start = _start(facts, specs)
    return start.by if start is not None else None


def _asked(step: Step, specs: Specs) -> Command | None:
    """Return what a remedy's step starts; None if it does not start a container of the reader's own."""
    raw = [token.raw for token in step.words]
    if raw[:1] not in (["docker"], ["podman"]) or raw[1:2] != ["run"]:
        return None
    fields = taken_apart(raw, specs.commands, asked=True)
    return Command(text="", **fields) if fields is not None and fields["operands"] else None


def _start(facts: Facts, specs: Specs) -> _Start | None:
    """Return how the text's container is started: by Kubernetes if a command names it, otherwise as last shown."""
    found: _Start | None = None
    for one in observations_of(facts.snapshot):
        if not isinstance(one, Command) or one.advice:
            continue
        if one.tool in _OF_CLUSTER:
            return _Start(by="kubernetes", command=one if one.verb == "pod" else None)
        if one.tool == "docker-compose" or one.verb.startswith("compose "):
            found = _Start(by="compose", command=one if one.verb == "service" else found.command if found else None)
        elif one.tool in _ENGINES and one.verb in ("run", "create") and not _only_looks(one, specs):
            found = _Start(by=_ENGINES[one.tool], command=one)
        elif one.tool in _BY_IMAGE and one.verb in ("run", "exec", "shell"):
            found = _Start(by=_BY_IMAGE[one.tool], command=one)
    if found is None and is_compose(facts):
        return _Start(by="compose")
    if found is None and is_kubernetes(facts):
        return _Start(by="kubernetes")
    if found is None and facts.stated(OF_LXC):
        return _Start(by="lxc")
    if found is None and _of_cluster(facts):
        return _Start(by="apptainer")
    if found is None and (by := {**_ENGINES, **_BY_IMAGE}.get(facts.host.container or "docker")) != "docker":
        return _Start(by=by) if by is not None else None
    return found


def _of_cluster(facts: Facts) -> bool:
    """Return whether the machine belongs to a cluster whose users may not run Docker."""
    return any(fact.value("class") in ("cluster", "environment-modules") for fact in facts.stated(ENVIRONMENT))


def _only_looks(command: Command, specs: Specs) -> bool:
    """Return whether a container is started only to look: "docker run --rm --gpus all image nvidia-smi"."""
    program = command.operands[1] if len(command.operands) > 1 else ""
    return bool(specs.commands.get(program, {}).get("alone")) or program == "hello-world"


def _by_engine(step: Step, asked: Command, start: _Start, specs: Specs, on_windows: bool) -> Started:
    """Return the step for the text's engine, with the options and the program of its own start that may be typed
    again; the reader is told to keep the others.
    """
    own, rows = start.command, option_rows(specs)
    tool = own.tool if own is not None else start.by
    options: tuple[str, ...] = tuple(_in_podman(asked.options, rows) if tool == "podman" else asked.options)
    image, *program = asked.operands
    named = _image_of(own) if image == "IMAGE" else None
    if program == ["nvidia-smi"] and not all(is_option(one, ("--rm", "--gpus")) for one in asked.options):
        program = [] if own is not None else program  # the options are the fix, not the look
    other_tag = own is not None and bool(own.operands) and _is_other_tag(image, own.operands[0])
    if own is not None and own.operands and (image in ("IMAGE", own.operands[0]) or other_tag) and not program:
        there = own.options
        options = tuple(numbered(option, there, rows) for option in options)
        new = [o for o in options if o not in there and not is_given(o, there, rows) and not is_mounted(o, there)]
        rest = [o for o in own.options if not any(replaces(one, o, rows) for one in new)]
        again = typed_again(own, [o for o in rest if o not in options], specs, on_windows)
        kept = [o for o in rest if o in options or o in again.options]  # what the remedy asks for is ours
        moved = bool(own.operands[1:]) and any(is_option(o, (own.operands[1].partition("=")[0],)) for o in options)
        known_image = other_tag or named is not None or image == own.operands[0]
        behind = again.program if known_image and not moved and again.program is not None else ()
        said = _KEEP_PROGRAM if known_image and own.operands[1:] and not behind else None
        told = (_MOVE if moved else None, _to_keep(own, again.left), said, _before(kept))
        words = (tool, "run", *as_words(kept), *as_words(new), named or image, *behind)
        return Started(step=_plain(step, words), words=" ".join(filter(None, told)) or None)
    known = {"docker": tool, "podman": tool}
    if tool == step.words[0].raw or not options:
        known |= {"IMAGE": named} if named is not None else {}
        return Started(step=Step(step.by, tuple(Token(known.get(t.raw, t.raw), t.value) for t in step.words)))
    return Started(step=_plain(step, (tool, "run", *as_words(options), named or image, *program)))


def _image_of(own: Command | None) -> str | None:
    """Return the image that the text's own start names; None for none, and for a word that an option may want."""
    if own is None or not own.operands or own.operands[0].isupper() or own.operands[0] in _SHELLS:
        return None
    return image_word(own.operands[0])


def _is_other_tag(image: str, own: str) -> bool:
    """Return whether a remedy names another tag of the image that the text starts."""
    return image != own and ":" in image and image.rpartition(":")[0] == own.partition("@")[0].rpartition(":")[0]


def _to_keep(own: Command, left: Sequence[str]) -> str | None:
    """Return which of the text's options are not typed again; None if all are."""
    if left:
        return f"{_KEEP_OPTIONS} ({', '.join(left)})."
    return f"{_KEEP_OPTIONS}." if "..." in own.text or "…" in own.text else None


def _before(options: Sequence[str]) -> str | None:
    """Return what frees the name that a start gives its container; None if it gives none, or is removed by itself."""
    name = next((one.partition("=")[2] for one in options if one.startswith("--name=")), None)
    return (
        f"First remove the old container of that name:  docker rm -f {name}" if name and "--rm" not in options else None
    )


def _by_image(step: Step, asked: Command, start: _Start, rows: Rows) -> Step | None:
    """Return the step for singularity or apptainer, which share the host's limits, network and shared memory."""
    options = [
        words
        for option in asked.options
        if (row := row_of(option, rows)) and (words := filled(row, "apptainer", option))
    ]
    if not options:
        return None
    return _plain(step, (start.by, "exec", *dict.fromkeys(options), "IMAGE", *(asked.operands[1:] or ("PROGRAM",))))


def _wanted(options: Iterable[str], start: _Start, rows: Rows) -> list[str]:
    own = start.command.options if start.command is not None else ()
    return [option for option in options if option not in own and not is_given(option, own, rows)]


def _in_podman(options: Iterable[str], rows: Rows) -> Iterator[str]:
    for option in options:
        words: str | None = (row_of(option, rows) or {}).get("podman")
        yield words.replace(" ", "=", 1) if words is not None else option


def _plain(step: Step, words: Iterable[str]) -> Step:
    return Step(step.by, tuple(Token(word, word) for word in words))
