"""Fit the weights of specs/language/report_words.yaml: which words a text has that reports a fault which is there now.

    pip install scikit-learn
    python -m specs.refresh.report_words FOLDER…     fit and write
    python -m specs.refresh.report_words FOLDER… --leave-out
                                                     write nothing; say of each folder what the others tell of it

The pairs of tests/status/pairs and the cases of checks are always taken. A folder holds NAME/report.txt with
NAME/case.json or label.json (`fault`: whether the text reports one that is there now; without the key it does;
`weight`: of the text, 1 or less).
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date
from math import log, sqrt
from pathlib import Path
from random import Random
from typing import Any

import yaml

import accel.collect.understanding as understanding
from accel.collect.status import fault_lines
from accel.collect.status.reads_as_report import features, is_written
from accel.collect.text import read_texts
from accel.plugins.registry import Registry

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "tests" / "judged"), str(ROOT / "tests" / "metamorphic")]

from rewritings import REWRITINGS  # noqa: E402
from unrelated import UNRELATED  # noqa: E402

TABLE = ROOT / "specs" / "language" / "report_words.yaml"
WORDS = 4000  # that are kept, those that tell most
FEWEST = 3  # texts that have a word
PENALTY = 60.0  # the inverse of the weights' penalty: scikit-learn's C
REPORTS = 0.25  # the weight of one of the many reports that are known by their cause alone
CASES = 0.1  # of one of the many cases of checks

Text = tuple[Counter[str], bool, float]


def main(arguments: Sequence[str]) -> int:
    """Fit, and write or measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--leave-out", action="store_true")
    options = parser.parse_args(arguments)
    registry = Registry({})
    sets = [[*_pairs(registry), *_cases(registry)], *(list(_labelled(folder, registry)) for folder in options.folders)]
    if options.leave_out:
        for at, name in enumerate(["tests/status/pairs", *map(str, options.folders)]):
            told = [text for other, texts in enumerate(sets) if other != at for text in texts]
            print(name, *_measured(sets[at], *_fitted(told)))
        return 0
    bias, weights = _fitted([text for texts in sets for text in texts])
    TABLE.write_text(_written(bias, weights, sum(map(len, sets))), encoding="utf-8")
    return 0


def _pairs(registry: Registry) -> Iterator[Text]:
    for path in sorted((ROOT / "tests" / "status" / "pairs").glob("*.yaml")):
        for pair in yaml.safe_load(path.read_text(encoding="utf-8")).values():
            yield _counted(pair["mentioned"], registry), False, 1.0
            yield _counted(pair["present"], registry), True, 1.0


def _labelled(folder: Path, registry: Registry) -> Iterator[Text]:
    for path in sorted(folder.glob("*/report.txt")):
        label: dict[str, Any] = {}
        for name in ("case.json", "label.json"):
            if (beside := path.parent / name).exists():
                label = json.loads(beside.read_text(encoding="utf-8"))
        text = path.read_text(encoding="utf-8", errors="replace")
        weight = float(label.get("weight", 1.0 if "fault" in label else REPORTS))
        yield _counted(text, registry), bool(label.get("fault", True)), weight


def _cases(registry: Registry) -> Iterator[Text]:
    """Yield the texts of checks' cases in which the check finds its fault: short ones, mostly."""
    for path in sorted((*ROOT.glob("tests/checks/*.yaml"), *ROOT.glob("plugins/*/tests/*checks/*.yaml"))):
        for case in (yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader) or {}).values():
            if "text" in case and "finds" in case:
                yield _counted(case["text"], registry), True, CASES
                yield from ((_counted(text, registry), True, CASES) for text in _within_others(case["text"], path.stem))


