"""Finds mistakes in the tables of specs/, and reports their place and what was expected.

python -m accel.specs.validate FOLDER         list mistakes and exit 1 if there are any; else list odd figures
python -m accel.specs.validate FOLDER --join  list figures and PCI IDs that differ from other tables; exit 1 if any
"""

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from accel.machine.outside import CHECKOUT
from accel.names.tokens import words_of
from accel.specs.format_mistakes import format_mistakes
from accel.specs.indexing import own_vocabulary
from accel.specs.inference import CONDITIONS, sentence_mistakes, sentences_of
from accel.specs.lines import line_of
from accel.specs.model_mistakes import model_mistakes
from accel.specs.plausibility import cut, implausible, unread
from accel.specs.schema import Fields, fields_of, heads_of, kind, lists_of, part
from accel.specs.store import Folder, bundled, user_folder
from accel.text.command_template import template_mistake
from accel.text.layouts.mistakes import rule_mistakes
from accel.text.layouts.tool import record_stated


def problems(folder: str) -> list[str]:
    """Return every mistake in the folder's tables, as "nvidia/cuda.yaml:17: toolkits[3].version: expected …"."""
    opened = user_folder(folder)
    beside = () if os.path.realpath(folder) == os.path.realpath(CHECKOUT) else (bundled(),)
    found = problems_in(opened, beside).items()
    return [*opened.problems, *(_with_line(folder, name, sentence) for name, these in found for sentence in these)]


def odd_figures(folder: str) -> list[str]:
    """Return sentences, with file and line, for figures that look odd; for a folder without mistakes."""
    from accel.specs.outliers import outliers

    opened = user_folder(folder)
    tables = {name: table for name in opened.names if (table := opened.table(name)) is not None}
    beside = () if os.path.realpath(folder) == os.path.realpath(CHECKOUT) else (bundled(),)
    found = outliers({**dict(_wanted(tables, beside)), **tables})
    return [
        _with_line(folder, name, f"{name}.yaml: {sentence}")
        for name in sorted(found.keys() & tables.keys())
        for sentence in found[name]
    ]


def _with_line(folder: str, name: str, sentence: str) -> str:
    file = f"{name}.yaml"
    mistake = sentence.removeprefix(f"{file}: ")
    line = line_of(os.path.join(folder, *file.split("/")), mistake.partition(": ")[0])
    return f"{file}:{line}: {mistake}" if line else sentence


def problems_in(folder: Folder, beside: Iterable[Folder] = ()) -> dict[str, list[str]]:
    """Return the mistakes by table; `beside`: folders with records that the folder's tables may refer to.

    A file that cannot be read is reported in the folder's own problems.
    """
    tables = {name: table for name in folder.names if (table := folder.table(name)) is not None}
    known = dict(_wanted(tables, beside))
    found: dict[str, list[str]] = {}
    for name, table in tables.items():
        mistakes = [*_of_table(name, table)]
        if not mistakes:
            mistakes = [*_of_references(name, table, {**known, **tables})]
        if mistakes:
            found[name] = [f"{name}.yaml: {mistake}" for mistake in mistakes]
    others = {n: t for n, t in known.items() if n not in tables}
    for name, mistake in _of_names(tables, found, others, may_change=not folder.strange):
        found.setdefault(name, []).append(f"{name}.yaml: {mistake}")
    return found


def _wanted(tables: dict[str, Any], beside: Iterable[Folder]) -> Iterator[tuple[str, Any]]:
    """Yield the tables of other folders that these tables may refer to or clash with; no others are parsed."""
    heads = (table.get("vendor") for table in tables.values() if isinstance(table, dict))
    vendors = {vendor for vendor in heads if isinstance(vendor, str)}
    frameworks = any(name.startswith("frameworks/") for name in tables)
    every_chip = any(name.startswith("computers/") for name in tables)
    for folder in beside:
        for name in folder.names:
            first, _, rest = name.partition("/")
            of_vendor = first in vendors and (rest == "architectures" or rest.startswith("chips/"))
            of_vendor = of_vendor or name == "number_formats" or (every_chip and rest.startswith("chips/"))
            if (of_vendor or (frameworks and name.startswith("frameworks/"))) and (
                table := folder.table(name)
            ) is not None:
                yield name, table


def _of_table(name: str, table: Any) -> Iterator[str]:
    if not isinstance(table, dict):
        yield f"expected a mapping at the top, got {_shown(table)}"
        return
    yield from _of_sources(table.get("sources"))
    yield from (text for key, count in (table.get("holds") or {}).items() for text in cut(table, key, count))
    lists = lists_of(name)
    if lists and not any(key in table for key in lists):
        near = _near(table, lists)
        yield (
            f"expected {' or '.join(lists)}{near}, and has neither"
            if len(lists) > 1
            else f"expected {next(iter(lists))}{near}"
        )
    for key, (fields, needed) in lists.items():
        if key not in table:
            continue
        if not isinstance(table[key], list):
            yield f"{key}: expected a list of records, got {_shown(table[key])}"
            continue
        for number, record in enumerate(table[key]):
            yield from _of_record(f"{key}[{number}]", record, fields, needed)
    yield from (f"{key}: expected text" for key in heads_of(name) if not isinstance(table.get(key), str))


