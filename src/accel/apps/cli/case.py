"""`accel doctor --case`: a folder with the input and the findings, anonymised, for an issue or for the tests."""

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from accel.model.errors import BadInput

if TYPE_CHECKING:
    from accel.model.snapshot import Snapshot
    from accel.plugins.registry import Registry


def check_conflicts(options: argparse.Namespace) -> None:
    """Raise BadInput if the folder cannot be used, before anything is read."""
    if options.all_environments:
        raise BadInput("--case is of one environment. Name it by --python, without --all-environments.")
    if os.path.exists(options.case) and not os.path.isdir(options.case):
        raise BadInput(f"--case {options.case}: it is a file. Name a folder that is new or empty.")
    if os.path.isdir(options.case) and os.listdir(options.case):
        raise BadInput(f"--case {options.case}: something is in it already. Name a folder that is new or empty.")


def write_case(folder: str, snapshot: "Snapshot", texts: Sequence[str], registry: "Registry") -> None:
    """Write the folder. Raises BadInput if it cannot be written.

    texts  the texts that the whole snapshot was read from; () for this machine, or if not all of it comes from texts
    """
    import accel
    from accel.apps.privacy.redact import redacted
    from accel.apps.privacy.texts import redacted_texts
    from accel.apps.render.case import case_yaml, page, readme
    from accel.apps.render.json import diagnosis_json
    from accel.collect.live import judged
    from accel.collect.text import read_texts
    from accel.model.codec import encode_snapshot, is_snapshot

    shown = redacted_texts([text for text in texts if not is_snapshot(text)], snapshot)
    names = ["report.txt"] if len(shown) == 1 else [f"report-{number}.txt" for number in range(1, len(shown) + 1)]
    reports = dict(zip(names, shown, strict=True))
    of_reports = bool(shown) and len(shown) == len(texts)
    kept = redacted(read_texts(list(reports.items()), registry) if of_reports else snapshot)
    diagnosis = judged(kept, registry)
    documents = {
        **reports,
        "snapshot.json": encode_snapshot(kept),
        "findings.json": diagnosis_json(diagnosis),
        "doctor.txt": page(diagnosis, kept),
        "case.yaml": case_yaml(diagnosis),
        "README.md": readme(list(reports), judged(snapshot, registry), diagnosis, accel.__version__),
    }
    _write(folder, documents)
    print(f"accel: the case is in {folder}; look through it before you give it away", file=sys.stderr)


def _write(folder: str, documents: Mapping[str, str]) -> None:
    try:
        os.makedirs(folder, exist_ok=True)
        for name, text in documents.items():
            with open(os.path.join(folder, name), "x", encoding="utf-8", errors="replace", newline="\n") as file:
                file.write(text)
    except OSError as error:
        raise BadInput(f"--case {folder}: {error.strerror or error}. Name a folder that can be written.") from None
