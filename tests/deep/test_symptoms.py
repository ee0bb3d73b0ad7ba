"""A failed step is explained by a finding on its lines, on a library that they name, or on its package's files."""

import pytest

from accel.diagnose.outcome import Outcome
from accel.diagnose.symptoms import causes_of_symptom
from accel.vendors.contract.check import Check, Evidence, Problem

SYMPTOM = Problem(
    title="torch: import raised ImportError",
    evidence=(Evidence(fact="import", value="ImportError: libtorch_cpu.so: cannot open", line=180, last_line=184),),
)


@pytest.mark.parametrize(
    ("check", "title", "value", "line", "explains"),
    [
        ("anything", "x", "a line of it", 184, True),
        ("anything", "x", "a line before it", 179, False),
        ("anything", "x", "/env/torch/lib/libtorch_cpu.so is recorded and not there", None, True),
        ("anything", "x", "/env/torch/lib/libtorch_cpu.so.1 is recorded and not there", None, False),
        ("anything", "x", "/env/torch/lib/libtorch.so is recorded and not there", None, False),
        ("package-files-damaged", "torch 2.13.0 is damaged", "RECORD", None, True),
        ("package-files-damaged", "numpy 2.0.0 is damaged", "RECORD", None, False),
        ("shm-too-small", "torch has little shared memory", "64 MiB", None, False),
    ],
)
def test_a_cause_shares_a_line_a_file_or_the_package(
    check: str, title: str, value: str, line: int | None, explains: bool
) -> None:
    problem = Problem(title=title, evidence=(Evidence(fact="f", value=value, line=line),))
    of = Check(code="AC999", name=check, layer="framework", run=lambda *_: ())
    assert list(causes_of_symptom(SYMPTOM, [Outcome(of, [problem])])) == ([check] if explains else [])