def _of_sources(sources: Any) -> Iterator[str]:
    entries = sources.items() if isinstance(sources, dict) else enumerate(sources) if isinstance(sources, list) else ()
    if not entries:
        yield "sources: expected what the file was read from, with the date read"
    for key, source in entries:
        recalled = isinstance(source, dict) and source.get("level") == "recalled"  # it was not opened for this file
        yield from _of_record(f"sources.{key}", source, fields_of("source"), () if recalled else ("read",))
        if isinstance(source, dict) and not {"url", "place", "what"} & set(source):
            yield f"sources.{key}: expected url, place or what"


def _of_record(place: str, record: Any, fields: Fields, needed: Sequence[str]) -> Iterator[str]:
    if not isinstance(record, dict):
        yield f"{place}: expected a record, got {_shown(record)}"
        return
    if isinstance(record.get("name"), str):
        place = f"{place} ({record['name']})"
    for key, value in record.items():
        if key not in fields:
            yield f"{place}.{key}: expected a known field{_near([key], fields)}, got {key} with {_shown(value)}"
        elif value is None and key not in needed:
            continue
        elif not fields[key][1](value):
            yield f"{place}.{key}: expected {fields[key][0]}, got {_shown(value)}{_near_choice(value, fields[key][0])}"
        elif key == "builds":
            for number, build in enumerate(value):
                yield from _of_record(f"{place}.builds[{number}]", build, *part("build"))
    for key in needed:
        if key not in record:
            yield f"{place}.{key}: expected a value, and there is none"
    if record.get("sources") == []:
        yield f"{place}.sources: expected at least one source"


def _of_references(name: str, table: dict[str, Any], tables: dict[str, Any]) -> Iterator[str]:
    sources = table["sources"]
    for place, record in _records(table):
        of_fields = (source for named in (record.get("sources_of") or {}).values() for source in named)
        for source in (*(record.get("sources") or ()), *of_fields) if isinstance(sources, dict) else ():
            if source not in sources:
                near = _near([source], sources)
                yield f"{place}.sources: expected a key of the file's sources, got {_shown(source)}{near}"
    if "/chips/" in name:
        yield from _of_chips(table, tables.get(f"{table['vendor']}/architectures"))
    elif name.startswith("models/"):
        yield from model_mistakes(name, table)
    elif name.endswith("/architectures"):
        yield from _of_capabilities(table)
        for place, word, formats in format_mistakes(table, tables.get("number_formats")):
            yield f"{place}: expected one of those known, got {_shown(word)}{_near([word], formats)}"
    elif "/inference/" in name:
        yield from _of_inference(table)
    elif "/checks/" in name:
        for place, row in _records(table):
            yield from _of_row(place, row)
    elif "/errors/" in name or name.startswith("language/"):
        yield from _of_sentences(table)
    elif "/causes/" in name:
        yield from _of_causes(table)
    elif "/ambiguous/" in name:
        yield from _of_ambiguous(table)
    elif "/readers/" in name:
        for place, record in _records(table):
            found = rule_mistakes(record, table, record_stated(tables.get(f"{name.partition('/')[0]}/tools")))
            yield from (f"{place}.{field}: {mistake}" for field, mistake in found)
    elif name.startswith("computers/") or name.endswith(("/partitions", "/part_numbers", "/subsystems")):
        yield from _of_named_chips(table, tables)
    elif name in ("restrictions/export_control", "restrictions/technical"):
        from accel.specs.restrictions_shape import mistakes

        for place, expected, got, choices in mistakes(name, table, tables.get("restrictions/destinations")):
            yield f"{place}: expected {expected}, got {got!r}{_near([got], choices)}"
    elif name.startswith("frameworks/") and "framework" in table:
        of_framework = [t for n, t in tables.items() if n.startswith(f"frameworks/{table['framework']}")]
        versions = {row["version"] for t in of_framework for row in t.get("releases") or ()}
        for place, record in _records(table):
            if place.startswith("architectures["):
                bounds = {"versions"} & set(record) or {"first", "last"} <= set(record)
                yield from () if bounds else (f"{place}: expected versions, or first and last",)
                yield from () if {"platform", "platforms"} & set(record) else (f"{place}: expected platform",)
            listed = record.get("versions")
            for version in listed if isinstance(listed, list) else ():
                if version not in versions:
                    yield f"{place}.versions: expected a release in the tables, got {_shown(version)}"


