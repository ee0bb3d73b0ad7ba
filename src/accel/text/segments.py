"""Classify each line of a text: prose, a quoted reply, a patch, source code, a log, a test's output … Pure.

    > X wrote that …                          quote     somebody else's words, by depth
    diff --git a/x b/x, @@ -1 +1 @@, +line    diff      a change, not a run
    ./setup.py:212:  # undefined symbol       source    file contents; also code, comments, `cat x.py`
    - alert: GpuXid                           config    rules and settings that mention a fault
    test_x PASSED, [       OK ] X.y           test      a passing test, which expected what it printed
    $ python train.py                         command   a typed command, with its output below
    NAME / Known issues / | error | fix |     document  manuals, FAQs, release notes: not a machine's output
    everything else                           prose, or output

Most kinds determine the status of a statement (`STATUS_OF`); prose and output leave it open. Kinds are found once per
text, in linear time: each pass visits every line once.
"""

from collections.abc import Collection, Iterator, Sequence
from typing import Final, Literal

from accel.model.dataclass import dataclass, replace
from accel.model.grade import Status
from accel.text.config_lines import config_lines
from accel.text.dialogue import spoken_lines
from accel.text.documents import document_lines
from accel.text.pattern import pattern
from accel.text.quotations import leads_in_own_output
from accel.text.source_lines import diff_lines, source_lines
from accel.text.test_output import passed_test_lines

Kind = Literal["blank", "prose", "quote", "diff", "source", "config", "test", "document", "command", "output"]

STATUS_OF: Final[dict[Kind, tuple[Status, str]]] = {
    "quote": ("quoted", "someone else's words"),
    "diff": ("source", "a patch"),
    "source": ("source", "source code, or a search through it"),
    "config": ("source", "a rule or a setting"),
    "test": ("expected", "a test that passed"),
    "document": ("quoted", "documentation"),
}

