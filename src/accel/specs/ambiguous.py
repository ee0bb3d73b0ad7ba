"""Errors that can have several causes, and what tells the causes apart.

specs/<domain>/ambiguous/<topic>.yaml:

    identities:
      - name: "cuda-999"
        says: "CUDA 999: the driver does not report what failed"
        seen: ["cuda-unknown-error", "error.cuda:999", "line.Killed"]  # a fact, an error of a table, a whole line;
                                                  # "layer.driver": an unexplained error of this layer
        settled: ["shm-exhausted"]                # if any of these is present, another check decides
        alone: true                               # only if no row without `alone` applies
        general: true                             # only if no other row is open; first one only
        when: ["@torch-seen"]                     # only if this query matches
        causes:                                   # the most frequent first
          - finding: "driver-not-loaded"          # the check that reports it, or a family; omitted if none
            cause: "nvidia_uvm is stale, usually since a suspend"
            decides: "it began after sleep, and reloading nvidia_uvm fixes it"
            look: "lsmod | grep nvidia_uvm"       # command that decides
            for: ["woke-from-sleep"]              # any of these, besides the error itself, supports it
            against: ["@devices-listed", ["@windows", "not rocm-in-use"]]   # any of these rules it out
            fixes: [{text: "Load the module again.", command: "sudo modprobe nvidia_uvm", action: "admin"}]
                                                  # what to do if this is the cause; as in a check, or
                                                  # {install: "torch", maker: "nvidia", text: …}, solved for the
                                                  # machine; else language/candidate_fixes has the finding's

Evidence for or against a check's own causes is kept with the check: specs/<domain>/causes/<topic>.yaml.
Queries are those of accel.facts.query; in a list of alternatives, a nested list matches if all of its parts match.
"fact.sandbox-named" counts on the line of the error itself, too.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any


def compiled_ambiguous(tables: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Return {"rows": {name: row}, "seen": {identity: names of rows}}."""
    rows = {row["name"]: {**row, "topic": topic} for topic, table in tables for row in table["identities"]}
    seen: dict[str, list[str]] = {}
    for name, row in rows.items():
        for identity in row["seen"]:
            seen.setdefault(identity.lower(), []).append(name)
    return {"rows": rows, "seen": seen}


def rows_of(table: Mapping[str, Any], identities: Iterable[str]) -> Iterator[Mapping[str, Any]]:
    """Yield each row that lists one of these identities under `seen`, without duplicates."""
    for name in dict.fromkeys(name for one in identities for name in table["seen"].get(one, ())):
        yield table["rows"][name]