def _of_chips(table: dict[str, Any], architectures: Any) -> Iterator[str]:
    known = {record["name"]: record for record in (architectures or {}).get("architectures") or ()}
    mine = known.get(table["architecture"])
    if mine is None:
        missing = ", a file that is not there" if architectures is None else ""
        yield (
            f"architecture: expected one of {table['vendor']}/architectures.yaml{missing}, got "
            f"{_shown(table['architecture'])}{_near([table['architecture']], known)}"
        )
        return
    finer = {row["compute_capability"]: row for row in (architectures or {}).get("compute_capabilities") or ()}
    for place, record in _records(table):
        rows = finer.get(record.get("compute_capability")), mine
        for key, mistake in (*implausible(record, *rows), *unread(record, table["sources"])):
            yield f"{place}.{key}: {mistake}"
        for key, listed in (("compute_capability", "compute_capabilities"), ("compute_target", "compute_targets")):
            value = record.get(key)
            if value is not None and mine.get(listed) is not None and value not in mine[listed]:
                yield f"{place}.{key}: expected one of {', '.join(mine[listed])}, got {_shown(value)}"


def _of_capabilities(table: dict[str, Any]) -> Iterator[str]:
    """Check that a compute capability's architecture exists and lists it."""
    listed = {row["name"]: row.get("compute_capabilities") or () for row in table.get("architectures") or ()}
    for number, row in enumerate(table.get("compute_capabilities") or ()):
        place = f"compute_capabilities[{number}].architecture"
        if row["architecture"] not in listed:
            near = _near([row["architecture"]], listed)
            yield f"{place}: expected one of the architectures, got {_shown(row['architecture'])}{near}"
        elif row["compute_capability"] not in listed[row["architecture"]]:
            yield f"{place}: expected one that lists {row['compute_capability']}, got {_shown(row['architecture'])}"


def _of_named_chips(table: dict[str, Any], tables: dict[str, Any]) -> Iterator[str]:
    """Check that the chips a machine or a partition names have a record or an outline."""
    known = {chip["name"] for name, other in tables.items() if "/chips/" in name for chip in other.get("chips") or ()}
    rows = (row for name, other in tables.items() if name.endswith("/outlines") for row in other.get("outlines") or ())
    known |= {product.partition(" ")[2] for row in rows for product in row.get("products") or ()}
    for place, record in _records(table):
        for chip in record.get("chips") or ():
            if chip not in known:
                yield f"{place}.chips: expected the name of a chip, got {_shown(chip)}{_near([chip], known)}"


def _of_sentences(table: dict[str, Any]) -> Iterator[str]:
    """Check that a program's messages can be compiled for searching."""
    from accel.text.phrase import BadPhrase
    from accel.text.phrase_book import make_book

    for place, record in _records(table):
        said = record.get("says") or ()
        for sentence in [said] if isinstance(said, str) else said:
            try:
                make_book([(sentence, "", ())])
            except (BadPhrase, TypeError) as error:
                yield f"{place}.says: {error}, got {_shown(sentence)}"


def _of_inference(table: dict[str, Any]) -> Iterator[str]:
    ways_of = {**fields_of("way"), **dict.fromkeys(CONDITIONS, kind("condition_of"))}
    for place, fact in _records(table):
        ways = fact.get("from") or []
        for number, way in enumerate(ways):
            at = f"{place}.from[{number}]"
            yield from _of_record(at, way, ways_of, ())
            kinds = [kind for kind in ("sentence", *CONDITIONS) if kind in way]
            if len(kinds) != 1:
                yield f"{at}: expected one of sentence, {', '.join(CONDITIONS)}, got {' and '.join(kinds) or 'none'}"
            elif kinds == ["sentence"] and kind("sentences")[1](way["sentence"]):
                yield from (f"{at}.{field}: {mistake}" for field, mistake in sentence_mistakes(way))
        if fact.get("finding") is not None:
            yield from _of_record(f"{place}.finding", fact["finding"], *part("finding"))
            yield from _of_row(f"{place}.finding", fact["finding"])
            yield from _of_codes(place, fact)


def _of_causes(table: dict[str, Any]) -> Iterator[str]:
    for place, row in _records(table):
        told = [(f"{place}.verification", row["verification"], "verification")]
        told += [(f"{place}.causes[{number}]", one, "cause") for number, one in enumerate(row["causes"])]
        for at, record, kind_of_part in told:
            yield from _of_record(at, record, *part(kind_of_part))
            yield from _of_commands(at, record, "command", "look", "cure")