_QUOTE: Final = pattern(r"[ \t]{0,3}((?:>(?!>>|=)[ \t]{0,2}){1,20})(?!>)")
_FENCE: Final = pattern(r"[ \t>]{0,12}(?:[-*+][ \t]+)?(```+|~~~+)[ \t]*([\w+.#-]*)")
_PROMPT: Final = pattern(
    r"[ \t]{0,8}(?:\([\w./+ -]{1,60}\)[ ]?)?(?:"
    r"\[?[a-z_][\w.-]{0,40}@[\w.-]{1,80}(?:[:\] ][^#$%>\n]{0,160})?[#$%>]"
    r"|(?:PS[ ])?[a-z]:\\[^>\n]{0,160}>"
    r"|(?:~|/)[\w./~-]{0,60}[$#%]|%(?=[ ](?:python|pip|uname|sw_vers|conda|ls|cat|system_profiler|echo"
    r"|brew|export|sudo)\b)|[$❯➜λ]|>>>|\.\.\.(?=[ ]{2})|In \[\d{1,4}\]:|(?:bash|sh)-\d\.\d[#$]"
    r"|[\w.-]{1,40}[:~][^\s#$]{0,60}[#$](?=[ ]))"
    r"(?:[ ]|$)(?P<command>[^\n]*)"
)
_ROOT_PROMPT: Final = pattern(
    r"[ \t]{0,4}#[ ](?P<command>(?:sudo |cat |ls |lsmod|modprobe |dmesg|journalctl|nvidia-smi|npu-smi|docker |kubectl "
    r"|systemctl |lspci|rocm-smi|rocminfo|python3? |pip3? |uname |apt |echo |env |ldconfig|dkms )[^\n]*)",
    exact_case=True,
)
_BARE_COMMAND: Final = pattern(
    r"(?:sudo )?(?:grep|cat|ls|lsmod|dmesg|journalctl|nvidia-smi|npu-smi|docker|kubectl|pip3?|python3?"
    r"|systemctl|rocm-smi"
    r"|lspci|uname|ldd|nvcc|rg|git|head|tail|sed|awk|find|strings)(?: [^\n]{0,300})?",
    exact_case=True,
)
_WHERE: Final = pattern(r"\([\w./+ -]{1,60}\)|[a-z_][\w.-]{0,40}@[\w.-]{1,80}|>>>")
_PLAIN: Final = pattern(r"[a-z][\w.-]{1,40}(?: [\w.:=/-]{1,60}){1,8}", exact_case=True)
_SENTENCE: Final = pattern(r": |\(|[A-Z][a-z]+ [a-z]+ ", exact_case=True)  # that begins with a program's name
_STAMP: Final = pattern(
    r"[ \t]{0,4}\[?(?:\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d|(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) )?"
    r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct"
    r"|Nov|Dec) {1,2}\d{1,2} "
    r"\d\d:\d\d|[IWEF]\d{4} \d\d:\d\d|\w {1,3}\d{1,2}/ ?\d{1,2} {1,2}\d{1,2}:\d\d:\d\d"
    r"|\d\d:\d\d:\d\d[.,: ]|[ ]{0,6}\d{1,7}\.\d{6}\])"
)
_RAW: Final = pattern(
    r"[EWIF] \S{1,80}[.:/]|\S{0,200}\.(?:cc|cpp|cu|h|py):\d|\S{1,60} - (?:INFO|ERROR|WARNING|DEBUG) -"
    r"|[\w.+-]{1,40}: \S|(?:error|warning|fatal)\b|Traceback \(most recent|[ \t]{1,8}File \""
    r"|[\w.]{1,80}(?:Error|Exception"
    r"|Warning)(?::|$)|\[?(?:ERROR|WARN|INFO|FATAL|DEBUG)\b"
    r"|[|+╭╰├│═=-]{2}|\S{1,80}:[ ]*$|NVRM:|E[ ]{3,}|\[\w[\w./ -]{0,40}\]|\S{1,40}:\S{1,40}(?:[ ]\[\d+\])"
)
_WORDS: Final = pattern(
    r"[a-zà-ÿа-яё][a-zà-ÿа-яё'’-]*[,;:.!?)]{0,2}(?=[ ]|$)|[A-Z][a-z]+(?=[ ])|\bI\b", exact_case=True
)
_COMMON: Final = pattern(
    r"\b(?:the|a|an|is|are|was|were|I|I'm|I've|my|me|we|our|it|it's|with|and|of|in|on|for|that|this"
    r"|these|but|when|after|before|if"
    r"|you|your|have|has|had|be|been|so|do|did|does|to|from|at|by|as|or|there|what|how|why|who|would"
    r"|should|can|will|just|now"
    r"|then|only|all|any|same|here|thanks|hi|hello|and|not|no|der|die|das|und|ist|mit|nicht|ich|es|auf"
    r"|le|la|les|et|est|je|pas"
    r"|avec|el|los|que|con|en|un|una|no|se|по|на|не|что|это|как|я|мы|и|в|с)\b"
)
_ALIGNED: Final = pattern(r"\w[\w ()/.-]{0,60}[ \t]{2,40}: ")  # a field of a tool's report
_EAST_ASIAN: Final = pattern("[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]")
_CYRILLIC: Final = pattern("[а-яё]{4}")  # programs seldom print it
_TOLD: Final = pattern(
    "[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af][^:：=]{8}"
)  # a sentence that no program's name begins
_OBJECT: Final = pattern(  # a message as a part of a sentence: "ImportError: … が出ます"
    r"[!-~][ ]?(?:[はがをも](?=[\u3040-\u9fff])|という|と[出表]|の(?:エラー|メッセージ)"
    r"|(?:[은는을를]|이?라는|오류|에러|메시지)(?=[ \uac00-\ud7af]))"
)
_SPOKEN: Final = 12  # letters of such a line that programs seldom print
_SIGNS: Final = pattern(r"[=<>{}\[\]|\\/_#*]")
_VALUE: Final = (
    pattern(  # a line of an environment's dump: "Is CUDA available: True", "GPU models and configuration: …"
        r"[\w][^:.!?\n]{2,60}: (?:True|False|N/?A|None|Yes|No|Could not collect|[<(\[{'\"]?\d[^\n]{0,80}"
        r"|[A-Z][A-Z0-9_]{2,}[^\n]{0,40})\b[^.!?\n]{0,60}$"
        r"|(?:Is|CUDA|GPU|OS|GCC|CMake|Libc|ROCM|HIP|MIOpen|cuDNN|Nvidia driver|Python(?: platform)?)[^:\n]{0,40}: "
    )
)
_NAME: Final = pattern(r"[\w./-]{1,40}[:：][ ]")
UPDATE: Final = pattern(  # "UPD: solved"
    r"^[*_\[(]{0,3}(?:upd(?:ate)?|edit(?:ed)?|eta|p\.?s|апд|апдейт)(?:[ ]?#?\d{1,2})?[*_\])]{0,3}[:：][ ]"
)
_QUOTATION: Final = pattern(r"(?<![=\w(])(?:\"[^\"\n]{8,1200}\"|“[^”\n]{8,1200}”|`[^`\n]{8,1200}`)(?!\w)")
_OWN_HEADING: Final = pattern(
    r"[\W_]{0,8}(?:(?:my|the|full|complete|actual) ){0,2}(?:errors?|outputs?|logs?|tracebacks?|报错|错误|日志|输出)"
    r"(?: ?(?:messages?|logs?|outputs?|信息|日志))?[\W_]{0,8}"
)
_LIST: Final = pattern(r"[ \t]{0,8}(?:[-*•+]|\d{1,2}[.)]|#{1,6})[ ]+(?=\S)")  # or a heading
_LONGEST: Final = 600  # characters of a line that are looked at


