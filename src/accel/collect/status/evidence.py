"""Evidence in a line that a machine is well: work done, counters at zero, a closed record. Pure."""

from collections.abc import Container, Iterable
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from accel.text.pattern import pattern
from accel.text.segments import Run

_WORK: Final = pattern(
    r"^[ ]{0,8}True$|^\([^()]{0,120}\bTrue\b[^()]{0,120}\)$|\b\d[\d.,]{0,12} ?(?:[TGMP]?FLOPS|[GM]B/s|[ГМ]Б/с|req/s)"
    r"|\b(?:loss|acc)\w{0,10}['\"]?[ :=|]{1,4}\d|\d ?(?:tok(?:ens)?/s|it/s|s/it|fps|img/s|samples/s)\b"
    r"|\btrain_(?:loss|runtime)\b|\brunning on http|\bstartup complete|\bweights took\b|\blistening (?:on|at)\b"
    r"|\bsaved? (?:to )?\S+\.\w{2,4}\b|\b\d{1,3}%\|.{0,40}\||\btorch\.Size\(|\btensor\(|\bArray\("
    r"|\b(?:step|epoch|iter)[ =:]{0,3}\d"
)
_WELL: Final = pattern(
    r"(?:^|[ :|=(,'])(?:OK|pass(?:ed)?|success(?:ful(?:ly)?)?"
    r"|healthy|clean|works?)(?:$|[ |,.!\"。，、])|\b\d{1,6} passed\b"
)
_ZEROS: Final = pattern(
    r"(?:ecc|err|xid|retired|remap|fail|uncorrect|corrected|count|cnt|replay|crc|\bue"
    r"|\bce)[\w .()/-]{0,60}[:=, |][ ]*0\b"
    r"|^[ ]*-- No entries --|^[ ]*0[ ]*$|(?:,[ ]*0){2,}[ ]*$|(?:->|→|=>) ?0(?:$|[ ;,.])"
)
_NONZERO: Final = pattern(r"(?:ecc|err|xid|retired|remap|fail|uncorrect|cnt)[\w .()/-]{0,60}[:=|][ ]*[1-9]\d*\b")
_COUNTS: Final = pattern(r"\b(?:dmesg|journalctl|log)\b.{0,200}(?:grep -\w{0,6}c|wc -l)")
_ROW: Final = pattern(
    r"[ \t]{0,6}(?:\||[-*•][ ]|\d)|[^,\s]{1,40},[^,\s]{1,40},\S"
    r"|\S[^\n]{0,60}?[ ]{2,12}\S[^\n]{0,80}?[ ]{2,12}\S"
)
_BOOT: Final = pattern(r"[ ](?:-b|--boot)(?:[ =]?-?\d{1,3})?(?=[ ]|$)")
_BEGINS: Final = pattern(r"-- (?:re)?boot\b[^\n]{0,60}--[ ]*$|[^\n]{0,40}\[[ ]{0,4}0\.0{6}\] Linux version")
_ATTEMPT: Final = pattern(r"(?P<step>\[[^\]\n]{1,60}\]|[^:\n]{0,40}?)[ ]{0,2}(?:re-?try|attempt|try|run) ?#?\d{1,3}\b")
_IMPORTED: Final = pattern(r"(?:\bimport|,)[ ]([a-z_]\w*)")
_EVERYWHERE: Final = frozenset(("torch", "os", "sys"))  # modules that most commands import
_INTERPRETERS: Final = frozenset(("python", "python3", "bash", "sh", "torchrun", "accelerate", "deepspeed", "mpirun"))
_RUNNERS: Final = frozenset(("nohup", "sudo", "time", "exec"))
_VARIABLE: Final = pattern(r"[A-Z_][A-Z0-9_]{1,40}=\S*$", exact_case=True)
_REDIRECTED: Final = pattern(r"(?:2>|[>|&])[^\n]*")
_PLACED: Final = pattern(r"cpu|visible|device|gpu|npu|rank|proc|world|tensor|parallel|^--?(?:tp|pp|dp|np?)\b")
_COMMANDS: Final = 4096  # cache size: each fault is compared with each run below it
_SPEAKS: Final = MappingProxyType({"nvml": "nvidia-smi", "rsmi": "rocm-smi", "hlml": "hl-smi", "dcmi": "npu-smi"})
_LISTS: Final = pattern(r"[a-z-]{2,12}-?(?:smi|gmi|info|ls|mon)$|clinfo$")  # tools that list devices
_CONTAINER: Final = pattern(r"(?:sudo )?(?:docker|podman|nerdctl)(?: container)? run\b")
_IMAGE: Final = pattern(r"(?<=\s)(?![/.$~-])[\w.-]{1,80}(?:[/:][\w.-]{1,80}){1,6}(?=\s|$)")


