"""Detect the output of passing tests, which may print expected errors. Pure.

    test_x[CUDA error: out of memory] PASSED       a line with a test's name and its success
    [ RUN      ] X.y … [       OK ] X.y            GoogleTest, Abseil: everything between; CTest prefixes "4: "
    RUN  X/busy … OK  X/busy                       similar runners; a test's name alone, then PASSED: pytest -s
    --- PASS: TestXid (0.00s)     ok 3 - xid       Go, TAP
    test xid::parses ... ok                        Rust; unittest -v
    Ran 31 tests in 0.482s / OK                    unittest: everything above it, from its first line
    ===== 5 passed in 2.31s =====                  pytest: the whole session, if no test failed
    Expected: … / Actual: … / Result: PASS         a hand-written test case: its block
The output of a failed test counts like any other output.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from accel.text.pattern import pattern

_PASSED: Final = pattern(
    r"\.{3,}[ ]+Passed\b|\bPASSED\b(?:[ ]{0,20}\[[ ]{0,3}\d{1,3}%\])?[ ]*$|^[ \t]{0,12}--- PASS: "
    r"|^[ \t]{0,12}ok \d{1,6}\b|^[ \t]{0,8}(?:test )?[\w:.\[\]() ,'\"-]{1,200}\.\.\. ok$"
    r"|^[ \t]{0,12}[✓✔√] |\bXFAIL\b|\bxfailed\b|^[ \t]{0,12}PASS[: ]",
    exact_case=True,
)
_RUN: Final = pattern(
    r"[ \t]{0,8}(?:\d{1,4}:[ \t]{1,8})?(?:\[ RUN {6}\]|RUN[:]?[ ]{0,6}) (?P<name>\S+)|[ \t]{0,8}=== RUN {3}(?P<go>\S+)",
    exact_case=True,
)
_OK: Final = pattern(
    r"[ \t]{0,8}(?:\d{1,4}:[ \t]{1,8})?(?:\[ {7}OK \]|(?:OK|PASS)[:]?[ ]{0,6}) (?P<name>\S+)"
    r"|[ \t]{0,8}--- PASS: (?P<go>\S+)",
    exact_case=True,
)
_BAD: Final = pattern(
    r"[ \t]{0,8}(?:\d{1,4}:[ \t]{1,8})?(?:\[ {2}FAILED {2}\]|FAIL(?:ED)?[:]?[ ]{0,6}) |[ \t]{0,8}--- FAIL: ",
    exact_case=True,
)
_SESSION: Final = pattern(
    r"=+ test session starts =+|Running tests under Python|\[={10}\] Running \d"
    r"|running \d{1,6} tests?$|TAP version|collected \d{1,6} items?"
)
_WELL: Final = pattern(
    r"=*[ ]?(?:\d{1,6} (?:passed|xfailed|skipped|deselected"
    r"|warnings?),? ?){1,6}(?:in [\d.]{1,12}s)?(?: \([\d:]{1,12}\))?[ ]?=*$"
    r"|test result: ok\.|Ran \d{1,6} tests? in [\d.]{1,12}s,? OK|\[ {2}PASSED {2}\] \d"
    r"|All tests passed|100% tests passed|Tests:?[ ]+\d{1,6} passed"
)
_RAN: Final = pattern(r"Ran \d{1,6} tests? in [\d.]{1,12}s$")
_FAILED: Final = pattern(
    r"\bFAILED\b|\b[1-9]\d{0,5} failed\b|\bfailures=[1-9]|\berrors=[1-9]|\bERROR: test|--- FAIL", exact_case=True
)
_TAP: Final = pattern(r"[ \t]{0,4}(?P<bad>not )?ok \d{1,6}\b")
_UNIT: Final = pattern(r"test_\w{1,100} \([\w.]{1,200}\) \.\.\.(?! ok$)")
_VERDICT: Final = pattern(
    r"[ \t]{0,8}(?:[-*•][ ]+)?\*{0,2}(?:(?:test )?(?:result|verdict|status|outcome)"
    r"|结论|结果|测试结果|判定|結果|Ergebnis)\*{0,2}"
    r"[ ]?[:：]\*{0,2}[ ]*(?:PASS(?:ED)?|OK|✅|✓|通过|合格|合格です|bestanden)\b[ .。!)]*$"
)
_NODE: Final = pattern(r"[ \t]{0,4}[\w./-]{1,120}\.py::\w")
_PASSED_ALONE: Final = pattern(r"[ \t]{0,8}PASSED\b", exact_case=True)
_FAILED_ALONE: Final = pattern(r"[ \t]{0,8}(?:FAILED|ERROR|SKIPPED)\b", exact_case=True)
_PROMPT: Final = pattern(
    r"[ \t]{0,4}(?:[\w.@:~/() -]{0,60}[$#]|PS [^>\n]{1,60}>)[ ]\w"
)  # a new command: what is above is no test's
_WITH_PASSED: Final = pattern(  # what passes says one of these
    r"\bok|pass|xfail|skipped|deselected|warning|[✓✔√✅]|通过|合格|bestanden"
)
_LEAD: Final = 400  # maximum lines above a summary that belong to its session


def passed_test_lines(lines: Sequence[str]) -> Iterator[int]:
    """Yield the indices of lines that belong to passing tests."""
    if not _WITH_PASSED.search("\n".join(lines)):
        return
    found: set[int] = set()
    unit: int | None = None  # the line on which unittest names the test whose output follows
    node: int | None = None  # the line on which pytest names the test whose output follows
    since = -1  # the last line that ended a TAP test
    started: dict[str, int] = {}
    session: int | None = None
    failed = False
    for number, line in enumerate(lines):
        if not line.strip():
            continue
        if _SESSION.search(line):
            session, failed = number if session is None else session, False
        failed |= bool(_FAILED.search(line))
        if _PASSED.search(line):
            found.add(number)
            session = number if session is None else session
        if _VERDICT.match(line):
            found.update(range(_first_of_block(lines, number), number + 1))
        if tap := _TAP.match(line):
            if not tap["bad"]:
                found.update(range(since + 1 if since >= 0 else _first_of_block(lines, number), number + 1))
            since = number
        if _UNIT.match(line):
            unit = number
        elif unit is not None and line.strip() in ("ok", "FAIL", "ERROR"):
            found.update(range(unit, number + 1) if line.strip() == "ok" else ())
            unit = None
        if _NODE.match(line):
            node = None if "PASSED" in line or _FAILED.search(line) else number
        elif node is not None and _PASSED_ALONE.match(line):
            found.update(range(node, number + 1))
            node = None
        elif _FAILED_ALONE.match(line):
            node = None
        if begun := _RUN.match(line):
            started[begun["name"] or begun["go"]] = number
        elif done := _OK.match(line):
            first = started.pop(done["name"] or done["go"], number)
            found.update(range(first, number + 1))
        elif _BAD.match(line):
            started.clear()
        if (_WELL.search(line) or _ran_well(lines, number)) and not failed:
            first = session if session is not None else _first_of_block(lines, number)
            found.update(range(max(first, number - _LEAD), number + 1))
            session = None
    yield from sorted(found)


def _ran_well(lines: Sequence[str], number: int) -> bool:
    """Return whether a unittest summary is on this line, with OK below it."""
    below = (line.strip() for line in lines[number + 1 : number + 4] if line.strip())
    return bool(_RAN.search(lines[number].strip())) and next(below, "").startswith("OK")


def _first_of_block(lines: Sequence[str], number: int) -> int:
    while number and lines[number - 1].strip() and not _PROMPT.match(lines[number]):
        number -= 1
    return number