@dataclass(frozen=True, slots=True)
class Run:
    """A typed command, and the lines of its output. Lines count from 1; first > last means no output.

    host  user, host and environment as far as the prompt shows them: "root@gpu01", "(tf)"; "" if it shows none
    """

    command: str
    host: str
    line: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Segments:
    """The kinds of a text's lines, and the commands typed in it.

    kinds   of line 1 at index 0; depths: the quoting depth; languages: of the surrounding fence, "" if it names none
    runs    in the order of the text
    """

    kinds: tuple[Kind, ...]
    depths: tuple[int, ...]
    languages: tuple[str | None, ...]
    runs: tuple[Run, ...]

    def kind(self, line: int) -> Kind:
        """Return the kind of a line, counted from 1; "blank" beyond the end of the text."""
        return self.kinds[line - 1] if 0 < line <= len(self.kinds) else "blank"

    def is_mainly(self, kinds: Collection[str]) -> bool:
        """Return whether more than half of the lines that are not blank are of these kinds."""
        told = [kind for kind in self.kinds if kind != "blank"]
        return 2 * sum(kind in kinds for kind in told) > len(told)

    def as_output(self, lines: Collection[int]) -> "Segments":
        """Return a copy in which these lines of prose are treated as a program's output."""
        if not lines:
            return self
        kinds = tuple(
            "output" if kind == "prose" and line in lines else kind for line, kind in enumerate(self.kinds, 1)
        )
        return replace(self, kinds=kinds)

    def run_of(self, line: int) -> Run | None:
        """Return the command that is typed on a line."""
        return next((run for run in self.runs if run.line == line), None)

    def run_at(self, line: int) -> Run | None:
        """Return the command whose output contains a line."""
        return next((run for run in self.runs if run.first <= line <= run.last), None)


def segments_of(text: str) -> Segments:
    """Return the kind of each line. text: with quote marks and fences, but without terminal codes."""
    lines = [line[:_LONGEST] for line in text.split("\n")]
    depths, bodies = _quotes(lines)
    languages = _fences(bodies)
    kinds: list[Kind] = ["blank" if not body.strip() else "output" for body in bodies]
    _mark(kinds, "source", source_lines(bodies, languages))
    _mark(kinds, "diff", diff_lines(bodies, languages))
    _mark(kinds, "config", config_lines(bodies))
    runs = tuple(_runs(bodies, kinds))
    for run in runs:
        kinds[run.line - 1] = "prose" if run.command.startswith("#") else "command"
    runs = tuple(run for run in runs if not run.command.startswith("#"))
    printed = _printed(runs, bodies)
    for number in spoken_lines(bodies, is_prose):
        if kinds[number] == "output" and languages[number] is None and number not in printed:
            kinds[number] = "prose"
    for number, body in enumerate(bodies):
        if kinds[number] == "output" and languages[number] is None and number not in printed and is_prose(body):
            kinds[number] = "prose"
    runs = tuple(_until_prose(run, kinds) for run in runs)
    _mark(kinds, "test", passed_test_lines(bodies))
    _mark(kinds, "source", (n for run in runs if prints_files(run.command) for n in range(run.first - 1, run.last)))
    _mark(kinds, "document", document_lines(bodies, kinds, languages))
    for number, depth in enumerate(depths):
        if depth and kinds[number] != "blank" and not _goes_on(number, depths, bodies, kinds):
            kinds[number] = "quote"
    return Segments(tuple(kinds), tuple(depths), tuple(languages), runs)


def segments_together(several: Sequence[Segments]) -> Segments:
    """Merge segments of one text whose lines were read in several ways: a line is output if any of them says so."""
    output = {line for one in several for line, kind in enumerate(one.kinds, 1) if kind == "output"}
    return several[0].as_output(output)


