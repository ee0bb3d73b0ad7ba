"""What mutations start from: every text, saved snapshot and YAML file of the tree."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

from accel.collect.text import read_texts
from accel.model.codec import encode_snapshot
from accel.plugins.registry import Registry
from accel.specs.store import parse

ROOT: Final = Path(__file__).parent.parent.parent
_LONGEST: Final = 40_000  # characters: longer ones cost more time than they have forms
_SNAPSHOTS: Final = 150  # texts that are made into a saved snapshot
AT: Final = "# at: "  # first line of a YAML input: its path in the folder


@cache
def registry() -> Registry:
    """Return accel's own plugins, without what the environment adds."""
    return Registry({})


@cache
def texts() -> tuple[str, ...]:
    """Return each text once: recorded texts, what recorded tools printed, and the texts of the checks' cases."""
    return tuple(dict.fromkeys(text for text in _texts() if text.strip() and len(text) <= _LONGEST))


@cache
def snapshots() -> tuple[str, ...]:
    """Return saved snapshots, made of texts."""
    every = max(1, len(texts()) // _SNAPSHOTS)
    return tuple(encode_snapshot(read_texts([("report", text)], registry())) for text in texts()[::every])


@cache
def yaml_files() -> tuple[str, ...]:
    """Return each spec file, with its path in the folder as its first line."""
    files = sorted((ROOT / "specs").glob("*/**/*.yaml"))
    found = [f"{AT}{path.relative_to(ROOT / 'specs')}\n{path.read_text(encoding='utf-8')}" for path in files]
    return tuple(text for text in found if len(text) <= _LONGEST)


def _texts() -> Iterator[str]:
    for pattern in ("tests/machines/**/*.txt", "plugins/*/tests/machines/**/*.txt", "tests/cases/**/*.txt"):
        for path in sorted(ROOT.glob(pattern)):
            yield path.read_text(encoding="utf-8", errors="replace")
    for path in sorted(
        path for top in ("plugins", "tests") for path in (ROOT / top).glob("**/machines/**/machine.yaml")
    ):
        recorded: Any = parse(str(path)) or {}
        for command in recorded.get("commands") or ():
            yield f"$ {' '.join(map(str, command['argv']))}\n{command.get('stdout', '')}{command.get('stderr', '')}"
        yield from (content for content in (recorded.get("files") or {}).values() if isinstance(content, str))
    for path in sorted([*ROOT.glob("tests/checks/*.yaml"), *ROOT.glob("plugins/*/tests/*checks/*.yaml")]):
        for case in (parse(str(path)) or {}).values():
            if isinstance(case, dict) and isinstance(case.get("text"), str):
                yield case["text"]
