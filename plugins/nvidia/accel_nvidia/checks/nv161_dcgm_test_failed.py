from typing import Any

from accel.vendors.contract.check import Fact, Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel.vendors.toolkit.table_steps import fix, step_of


@check(
    code="NV161",
    name="dcgm-test-failed",
    layer="hardware",
    severity="warning",
    family="gpu-hardware-fault",
    reads=("dcgm-test", "dcgm-result"),
    needs=("nvidia.devices",),
    explained_by=(
        *("gpu-lost", "gpu-ecc-uncorrectable", "gpu-row-remap-pending", "gpu-row-remap-failed"),
        *("retired-pages-pending", "gpu-thermal-slowdown", "gpu-hardware-slowdown", "inforom-corrupted"),
        *("nvlink-down", "nvlink-errors", "pcie-link-degraded", "gpu-pcie-errors", "gpu-sram-worn"),
        *("fabric-manager-not-running", "persistence-off", "driver-not-loaded"),
    ),
)
def dcgm_test_failed(facts: Facts, specs: Specs) -> Problems:
    """A `dcgmi diag` test failed on a GPU, or reports a warning.

    Why it matters   Vendor service asks for this diagnosis; a GPU that fails it corrupts or stops jobs.
    What to do       The action in the test's row; repeat the test, and compare with the GPUs that pass.
    Looks at         the table and the JSON of `dcgmi diag`: tests, GPUs, results by number
    Silent when      all tests passed or were skipped
    Source           NVIDIA: DCGM user guide, diagnostics; dcgm_errors.h
    """
    by_test: dict[str, list[Fact]] = {}
    for fact in facts.stated("dcgm-test"):
        by_test.setdefault(fact.value("code") or "", []).append(fact)
    tests = _rows(specs, "nvidia/dcgm_tests")
    results = _rows(specs, "nvidia/dcgm_results")
    codes = facts.stated("dcgm-result")
    for test, found in by_test.items():
        row = tests.get(test)
        gpus = tuple(dict.fromkeys(gpu for fact in found if (gpu := fact.value("gpu"))))
        own = [fact.value("code") or "" for fact in codes if fact.value("gpu") in gpus]
        told = [results[code] for code in own if code in results]
        failed = found[0].value("state") == "fail"
        where = f" on GPU {', '.join(gpus)}" if gpus else ""
        name = row["names"][0] if row and row.get("names") else test.replace("_", " ")
        yield Problem(
            title=f"DCGM's test {name} {'failed' if failed else 'warns'}{where}",
            detail=". ".join(dict.fromkeys([row["meaning"], *(one["meaning"] for one in told)] if row else [])) or None,
            severity=row["severity"] if row and failed else None,
            devices=tuple(dict.fromkeys(fact.device for fact in found if fact.device)),
            evidence=quoted((*found, *codes)),
            remedies=_remedies(row, gpus, specs),
        )


def _rows(specs: Specs, name: str) -> dict[str, dict[str, Any]]:
    """Return a table's rows by code, and by name as a reader spells it."""
    table = specs.table(name) or {"codes": ()}
    found = {str(row["code"]): row for row in table["codes"]}
    for row in table["codes"]:
        for other in row.get("names", ()):
            found.setdefault("_".join(other.lower().replace("/", " ").replace("-", " ").split()), row)
    return found


def _remedies(row: dict[str, Any] | None, gpus: tuple[str, ...], specs: Specs) -> tuple[Remedy, ...]:
    look = "nvidia-smi -q -d PERFORMANCE,CLOCK,POWER,TEMPERATURE,ECC,ROW_REMAPPER"
    unknown = {"action": "Read the lines below the test, and rerun it alone on this GPU."}
    own = step_of(row or unknown, look)
    again = fix(specs, "nvidia", "dcgm-again")
    return (own, again)
