"""`accel fit` beside published figures, and beside other estimators on the same rows.

    python benchmarks/fit.py              the figures and the tables of benchmarks/fit.md
    python benchmarks/fit.py --write      writes the tables into the page, below its line of dashes

Rows: fit_figures.yaml. Others' figures: fit_peers.jsonl, made by fit_peers.py.
"""

import json
import re
import statistics
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from accel.apps import api
from accel.apps.fitting import targets
from accel.footprint.config import shape_of
from accel.footprint.described import described, parameters_of
from accel.footprint.formats import plain
from accel.footprint.memory import needed
from accel.footprint.model import ModelShape, Plan
from accel.footprint.verdict import judged
from accel.model.dataclass import field_names

_HERE = Path(__file__).parent
_MARK = "\n---\n"
_CONTEXT = re.compile(r"CUDA context \((\d+) MiB\)")
_GROUPS = {
    "a": "weights and files",
    "b": "GGUF files",
    "c": "caches",
    "d": "inference",
    "e": "training",
    "f": "out of memory",
}
# a GGUF row's architecture and sizes, as a config has them
_ARCHITECTURES = {
    "qwen3moe": "qwen3_moe",
    "qwen2moe": "qwen2_moe",
    "gpt-oss": "gpt_oss",
    "gemma3": "gemma3_text",
    "gptneox": "gpt_neox",
}
_SIZES = {
    "layers": "num_hidden_layers",
    "hidden": "hidden_size",
    "ffn": "intermediate_size",
    "heads": "num_attention_heads",
    "kv_heads": "num_key_value_heads",
    "head_dim": "head_dim",
    "vocab": "vocab_size",
    "experts": "num_local_experts",
    "experts_used": "num_experts_per_tok",
    "expert_ffn": "moe_intermediate_size",
}


class Judged(NamedTuple):
    """One figure: of which row, what, published and computed; error as a share."""

    row: dict[str, Any]
    field: str
    published: float
    computed: float

    @property
    def error(self) -> float:
        return self.computed / self.published - 1


def shape_and_plan(row: dict[str, Any]) -> tuple[ModelShape, Plan]:
    """Return what a row asks."""
    given, options = row["input"], {key: value for key, value in row["options"].items() if value is not None}
    if gguf := given.get("gguf"):
        kind = _ARCHITECTURES.get(gguf["arch"], gguf["arch"])
        kind = "mixtral" if kind == "llama" and gguf.get("experts") else kind
        sizes = {name: gguf[key] for key, name in _SIZES.items() if key in gguf}
        given = {"config": {"model_type": kind, "tie_word_embeddings": bool(gguf.get("tied")), **sizes}}
        # llama.cpp calls a file with experts in mxfp4 and the rest in q8_0 so
        options["quant"] = "mxfp4_moe" if plain(gguf["quant"]) == "mxfp4" else gguf["quant"]
    plan = Plan(**{key: value for key, value in options.items() if key in set(field_names(Plan()))})
    if "config" in given:
        return shape_of(given["config"], api._specs()), plan
    sizes = {key: given[key] for key in ("layers", "hidden", "heads", "kv_heads", "head_dim") if given.get(key)}
    return described(parameters_of(str(given["params"])), **sizes), plan


def figures(rows: list[dict[str, Any]]) -> tuple[list[Judged], list[tuple[dict[str, Any], bool | None]]]:
    """Return each figure beside the published one, and the verdicts of rows that have one."""
    specs, found, verdicts = api._specs(), [], []
    for row in rows:
        shape, plan = shape_and_plan(row)
        target = targets(row["on"], specs, plan)[0][0] if row.get("on") else None
        verdict = judged(shape, plan, target, specs, advise=False) if target else None
        need = verdict.need if verdict else needed(shape, plan, specs)
        for field, published in row.get("expect", {}).items():
            if isinstance(published, bool) or not isinstance(published, (int, float)):
                continue
            computed = getattr(need, field)
            if field == "total_bytes":
                computed += program_of(row.get("basis", ""), need.overhead_bytes)
            found.append(Judged(row, field, published, computed))
        if verdict is not None and "fits" in row:
            verdicts.append((row, verdict.fits))
    return found, verdicts


def program_of(basis: str, overhead: int) -> int:
    """Return what to add so that the program itself counts as the source counts it.

    The torch allocator's figures are without it, and pages that print NVML's also print what the context takes.
    """
    if "allocator" in basis.partition(":")[0]:
        return -overhead
    printed = _CONTEXT.search(basis)
    return int(printed[1]) * 2**20 - overhead if printed else 0