def _of_ambiguous(table: dict[str, Any]) -> Iterator[str]:
    for place, row in _records(table):
        for number, cause in enumerate(row["causes"]):
            at = f"{place}.causes[{number}]"
            yield from _of_record(at, cause, *part("possible"))
            yield from _of_commands(at, cause, "look")
            for fix in cause.get("fixes") or () if isinstance(cause, dict) else ():
                yield from _of_record(f"{at}.fixes", fix, *part("fix"))


def _of_row(place: str, row: Any) -> Iterator[str]:
    """Check the parts of a check that is defined by a row."""
    if not isinstance(row, dict):
        return
    for number, asked in enumerate(row.get("applies") or ()):
        yield from _of_record(f"{place}.applies[{number}]", asked, *part("applies"))
    problems = [(f"{place}.problems[{n}]", problem) for n, problem in enumerate(row.get("problems") or ())]
    for at, problem in problems:
        yield from _of_record(at, problem, *part("saying"))
    for at, record in ((place, row), *problems):
        for number, fix in enumerate(record.get("fixes") or () if isinstance(record, dict) else ()):
            yield from _of_record(f"{at}.fixes[{number}]", fix, *part("fix"))
            yield from _of_commands(f"{at}.fixes[{number}]", fix, "command")


def _of_commands(place: str, record: Any, *fields: str) -> Iterator[str]:
    """Check that the commands in these fields can be built."""
    for field in fields:
        command = record.get(field) if isinstance(record, dict) else None
        if isinstance(command, str) and (mistake := template_mistake(command)) is not None:
            yield f"{place}.{field}: {mistake}"


def _of_codes(place: str, fact: dict[str, Any]) -> Iterator[str]:
    for number, way in enumerate(fact.get("from") or ()):
        given = "code" in (way.get("values") or {})
        if fact.get("codes") and not given and not all("{code" in sentence for sentence in sentences_of(way)):
            at = f"{place}.from[{number}]"
            yield f"{at}: expected a sentence with {{code:number}}, since the fact names a table of codes"


def _of_names(
    tables: dict[str, Any], spoilt: dict[str, list[str]], others: dict[str, Any], may_change: bool
) -> Iterator[tuple[str, str]]:
    """Check that no two chips share a name, unless they differ in memory and have the same architecture."""
    bearers: dict[tuple[str, tuple[str, ...]], tuple[str, dict[str, Any]]] = {}
    for name, table in (*others.items(), *tables.items()):
        if "/chips/" not in name or name in spoilt:
            continue
        for place, record in _records(table):
            for alias in (record["name"], *(record.get("aliases") or ())):
                key = (table["vendor"], words_of(alias, own_vocabulary()))
                where, other = bearers.setdefault(key, (name, record))
                same_table = where == name or where.split("/")[-1] == name.split("/")[-1]
                apart = same_table and record.get("memory_bytes") != other.get("memory_bytes")
                changes = may_change and where in others and record["name"] == other["name"]  # accel.specs.overlay
                if other is not record and not apart and not changes and name not in others:
                    both = f"{alias!r} is also {other['name']!r} in {where}.yaml"
                    yield name, f"{place}.aliases: expected names of this chip alone; {both}"


def _records(table: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for key, records in table.items():
        for number, record in enumerate(records if isinstance(records, list) and key != "sources" else ()):
            if isinstance(record, dict):
                name = record.get("name")
                yield f"{key}[{number}] ({name})" if name else f"{key}[{number}]", record


def _near(given: Iterable[str], known: Iterable[str]) -> str:
    from difflib import get_close_matches

    near = [found for key in given for found in get_close_matches(str(key), [str(k) for k in known], 1)]
    return f" (did you mean {near[0]}?)" if near else ""


def _near_choice(value: Any, expected: str) -> str:
    """Return the choice closest to the value, if the expectation lists choices."""
    choices = expected.removeprefix("one of ").split(", ") if expected.startswith("one of ") else []
    return _near([value], choices) if isinstance(value, str) else ""


def _shown(value: Any) -> str:
    text = repr(value)
    return f"{type(value).__name__} {text if len(text) <= 60 else text[:57] + '...'}"


def main(words: list[str]) -> int:
    """Print every mistake of the folder, or odd figures if there is none; return the exit code."""
    if not words or words[1:] not in ([], ["--join"]):
        sys.stderr.write("usage: python -m accel.specs.validate FOLDER [--join]\n")
        return 2
    if words[1:]:
        from accel.specs.listed_ids import unlisted_ids
        from accel.specs.second_opinion import differing_figures

        differing = [*differing_figures(words[0]), *unlisted_ids(words[0])]
        sys.stdout.writelines(f"{sentence}\n" for sentence in differing)
        return 1 if differing else 0
    found = problems(words[0])
    told = found or [f"odd: {sentence}" for sentence in odd_figures(words[0])]
    sys.stdout.writelines(f"{sentence}\n" for sentence in told)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