def shows_work(line: str) -> bool:
    """Return whether a program does its actual work: a loss, a rate, a result, a listening server."""
    return bool(_WORK.search(line))


def shows_wellness(line: str) -> bool:
    """Return whether a line says that something is all right: "OK", "passed", "healthy"."""
    return bool(_WELL.search(line))


def shows_no_fault(line: str) -> bool:
    """Return whether fault counters are zero."""
    return bool(_ZEROS.search(line))


def shows_fault_counts(line: str) -> bool:
    """Return whether a fault counter is not zero."""
    return bool(_NONZERO.search(line))


def counts_none(line: str, run: Run | None) -> bool:
    """Return whether a log search counted nothing."""
    return run is not None and line.strip() == "0" and bool(_COUNTS.search(run.command))


def is_next_attempt(line: str, first: str) -> bool:
    """Return whether two lines are attempts at the same step.

    >>> is_next_attempt("[test 1/3] retry 2: ok", "[test 1/3] retry 1: CUDA error")
    True
    """
    tried, step = _ATTEMPT.match(line), _ATTEMPT.match(first)
    return tried is not None and step is not None and tried["step"] == step["step"]


def begins_boot(line: str) -> bool:
    """Return whether a log begins another boot at a line."""
    return bool(_BEGINS.match(line))


def is_row(line: str) -> bool:
    """Return whether a line may be a row of a list or a table: with a bullet, commas or wide blanks."""
    return bool(_ROW.match(line))


def is_same_command(run: Run, other: Run) -> bool:
    """Return whether two runs ask the same in the same place; a log of another boot counts as the same."""
    return run.host == other.host and _question(run.command) == _question(other.command)


def images(command: str) -> frozenset[str]:
    """Return the names in a command that starts a container which look like images; empty if it starts none.

    >>> sorted(images("docker run -it --device=/dev/kfd rocm/pytorch:latest")), sorted(images("rocminfo"))
    (['rocm/pytorch:latest'], [])
    """
    return frozenset(_IMAGE.findall(command)) if _CONTAINER.match(command) else frozenset()


@lru_cache(_COMMANDS)
def _question(command: str) -> str:
    return _BOOT.sub("", command).strip()


def is_same_program(run: Run, other: Run) -> bool:
    """Return whether a run is of the same program, possibly with other options, but none that selects other devices."""
    first, second = _words(run.command), _words(other.command)
    if run.host != other.host or not first or not second or first[0] != second[0] or first[0] in _INTERPRETERS:
        return False
    return not any(_PLACED.search(word) for word in set(first) ^ set(second))


@lru_cache(_COMMANDS)
def _words(command: str) -> tuple[str, ...]:
    """Return the program and its options: without its launcher, with the script instead of its interpreter."""
    words = _REDIRECTED.sub("", command).split()
    variables = [word for word in words if _VARIABLE.match(word)]
    words = [word for word in words if word not in variables and word not in _RUNNERS]
    if words and words[0].rsplit("/", 1)[-1] in _INTERPRETERS:
        script = next((word for word in words[1:] if word.endswith((".py", ".sh"))), None)
        words = [script, *(word for word in words[1:] if word != script)] if script else words
    return (*words[:1], *variables, *words[1:])


def answers(line: str, failed: Run | None, run: Run) -> bool:
    """Return whether a run tests what failed: the same command, a shared module, the tool that a line mentions.

    line    the line of the fault; failed: the command that printed it, or None
    """
    words = run.command.removeprefix("sudo ").split()
    if not words:
        return False
    if failed is not None and failed is not run:
        if _question(failed.command) == _question(run.command):
            return True
        if _imported(failed.command) & _imported(run.command):
            return True
        if failed.command.split()[:1] != run.command.split()[:1]:
            return False
    tool = words[0].rsplit("/", 1)[-1].lower()
    return bool(_LISTS.match(tool)) and tool in f"{line} {failed.command if failed else ''}".lower()


def is_answered(line: str, runs: Iterable[Run], troubles: Container[int]) -> bool:
    """Return whether the tool whose library a message names answers in one of the runs, the first without a trouble:
    nvidia-smi, of "Failed to initialize NVML".
    """
    tools = {tool for library, tool in _SPEAKS.items() if library in line.lower()}
    for run in runs if tools else ():
        words = run.command.removeprefix("sudo ").split()
        if words and words[0].rsplit("/", 1)[-1] in tools and run.first <= run.last:
            return not any(number in troubles for number in range(run.first, run.last + 1))
    return False


@lru_cache(_COMMANDS)
def _imported(command: str) -> frozenset[str]:
    return frozenset(_IMPORTED.findall(command)) - _EVERYWHERE