def is_prose(line: str) -> bool:
    """Return whether a line looks like a sentence that a person wrote.

    >>> is_prose("It worked until I upgraded the driver."), is_prose("torch==2.5.1")
    (True, False)
    >>> is_prose("RuntimeError: no kernel image")
    False
    """
    item = _LIST.match(line)
    body = UPDATE.sub("", (line[item.end() :] if item else line).strip(), 1)
    if item:
        body = _NAME.sub("", body, 1)  # "- gpu03: it hung twice"
    if ('"' in body or "`" in body or "“" in body) and not _RAW.match(body):
        body = _QUOTATION.sub("", body).strip()
    east = len(_EAST_ASIAN.findall(body))
    if east >= _SPOKEN and (_TOLD.match(body) or _OBJECT.search(body)):
        return True
    if (
        not body
        or body[0] == "|"
        or _VALUE.match(body)
        or _ALIGNED.match(body)
        or _STAMP.match(body)
        or (_RAW.match(body) and not body.endswith((":", "：")))
    ):
        return False
    if east >= 4 and east * 3 >= len(body.replace(" ", "")) - 40:
        return True
    if len(_CYRILLIC.findall(body)) >= 3:
        return True
    words = len(_WORDS.findall(body))
    if words >= 5 and len(_SIGNS.findall(body)) * 3 <= words and body[:1].isalpha() and words * 2 >= len(body.split()):
        return True
    if words < 3 or len(_SIGNS.findall(body)) * 2 > words + 3:
        return body.endswith((":", "：", ".", "!", "?")) and words >= 1 and len(_COMMON.findall(body)) >= 1
    return len(_COMMON.findall(body)) * 6 >= words


def is_printed(line: str) -> bool:
    """Return whether a line begins as a program's output does: with a time, a level, a file, a program's name."""
    return not _LIST.match(line) and bool(_STAMP.match(line) or _RAW.match(line.strip()))


def _mark(kinds: list[Kind], kind: Kind, numbers: Iterator[int]) -> None:
    for number in numbers:
        if kinds[number] != "blank":
            kinds[number] = kind


def _quotes(lines: Sequence[str]) -> tuple[list[int], list[str]]:
    """Return the quoting depth of each line, and the lines without quote marks. Quoting of all lines is ignored."""
    found = [_QUOTE.match(line) if ">" in line[:12] else None for line in lines]
    prompts = {  # ">" before a command alone may be a prompt
        number
        for number, mark in enumerate(found)
        if mark
        and (_BARE_COMMAND.fullmatch(body := lines[number][mark.end() :].strip()) or _is_typed(lines, number, body))
    }
    told = [number for number, line in enumerate(lines) if number not in prompts and line.strip(" \t>")]
    if told and all(found[number] for number in told):
        prompts = set()  # what quotes all other lines quotes these
    marks = [None if number in prompts else mark for number, mark in enumerate(found)]
    depths = [mark[1].count(">") if mark else 0 for mark in marks]
    bodies = [line[mark.end() :] if mark else line for line, mark in zip(lines, marks, strict=True)]
    least = min((depth for depth, body in zip(depths, bodies, strict=True) if body.strip()), default=0)
    return [max(0, depth - least) for depth in depths], bodies


def _is_typed(lines: Sequence[str], number: int, body: str) -> bool:
    """Return whether a line, alone among lines without a quote mark, is a command at a bare ">" prompt."""
    beside = (*lines[max(0, number - 1) : number], *lines[number + 1 : number + 2])
    alone = not any(line.startswith(">") for line in beside)
    return alone and lines[number].startswith(f">{body}") and bool(_PLAIN.fullmatch(body)) and not is_prose(body)


def _fences(bodies: list[str]) -> list[str | None]:
    """Return the language of the fence around each line, and blank the fence lines."""
    languages: list[str | None] = []
    mark, language = "", ""
    for number, body in enumerate(bodies):
        found = _FENCE.match(body) if "```" in body or "~~~" in body else None
        if found and (not mark or found[1].startswith(mark)):
            mark, language = ("", "") if mark else (found[1], found[2].lower())
            bodies[number] = ""
            languages.append(None)
        else:
            languages.append(language if mark else None)
    return languages