def summary(found: list[Judged], verdicts: list[tuple[dict[str, Any], bool | None]]) -> Iterator[str]:
    """Yield the table of errors by set, and by group."""
    yield "| figures | number | median error | within 5 % | within 12 % | exact |"
    yield "|---|---:|---:|---:|---:|---:|"
    chosen = [
        ("all", found),
        ("first set", [one for one in found if one.row["set"] == "first"]),
        ("kept set", [one for one in found if one.row["set"] == "kept"]),
        *((label, [one for one in found if one.row["group"] == group]) for group, label in _GROUPS.items()),
        ("uncertain rows left out", [one for one in found if not one.row.get("weak")]),
    ]
    for label, some in chosen:
        errors = [abs(one.error) for one in some]
        if errors:
            within = [sum(error <= most for error in errors) for most in (0.05, 0.12)]
            share = f"{within[1]} ({100 * within[1] / len(errors):.0f} %)"
            exact = sum(one.computed == one.published for one in some)
            median = f"{100 * statistics.median(errors):.2f} %"
            yield f"| {label} | {len(errors)} | {median} | {within[0]} | {share} | {exact} |"
    count: dict[tuple[bool, bool | None], int] = {}
    for row, fits in verdicts:
        count[row["fits"], fits] = count.get((row["fits"], fits), 0) + 1
    yield ""
    yield "| the source says | accel: fits | may or may not | does not fit |"
    yield "|---|---:|---:|---:|"
    for truth, label in ((False, "out of memory"), (True, "it ran")):
        numbers = (str(count.get((truth, fits), 0)) for fits in (True, None, False))
        yield f"| {label} | {' | '.join(numbers)} |"


def table(found: list[Judged], peers: dict[str, dict[str, float]]) -> Iterator[str]:
    """Yield a row for each figure."""
    yield "| row | set | model and plan | figure | published | accel | error | others | source |"
    yield "|---|---|---|---|---:|---:|---:|---|---|"
    for one in found:
        row = one.row
        options = ", ".join(f"{key} {value}" for key, value in row["options"].items() if value is not None)
        told = [
            f"{name} {figure / one.published - 1:+.0%}"
            for name, figure in sorted(peers.get(f"{row['id']} {one.field}", {}).items())
        ]
        field = one.field.removesuffix("_bytes").replace("_", " ")
        url = row["source"].get("url", "")
        source = (
            f"[{_cell(row['source']['title'])}]({url})" if url.startswith("http") else _cell(row["source"]["title"])
        )
        asked = f"{_cell(row['model'])}{': ' if options else ''}{_cell(options)}"
        amounts = (_amount(one.field, value) for value in (one.published, one.computed))
        cells = (row["id"], row["set"], asked, field, *amounts, f"{100 * one.error:+.1f} %", ", ".join(told), source)
        yield f"| {' | '.join(cells)} |"


def _cell(text: str) -> str:
    return text.replace("|", "/").replace("\n", " ")


def _amount(field: str, value: float) -> str:
    return f"{value:,.0f}" if field == "parameters" else f"{value / 1e9:,.3f} GB"


def others(rows: list[dict[str, Any]]) -> dict[str, dict[str, float]]:
    """Return "row field" -> estimator -> its figure."""
    found: dict[str, dict[str, float]] = {}
    for line in (_HERE / "fit_peers.jsonl").read_text(encoding="utf-8").splitlines():
        told = json.loads(line)
        for field in told.keys() - {"peer", "id"}:
            found.setdefault(f"{told['id']} {field}", {})[told["peer"]] = told[field]
    for row in rows:
        options = row["options"]
        if options.get("train") == "full" and "model_states_bytes" in row.get("expect", {}):
            shape, plan = shape_and_plan(row)
            states = _by_deepspeed(shape.parameters, plan.zero, plan.devices)
            if states is not None:
                found.setdefault(f"{row['id']} model_states_bytes", {})["DeepSpeed"] = states
    return found


def _by_deepspeed(parameters: int, stage: int, devices: int) -> float | None:
    """Return what DeepSpeed's estimators say of stages 2 and 3 without offload; the largest layer left out.

    Source  deepspeed/runtime/zero/stage_1_and_2.py and stage3.py, estimate_zero*_model_states_mem_needs
    """
    if stage == 2:
        return 4 * parameters + 16 * parameters / devices
    return 18 * parameters / devices if stage == 3 else None


def beside_others(found: list[Judged], peers: dict[str, dict[str, float]]) -> Iterator[str]:
    """Yield how each estimator does on the figures that it gives, and accel on the same."""
    yield "| estimator | figures | median error | within 12 % | accel's median | accel within 12 % |"
    yield "|---|---:|---:|---:|---:|---:|"
    errors: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for one in found:
        for name, figure in peers.get(f"{one.row['id']} {one.field}", {}).items():
            pair = abs(figure / one.published - 1), abs(one.error)
            errors.setdefault((name, one.field), []).append(pair)
    for (name, field), pairs in sorted(errors.items()):
        theirs, ours = zip(*pairs, strict=True)
        label = field.removesuffix("_bytes").replace("_", " ")
        row = [f"{name}: {label}", str(len(pairs))]
        for some in (theirs, ours):
            row += [f"{100 * statistics.median(some):.2f} %", str(sum(error <= 0.12 for error in some))]
        yield f"| {' | '.join(row)} |"


def main(words: list[str]) -> None:
    """Print the tables, or write them into the page."""
    rows = yaml.safe_load((_HERE / "fit_figures.yaml").read_text(encoding="utf-8"))
    found, verdicts = figures(rows)
    peers = others(rows)
    parts = [
        ["## Errors", "", *summary(found, verdicts)],
        ["## Beside other estimators", "", *beside_others(found, peers)],
        ["## Each figure", "", *table(found, peers)],
    ]
    text = "\n\n".join("\n".join(part) for part in parts) + "\n"
    page = _HERE / "fit.md"
    if "--write" in words:
        page.write_text(page.read_text(encoding="utf-8").partition(_MARK)[0] + _MARK + "\n" + text, encoding="utf-8")
    else:
        print(text)


if __name__ == "__main__":
    main(sys.argv[1:])
