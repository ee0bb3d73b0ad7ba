"""Failed tests of DCGM's diagnosis, with their GPU and result: the tables and the JSON of `dcgmi diag`.

    | Targeted Stress           | Fail - GPU: 3, 5                              |     DCGM 2 and 3
    | memory                    | Fail                                          |     DCGM 4: a line for the test,
    |                           | GPU0: Fail                                    |     one for each GPU
    "name": "Memory", … "gpu_id": "5", "status": "Fail", "warnings": [{"error_id": 52, …}]

Seen    DCGM 2.3 to 4.6, as published
Notes   dcgm-test (test: as specs/nvidia/dcgm_tests names it, gpu, state: "fail" or "warn"), dcgm-result (code, gpu)
Left out  tests that passed, were skipped, or did not run
"""

from collections.abc import Iterator
from typing import Final

from accel.model.observation import Noted
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel.vendors.toolkit.notes import noted, reading_of

SOURCE: Final = "DCGM diagnosis"
_ROW: Final = pattern(
    r"^\s{0,8}\|\s{0,4}(?P<name>[A-Za-z][\w /-]{1,40}?)\s{1,40}\|\s{0,4}(?P<state>Fail|Warn)\b"
    r"(?:\s{0,3}-\s{0,3}GPUs?:\s{0,3}(?P<gpus>\d{1,3}(?:,\s{0,3}\d{1,3}){0,31}))?",
)
_OF_GPU: Final = pattern(r"^\s{0,8}\|\s{1,60}\|\s{0,4}GPU\s?(?P<gpu>\d{1,3}):\s{0,3}(?P<state>Fail|Warn)\b")
_NAME: Final = pattern(r"\"(?:name|test_name)\"\s{0,4}:\s{0,4}\"([A-Za-z][\w /-]{1,40})\"")
_GPU: Final = pattern(r"\"(?:gpu_id|entity_id|gpu_ids)\"\s{0,4}:\s{0,4}\"?(\d{1,3})\"?")
_STATE: Final = pattern(r"\"(?:status|result)\"\s{0,4}:\s{0,4}\"(Fail|Warn)\"")
_RESULT: Final = pattern(r"\"error_id\"\s{0,4}:\s{0,4}(\d{1,4})\b")
_BESIDE: Final = ("warning", "error", "result", "info")  # rows with details of the test above
_LONGEST: Final = 4000


def read(text: str) -> Iterator[Reading]:
    """Yield one reading with the failed tests and their results, in text order."""
    yield from reading_of(SOURCE, dict.fromkeys((*_of_table(text.split("\n")), *_of_json(text.split("\n")))))


def _of_table(lines: list[str]) -> Iterator[Noted]:
    test = ""
    for number, line in enumerate(lines, 1):
        if len(line) > _LONGEST or "|" not in line:
            continue
        if (row := _ROW.match(line)) and row["name"].lower() not in _BESIDE:
            test = row["name"]
            for gpu in (row["gpus"] or "").split(",") if row["gpus"] else [None]:
                yield _failed(test, row["state"], gpu, line, number)
        elif (of := _OF_GPU.match(line)) and test:
            yield _failed(test, of["state"], of["gpu"], line, number)


def _of_json(lines: list[str]) -> Iterator[Noted]:
    test, gpu = "", None
    for number, line in enumerate(lines, 1):
        if len(line) > _LONGEST or '"' not in line:
            continue
        if name := _NAME.search(line):
            test, gpu = name[1], None
        if named := _GPU.search(line):
            gpu = named[1]
        if test and (state := _STATE.search(line)):
            yield _failed(test, state[1], gpu, line, number)
        if result := _RESULT.search(line):
            of = f"nvidia:{int(gpu)}" if gpu is not None else None
            yield noted("dcgm-result", line, SOURCE, number, of=of, code=result[1], gpu=gpu)


def _failed(test: str, state: str, gpu: str | None, line: str, number: int) -> Noted:
    name = "_".join(test.lower().replace("/", " ").replace("-", " ").split())
    of = f"nvidia:{int(gpu)}" if gpu is not None else None
    index = str(int(gpu)) if gpu is not None else None
    return noted("dcgm-test", line, SOURCE, number, of=of, code=name, gpu=index, state=state.lower())


READER: Final = Reader(name=SOURCE, signs=("Fail", "Warn", "error_id"), read=read)
