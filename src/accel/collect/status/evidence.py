"""What a line shows of whether a machine is well: work done, counters at zero, a closed record. Pure."""

from typing import Final

from accel.text.pattern import pattern
from accel.text.segments import Run

_WORK: Final = pattern(
    r"^[ ]{0,8}True$|^\([^()]{0,120}\bTrue\b[^()]{0,120}\)$|\b\d[\d.,]{0,12} ?(?:[TGMP]?FLOPS|[GM]B/s|req/s)"
    r"|\b(?:loss|acc)\w{0,10}['\"]?[ :=|]{1,4}\d|\d ?(?:tok(?:ens)?/s|it/s|s/it|fps|img/s|samples/s)\b"
    r"|\btrain_(?:loss|runtime)\b|\brunning on http|\bstartup complete|\bweights took\b|\blistening (?:on|at)\b"
    r"|\bsaved? (?:to )?\S+\.\w{2,4}\b|\b\d{1,3}%\|.{0,40}\||\btorch\.Size\(|\btensor\(|\bArray\("
    r"|\b(?:step|epoch|iter)[ =:]{0,3}\d"
)
_WELL: Final = pattern(
    r"(?:^|[ :|=(,'])(?:OK|pass(?:ed)?|success(?:ful(?:ly)?)?|healthy|clean|works?)(?:$|[ |,.!\"])|\b\d{1,6} passed\b"
)
_ZEROS: Final = pattern(
    r"(?:ecc|err|xid|retired|remap|fail|uncorrect|corrected|count|cnt|replay|crc|\bue"
    r"|\bce)[\w .()/-]{0,60}[:=, |][ ]*0\b"
    r"|^[ ]*0[ ]*$|(?:,[ ]*0){2,}[ ]*$|(?:->|→|=>) ?0(?:$|[ ;,.])"
)
_NONZERO: Final = pattern(r"(?:ecc|err|xid|retired|remap|fail|uncorrect|cnt)[\w .()/-]{0,60}[:=|][ ]*[1-9]\d*\b")
_COUNTS: Final = pattern(r"\b(?:dmesg|journalctl|log)\b.{0,200}(?:grep -\w{0,6}c|wc -l)")
_CONDITION: Final = pattern(
    r"\bwith(?:out)? \w|^[\W]{0,4}(?:on|using|when|if|in|inside|outside|a single|only|for|from)\b"
    r"|\bworks? (?:on|with|in|for|when|if|outside)\b|\bcpu\b|\b(?:another|other|older) \w"
    r"|单卡|在?CPU|宿主机|主机上|别的|另一"
)
_ROW: Final = pattern(
    r"[ \t]{0,6}(?:\||[-*•][ ]|\d)|[^,\s]{1,40},[^,\s]{1,40},\S"
    r"|\S[^\n]{0,60}?[ ]{2,12}\S[^\n]{0,80}?[ ]{2,12}\S"
)
_BOOT: Final = pattern(r"[ ](?:-b|--boot)(?:[ =]?-?\d{1,3})?(?=[ ]|$)")
_IMPORTED: Final = pattern(r"(?:\bimport|,)[ ]([a-z_]\w*)")
_EVERYWHERE: Final = frozenset(("torch", "os", "sys"))  # modules that most commands import
_LISTS: Final = pattern(r"[a-z-]{2,12}-?(?:smi|gmi|info|ls|mon)$|clinfo$")  # tools that list devices


def shows_work(line: str) -> bool:
    """Whether a program does the work that it is there for: a loss, a rate, a result, a server that listens."""
    return bool(_WORK.search(line))


def shows_wellness(line: str) -> bool:
    """Whether a line says that something is all right: "OK", "passed", "healthy"."""
    return bool(_WELL.search(line))


def shows_no_fault(line: str) -> bool:
    """Whether counters of faults are zero."""
    return bool(_ZEROS.search(line))


def shows_fault_counts(line: str) -> bool:
    """Whether a counter of faults is not zero."""
    return bool(_NONZERO.search(line))


def counts_none(line: str, run: Run | None) -> bool:
    """Whether a search through a log counted nothing."""
    return run is not None and line.strip() == "0" and bool(_COUNTS.search(run.command))


def has_other_condition(line: str) -> bool:
    """Whether a sentence says under which other condition something works: "With one GPU:", "On the CPU:"."""
    return bool(_CONDITION.search(line))


def is_row(line: str) -> bool:
    """Whether a line may be a row of a list or a table: with a bullet, commas or wide blanks."""
    return bool(_ROW.match(line))


def is_same_command(run: Run, other: Run) -> bool:
    """Whether the same is asked in the same place; a log of another boot answers the same question."""
    return run.host == other.host and _BOOT.sub("", run.command).strip() == _BOOT.sub("", other.command).strip()


def answers(line: str, failed: Run | None, run: Run) -> bool:
    """Whether a run is of what failed: the same command, a shared module, the tool that a line mentions.

    line    the line of the fault; failed: the command that printed it, None where none did
    """
    words = run.command.removeprefix("sudo ").split()
    if not words:
        return False
    if failed is not None and failed is not run:
        if _BOOT.sub("", failed.command).strip() == _BOOT.sub("", run.command).strip():
            return True
        if (frozenset(_IMPORTED.findall(failed.command)) - _EVERYWHERE) & frozenset(_IMPORTED.findall(run.command)):
            return True
        if failed.command.split()[:1] != run.command.split()[:1]:
            return False
    tool = words[0].rsplit("/", 1)[-1].lower()
    return bool(_LISTS.match(tool)) and tool in f"{line} {failed.command if failed else ''}".lower()