def _within_others(text: str, seed: str) -> Iterator[str]:
    """Yield a text with words around it that have nothing to do with it: they are to tell nothing, either way."""
    random = Random(f"fit {seed} {len(text)}")
    written = [UNRELATED[kind] for kind in UNRELATED if kind.startswith("prose")]
    yield f"{random.choice(written)(random)}\n{text.rstrip()}\n\n{random.choice(written)(random)}"
    around = [one for one in REWRITINGS if one.encoding is not None or one.name == "prose-around"]
    for one in (random.choice(around), next(one for one in around if one.name == "prose-around")):
        yield one.run(text, random)


def _counted(text: str, registry: Registry) -> Counter[str]:
    """Return how often a text has each feature, as accel itself reads it; none of one that is never weighed."""
    counts: Counter[str] = Counter()
    judge = understanding.with_status

    def counting(observations: Any, told: Any, *rest: Any) -> Any:
        lines = list(told.lines())
        if is_written(lines, fault_lines(observations, told)):
            counts.update(features(lines))
        return judge(observations, told, *rest)

    understanding.with_status = counting
    try:
        read_texts([("report.txt", text)], registry)
    finally:
        understanding.with_status = judge
    return counts


def _fitted(given: Sequence[Text]) -> tuple[float, dict[str, float]]:
    texts = [text for text in given if text[0]]
    held = Counter(word for counts, _, _ in texts for word in counts)
    known = [word for word, times in held.items() if times >= FEWEST]
    _, weights = _regression(texts, known)
    spread: Counter[str] = Counter()
    for counts, _, _ in texts:
        spread.update({word: value * value for word, value in _values(counts, weights).items()})
    kept = sorted(weights, key=lambda word: -abs(weights[word]) * sqrt(spread[word]))[:WORDS]
    return _regression(texts, kept)


def _regression(texts: Sequence[Text], words: Sequence[str]) -> tuple[float, dict[str, float]]:
    from scipy.sparse import csr_matrix
    from sklearn.linear_model import LogisticRegression

    place = {word: at for at, word in enumerate(words)}
    rows = [_values(counts, place) for counts, _, _ in texts]
    cells = [(row, place[word], value) for row, values in enumerate(rows) for word, value in values.items()]
    at = ([row for row, _, _ in cells], [column for _, column, _ in cells])
    matrix = csr_matrix(([value for _, _, value in cells], at), (len(rows), len(words)))
    model = LogisticRegression(C=PENALTY, solver="liblinear")
    model.fit(matrix, [fault for _, fault, _ in texts], sample_weight=[weight for _, _, weight in texts])
    return float(model.intercept_[0]), dict(zip(words, map(float, model.coef_[0]), strict=True))


def _values(counts: Counter[str], words: Any) -> dict[str, float]:
    values = {word: 1 + log(count) for word, count in counts.items() if word in words}
    length = sqrt(sum(value * value for value in values.values())) or 1.0
    return {word: value / length for word, value in values.items()}


def _measured(texts: Sequence[Text], bias: float, weights: dict[str, float]) -> tuple[str, ...]:
    scores = [(bias + sum(weights[w] * v for w, v in _values(c, weights).items()), fault) for c, fault, _ in texts]
    bound = log(0.3 / 0.7)
    there = [score for score, fault in scores if fault]
    other = [score for score, fault in scores if not fault]
    return (
        f"below 0.3: {sum(s < bound for s in other)} of {len(other)} without a fault,",
        f"{sum(s < bound for s in there)} of {len(there)} with one",
    )


def _written(bias: float, weights: dict[str, float], texts: int) -> str:
    lines = [
        "# How a text that reports a fault which is there now differs in its words from one that only mentions it:",
        "# accel.collect.status.reads_as_report. Made by specs/refresh/report_words.py; not to be edited.",
        "sources:",
        f'  - {{what: "logistic regression over {texts} labelled texts: one fault present and mentioned, and reports", '
        f'level: "derived", read: "{date.today().isoformat()}"}}',
        f"bias: {bias:.3f}",
        "weights:",
    ]
    lines += [f"  {json.dumps(word, ensure_ascii=False)}: {weights[word]:.2f}" for word in sorted(weights)]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
