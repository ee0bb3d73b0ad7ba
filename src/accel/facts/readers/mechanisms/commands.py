r"""Parse command lines in a text, with their output.

    $ docker run -it --gpus all -e A=b image nvidia-smi      after a prompt: "$ ", "# ", "user@host:~$ ", "C:\x> ",
    (container) # nvidia-smi                                 "PS C:\x> ", "bash-5.1# ", a trace's "+ ", a notebook's "!"
    docker run --rm \                                        alone on its line, if the tables know the tool
        --shm-size=8g image
    you should try `pip install x`                           in prose: advice, without evidence that it was run
    #SBATCH --gres=gpu:1                                     a batch script's options, as a command of sbatch
    export A=B    set A=B    $env:A = "B"    ENV A B         as a command "export" with these variables

specs/language/commands.yaml lists options that take a value; for other tools only "--name=value" does. A comment
("# Rank 0 Pid 17") and prose after a tool's name ("nvidia-smi works") are not commands.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from accel.facts.readers.mechanisms.command_words import ASSIGNMENT, PATH, first_tool, is_set, looks_run, taken_apart
from accel.facts.readers.page import Page
from accel.model.observation import Command
from accel.text.pattern import pattern

_MARKS: Final = r"\s{0,20}(?:\((?:[\w .,:+/-]{1,60})\)\s{0,3}){0,3}"
_PERSON: Final = r"\[?[\w.-]{1,60}@[\w.-]{1,80}[^\s$#%>]{0,120}(?: [^\s$#%>\]]{1,60}\]?)?"
_PROMPT: Final = pattern(
    _MARKS
    + rf"(?:(?P<who>{_PERSON}|host|container|node|root|(?:ba|z|da|k)?sh-[\d.]{{1,6}})?\s{{0,2}}(?P<sign>[$#%❯➜λ])"
    r"(?:\s{1,4}|(?=[a-z./]))"
    r"|(?P<windows>(?:PS )?[A-Za-z]:\\[^>\n]{0,200}>|PS>)\s{0,3}"
    r"|>>> ?!|In \[\d{1,5}\]: [!%]|(?P<trace>\+{1,3}) |[!%](?=[a-z]))"
    r"(?P<command>[^\s#=].{0,4000})$",
    re.IGNORECASE,
)
_BARE: Final = pattern(  # a prompt at which nothing was typed
    _MARKS + rf"(?:{_PERSON}|(?:ba|z|da|k)?sh-[\d.]{{1,6}})?\s{{0,2}}[$#%❯➜λ]\s{{0,4}}$"
)
_BATCH: Final = pattern(
    r"\s{0,20}#\s?(?P<tool>SBATCH|PBS|BSUB)\s{1,10}(?P<options>-.{0,500})$",
    re.IGNORECASE,
)
_BUILD_STEP: Final = pattern(  # of a Dockerfile, and of docker build's log
    r"\s{0,8}(?:#\d{1,3} \[[^\]\n]{1,40}\] |STEP \d{1,3}(?:/\d{1,3})?: |Step \d{1,3}/\d{1,3} : )?"
    r"(?:RUN\s{1,8}(?:--mount=\S{1,200}\s{1,8}){0,3}(?P<run>[^\[\s].{0,4000})"
    r"|(?P<env>ENV)\s{1,8}(?P<name>[A-Za-z_]\w{0,80})(?:=|\s{1,8})(?P<value>.{0,400})"
    r"|(?P<from>FROM)\s{1,8}(?:--platform=\S{1,60}\s)?(?P<image>[\w.-]{1,120}[/:][\w./:@-]{1,200})(?:\s{1,4}AS\s{1,4}\S{1,60})?\s{0,8})$",
    re.IGNORECASE,
)
_QUOTED: Final = pattern(r"`(?P<command>[A-Za-z][^`\n]{3,400})`")
_ADVICE: Final = pattern(  # in the same sentence
    r"\b(?:try|tried|should|please|could(?!n)|can(?!['’n])|example|such as|instead|need to|needs? to|must|recommend\w*"
    r"|use|using|by running|run|running|via|fix(?:ed)?(?: by)?|works? with|solution|suggest\w*|want to|how to|consider"
    r"|see)\b(?:(?![.!?][ ])[^\n]){0,60}$"
)
_OWN: Final = pattern(  # what the writer does: no advice, whatever verb it has
    r"\b(?:I|we)(?:['’](?:m|re|ve))?(?: (?:am|are|was|were|have|had|now|just|also|always|usually|currently)){0,3}"
    r" (?:us(?:e|ed|ing)|r[ua]n|running)\b[^.!?\n]{0,60}$"
)
_REMARK: Final = pattern(
    r"\s{1,20}\((?P<remark>[^()$]{2,120})\)\s{0,5}$|\s{1,20}(?:->|=>|→)\s{0,4}(?P<shown>[^|&;]{1,200})$",
    exact_case=True,
)
_OPTION: Final = pattern(r"\s{0,20}--[a-z][\w-]{1,40}(?:[= ]|$)")
_LONGEST: Final = 4000
_MOST_LINES: Final = 60  # of one command, joined by "\"
_MOST: Final = 200


def recognise(page: Page) -> Iterator[Command]:
    yield from commands_in(page)
    if "image" in page.words.places:
        from accel.facts.container_files import services

        yield from services(page.lines)


def commands_in(page: Page) -> tuple[Command, ...]:
    """Return the command lines in the order of the text; commands joined by "&&" or ";" are separate."""
    return page.once("commands", _commands)


def _commands(page: Page) -> Iterator[Command]:
    tables = page.specs.commands
    lower = page.text.lower()
    anywhere = tuple(f" {name} " for name, table in tables.items() if not table.get("word") and f" {name} " in lower)
    taken = 0
    found = 0
    for number, line in enumerate(page.lines, 1):
        if number <= taken or not line or len(line) > _LONGEST:
            continue
        for text, last, advice, asked in _candidates(page, number, line, tables, anywhere):
            taken = max(taken, last)
            from accel.text.shell import segments

            for words in segments(text):
                fields = taken_apart(words, tables, asked)
                if fields is not None:
                    yield _made(page, number, last, advice, fields)
                    found += 1
        if found >= _MOST:
            return


_Candidate = tuple[str, int, bool, bool]  # command line, last line, only advice, whether a prompt shows that it was run


def _candidates(
    page: Page, number: int, line: str, tables: Mapping[str, Any], anywhere: Sequence[str]
) -> Iterator[_Candidate]:
    if batch := _BATCH.match(line):
        yield f"{batch['tool'].lower()} {batch['options']}", number, False, True
        return
    if step := _BUILD_STEP.match(line):
        yield from _build_step(step, page, number)
        return
    prompted = _PROMPT.match(line)
    if prompted and _is_asked(prompted, tables):
        text, last = _joined(prompted["command"], page.lines, number, tables)
        yield text, last, False, True
        return
    if "`" in line:
        for quoted in _QUOTED.finditer(line):
            table = tables.get(first_tool(quoted["command"]))
            if table is not None and " " in quoted["command"] and looks_run(quoted["command"], table):
                yield quoted["command"], number, _advises(line[: quoted.start()]), False
        return
    stripped = line.strip(" \t-*•>")
    if is_set(stripped):
        yield stripped, number, False, True
        return
    tool = first_tool(stripped)
    table = tables.get(tool) if tool else None
    if table is not None:
        if looks_run(stripped, table) and not table.get("word"):
            text, last = _joined(stripped, page.lines, number, tables)
            yield text, last, _is_advised(page.lines, number), True
        return
    lower = line.lower()
    for name in anywhere:  # in the middle of prose: "we start it with docker run …"
        at = -1
        while (at := lower.find(name, at + 1)) >= 0:  # "my docker container …: docker run …"
            if at > 0 and looks_run(line[at + 1 :], tables[name.strip()], strict=True):
                text, last = _joined(_before_quote(line, at + 1), page.lines, number)
                yield text, last, _advises(line[: at + 1]), False
                return


def _is_asked(prompted: "re.Match[str]", tables: Mapping[str, Any]) -> bool:
    """Return whether a prompt is real: "# nvidia-smi" is, "# Rank 0 Pid 17" is a comment, "% of the time" is prose."""
    if prompted["who"] or prompted["windows"] or not (prompted["sign"] or prompted["trace"]):
        return True
    command = prompted["command"]
    tool = first_tool(command)
    table = tables.get(tool)
    if table is not None:
        return prompted["sign"] in ("$", "❯", "➜", "λ") or looks_run(command, table) or bool(table.get("word"))
    if prompted["sign"] in ("$", "❯", "➜", "λ"):
        return not command[0].isdecimal()
    return bool(PATH.match(command) or (ASSIGNMENT.match(command) and " " in command and prompted["sign"]))


def _build_step(step: "re.Match[str]", page: Page, number: int) -> Iterator[_Candidate]:
    if step["run"]:
        text, last = _joined(step["run"], page.lines, number)
        yield text, last, False, True
    elif step["env"]:
        text, last = _joined(f"export {step['name']}={step['value']}", page.lines, number)
        yield text, last, False, True
    elif "import" not in step["image"]:
        yield f"dockerfile from {step['image']}", number, False, True


def _before_quote(line: str, at: int) -> str:
    """Return a line from a position on, up to the end of a quotation or bracket that opens shortly before it."""
    before = line[max(0, at - 12) : at]
    closing = next((end for begin, end in (('"', '"'), ("'", "'"), ("“", "”"), ("(", ")")) if begin in before), None)
    end = line.find(closing, at) if closing else -1
    return line[at:] if end < 0 else line[at:end]


def _joined(text: str, lines: Sequence[str], number: int, tables: Mapping[str, Any] | None = None) -> tuple[str, int]:
    r"""Return a command joined with its continuation lines ("\", "^" or "`"), and the number of the last line.

    With tables, also join lines that a terminal wrapped before an option or after an option's name. The contents of a
    here-document ("<<EOF") are left out.
    """
    from accel.text.shell import heredoc_end

    last = number
    while text.rstrip().endswith(("\\", " ^", " `")) and last < len(lines) and last - number < _MOST_LINES:
        text = text.rstrip()[:-1].rstrip() + " " + lines[last].strip().removeprefix("> ")
        last += 1
    while tables is not None and last < min(len(lines), number + _MOST_LINES) and _goes_on(text, lines[last], tables):
        text, last = f"{text.rstrip()} {lines[last].strip()}", last + 1
    if end := heredoc_end(text):
        last = next((n for n in range(last, min(len(lines), last + 400)) if lines[n].strip() == end), last - 1) + 1
    return text, last


def _goes_on(text: str, line: str, tables: Mapping[str, Any]) -> bool:
    if not line.strip():
        return False
    last = text.rsplit(maxsplit=1)[-1]
    table = tables.get(first_tool(text.rpartition("|")[2].strip()), {})  # that of "… | wc -l" is wc's
    return bool(_OPTION.match(line)) or ("-" in last[:2] and last in table.get("valued", ()))


def _is_advised(lines: Sequence[str], number: int) -> bool:
    """Return whether the previous line says that what follows should be tried, or is what helped."""
    before = next((line for line in reversed(lines[max(0, number - 3) : number - 1]) if line.strip()), "")
    return before.rstrip().endswith((":", "：")) and _advises(before.rstrip(" :："))


def _advises(before: str) -> bool:
    """Return whether the words before a command say that it is to be tried, or is what helped."""
    return _ADVICE.search(before) is not None and _OWN.search(before) is None


def _made(page: Page, number: int, last: int, advice: bool, fields: dict[str, Any]) -> Command:
    remark = _remark(page, last, fields.get("operands", ()))
    if remark is not None:
        fields = {**fields, "operands": fields["operands"][: -len(remark.split())]}
    return Command(
        text=" ".join(" ".join(page.lines[number - 1 : last]).split())[:1000],
        line=number,
        last_line=last,
        answer=remark.strip("()") if remark else _answer(page.lines, last),
        advice=advice,
        **fields,
    )


def _remark(page: Page, last: int, operands: Sequence[str]) -> str | None:
    """Return the writer's remark at the end of a command, "(hangs)" or "-> False", which is its answer."""
    found = _REMARK.search(page.lines[last - 1]) if operands else None
    if found is None:
        return None
    said = found[0].strip()
    return said if list(operands[-len(said.split()) :]) == said.split() else None


def _answer(lines: Sequence[str], last: int) -> str | None:
    """Return the first line printed after a command; None if a blank line or another command follows."""
    line = lines[last] if last < len(lines) else ""
    is_command = any(form.match(line) for form in (_PROMPT, _BARE, _BUILD_STEP, _BATCH)) or is_set(line.strip())
    return line.strip()[:400] if line.strip() and not is_command else None
