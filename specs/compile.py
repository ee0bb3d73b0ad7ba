"""Compiles specs/*.yaml to plain data: into the wheel when it is built, and by `specs/compile.py` into the checkout.

tables.bin holds every table, marshalled, one behind the other, and manifest.bin where each is, so that a lookup
reads only what it needs; the table "index" holds the names of all chips. What is compiled into another table (errors,
causes, components, sentences) is not written a second time, and what maintainers alone read (refresh) not at all.
plugins.bin tells what accel's own plugins register (accel.plugins.catalogue); patterns.bin holds the expressions,
compiled for the Python that builds (accel.text.cached_patterns).
"""

import json
import marshal
import sys
import tempfile
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "src"))

import accel  # noqa: E402
from accel.names.index import make_index, packed  # noqa: E402
from accel.names.vocabulary import named_tables  # noqa: E402
from accel.plugins.catalogue import FILE  # noqa: E402
from accel.plugins.catalogue_made import make  # noqa: E402
from accel.plugins.registry import Registry  # noqa: E402
from accel.specs.knowledge import COMPILERS, is_kind  # noqa: E402
from accel.specs.outlines import PART as OUTLINES  # noqa: E402
from accel.specs.outlines import outline_index, packed_outlines  # noqa: E402
from accel.specs.store import MANIFEST, MARSHAL, ROWS, TABLES, Folder, Rows, parse, yaml_names  # noqa: E402
from accel.text.cache_patterns import packed as packed_patterns  # noqa: E402
from accel.text.cached_patterns import FILE as PATTERNS  # noqa: E402

try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ImportError:  # run by hand where nothing is being built
    BuildHookInterface = object


_SENTENCES = (
    "absent",
    "attempts",
    "benign",
    "complaints",
    "conflicts",
    "limits",
    "missing",
    "relays",
)  # tables of language that hold nothing else


def compile_specs(source: Path, target: Path) -> list[str]:
    """Write the tables in `source` to `target`; return the paths written, relative to it."""
    tables = {name: parse(str(source / f"{name}.yaml")) for name in yaml_names(str(source))}
    for name, table in tables.items():
        if name.startswith("frameworks/") and "framework" in table:
            tables[name] = _lean(table)
        elif "/chips/" in name:
            tables[name] = {**table, "chips": [_known(chip) for chip in table["chips"]]}
    folder = Folder(str(source), False, yaml_names(str(source)))
    knowledge = {name: compiler(folder) for name, compiler in COMPILERS.items()}
    main = make_index((name, tables[name]) for name, _ in named_tables(tables))
    outlines = outline_index(((name, tables[name]) for name in tables if name.endswith(OUTLINES)), main)
    left_out = [name for name in tables if _is_compiled(name) or name.startswith("refresh/")]
    for name, table in tables.items():
        if is_kind(name, "inference"):
            tables[name] = {"facts": [fact for fact in table.get("facts") or () if fact.get("finding")]}
    written: dict[str, Any] = {**{n: t for n, t in tables.items() if n not in left_out}, **knowledge}
    written |= {"index": packed(main), "outlines": packed_outlines(outlines)}
    target.mkdir(parents=True, exist_ok=True)
    (target / MANIFEST).unlink(missing_ok=True)  # nothing reads half of it: the plugins, imported below, ask for tables
    rows = knowledge["phrases"].pop("rows")
    (target / f"phrases{ROWS}").write_bytes(Rows.packed([_marshalled(row) for row in rows]))
    starts = [0]
    with (target / TABLES).open("wb") as file:
        for table in written.values():
            file.write(_marshalled(table))
            starts.append(file.tell())
    manifest = {"names": [*written, *left_out], "starts": starts}
    path = target / FILE
    path.write_bytes(marshal.dumps(_plugins(), MARSHAL))
    (target / PATTERNS).write_bytes(packed_patterns([accel, *_own_plugins()]))
    (target / MANIFEST).write_bytes(_marshalled(manifest))
    return [TABLES, f"phrases{ROWS}", FILE, PATTERNS, MANIFEST]


def _is_compiled(name: str) -> bool:
    """Say whether all that is asked of a table is in what is compiled of it: accel.specs.knowledge."""
    sentences = is_kind(name, "language") and name.split("/")[1] in _SENTENCES
    return sentences or any(is_kind(name, kind) for kind in ("errors", "causes", "components"))


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _marshalled(value: Any) -> bytes:
    """Return what JSON can hold of a value, in the format that every Python since 3.4 reads, twice as fast as JSON."""
    return marshal.dumps(json.loads(_json(value)), MARSHAL)


def _plugins() -> dict[str, Any]:
    """Return the catalogue of what accel's own plugins register, imported from this checkout."""
    names = [package.__name__.removeprefix("accel_") for package in _own_plugins()]
    with tempfile.TemporaryDirectory() as folder:  # as if installed: when accel is built, it is not yet
        entries = Path(folder, "accel_sdk-0.dist-info", "entry_points.txt")
        entries.parent.mkdir()
        entries.write_text("[accel.plugins]\n" + "".join(f"{n} = accel_{n}\n" for n in names), encoding="utf-8")
        registry = Registry({}, [folder], whole=True)
        told = make(registry)
    if failed := [f"{plugin.name}: {plugin.reason}" for plugin in registry.looked_at if plugin.status != "loaded"]:
        raise SystemExit("\n".join(failed))
    return told


@cache
def _own_plugins() -> list[ModuleType]:
    """Return the packages of accel's own plugins, imported from this checkout."""
    folders = sorted(path for path in (ROOT / "plugins").glob("*/accel_*") if path.is_dir())
    sys.path += [str(folder.parent) for folder in folders]
    return [import_module(folder.name) for folder in folders]


def _lean(table: dict[str, Any]) -> dict[str, Any]:
    """Return a framework's table without what no answer has: where its rows of GPU code come from."""
    untold = ("sources", "confidence", "note")
    lean = {key: value for key, value in table.items() if key != "sources"}
    days = [source["read"] for source in (table.get("sources") or {}).values() if "read" in source]
    if days:
        lean["checked"] = max(days)
    for key in {"architectures"} & set(lean):
        lean[key] = [{k: v for k, v in row.items() if k not in untold} for row in lean[key]]
    return lean


def _known(record: dict[str, Any]) -> dict[str, Any]:
    """Return a chip's record without what is not known, as no field says too, and what only the validator reads."""
    return {key: value for key, value in record.items() if value is not None and value != [] and key != "accepted"}


class CustomBuildHook(BuildHookInterface):  # type: ignore[misc]
    """Puts the compiled tables into the wheel, as accel/_specs."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self.target_name != "wheel":
            return
        if version == "editable":  # read from there until a YAML file is changed
            compile_specs(ROOT / "specs", ROOT / "src" / "accel" / "_specs")
            return
        self._folder = tempfile.TemporaryDirectory()
        target = Path(self._folder.name)
        for path in compile_specs(ROOT / "specs", target):
            build_data["force_include"][str(target / path)] = f"accel/_specs/{path}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        folder = getattr(self, "_folder", None)
        if folder is not None:
            folder.cleanup()


if __name__ == "__main__":
    compile_specs(ROOT / "specs", ROOT / "src" / "accel" / "_specs")