def _goes_on(number: int, depths: Sequence[int], bodies: Sequence[str], kinds: Sequence[Kind]) -> bool:
    """Return whether a quoted line is the writer's own: below "and now", the heading "Error:", "what I get is:" or a
    command.
    """
    while number and depths[number]:
        number -= 1
    if depths[number]:
        return False
    if kinds[number] == "prose" and bodies[number].rstrip()[-1:].isalnum():
        return True
    while number and kinds[number] == "blank":
        number -= 1
    above = bodies[number]
    if depths[number] or kinds[number] == "blank":
        return False
    if kinds[number] == "command" or _OWN_HEADING.fullmatch(above):
        return True
    return leads_in_own_output(above)


def _runs(bodies: Sequence[str], kinds: Sequence[Kind]) -> Iterator[Run]:
    """Yield each command typed at a prompt; its output extends to the next prompt."""
    typed = [(number, *found) for number in range(len(bodies)) if (found := _typed(bodies, number)) is not None]
    for place, (number, command, host) in enumerate(typed):
        end = typed[place + 1][0] if place + 1 < len(typed) else len(bodies)
        while end > number + 1 and kinds[end - 1] == "blank":
            end -= 1
        yield Run(command.strip(), host, number + 1, number + 2, end)


def _printed(runs: Sequence[Run], bodies: Sequence[str]) -> frozenset[int]:
    """Return the indices of lines that follow a command without a blank line: its output, whatever they say."""
    found = set()
    for run in runs:
        for number in range(run.first - 1, run.last):
            if not bodies[number].strip():
                break
            found.add(number)
    return frozenset(found)


_TITLED: Final = pattern(
    r"[=\-*#]{2,6}[ ]{0,2}(?P<command>(?:dmesg|journalctl|nvidia-smi|npu-smi|rocm-smi"
    r"|log)\b)[^\n]{0,80}$"
)


def _typed(bodies: Sequence[str], number: int) -> tuple[str, str] | None:
    """Return the command typed on a line, and its prompt's host and environment; None if there is none."""
    body = bodies[number]
    if not body.strip() or (body.startswith("#") and _EAST_ASIAN.search(body)):  # a heading
        return None
    if titled := _TITLED.match(body):
        return titled["command"], "heading"
    if body.startswith("+ ") and _BARE_COMMAND.fullmatch(body[2:].strip()):
        return body[2:], ""  # a shell's trace output
    found = _PROMPT.match(body) or _ROOT_PROMPT.match(body)
    if found:
        command = found["command"]
        return (command, " ".join(_WHERE.findall(body[: len(body) - len(command)]))) if command.strip() else None
    alone = (number == 0 or not bodies[number - 1].strip()) and not _SENTENCE.search(body)
    return (body, "") if alone and _BARE_COMMAND.fullmatch(body.strip()) and not is_prose(body) else None


def is_prompted(line: str) -> bool:
    """Return whether a line begins with the prompt of a shell or an interpreter."""
    return (_PROMPT.match(line) or _ROOT_PROMPT.match(line)) is not None


def _until_prose(run: Run, kinds: Sequence[Kind]) -> Run:
    """End a command's output where a person writes again after a blank line."""
    for line in range(run.first, run.last + 1):
        if kinds[line - 1] == "prose" and (line == run.first or kinds[line - 2] == "blank"):
            last = line - 1
            while last >= run.first and kinds[last - 1] == "blank":
                last -= 1
            return replace(run, last=last)
    return run


_SHOWS_FILE: Final = pattern(
    r"(?:sudo )?(?:(?:cat|head|tail|sed|less|bat|nl)\b[^|]{0,200}\.(?:py|c|cc|cpp|cu|h|hpp|rs|go|js|ts"
    r"|java|md|rst|patch|diff)\b"
    r"|(?:grep|rg|ag|ack)\b(?:[^|]{0,200} -[a-zA-Z]{0,6}[rR]|[^|]{0,200} (?:\.|src|docs)/?(?:[ ]|$))"
    r"|rg\b|git (?:log|show|diff|grep|blame)\b"
    r"|man |strings |\S+ (?:--help|-h)$|apropos |tldr )"
)


_SETTINGS: Final = pattern(r"[^|]{0,200} /(?:etc|boot|proc|sys|run|usr/lib/modprobe\.d|lib/(?:modprobe\.d|systemd))/")


def prints_files(command: str) -> bool:
    """Return whether a command prints files of a project, rather than what happens or how the system is set up."""
    return bool(_SHOWS_FILE.match(command.strip())) and not _SETTINGS.match(command)
