"""Errors behind which several causes may stand, and what decides between them.

specs/<domain>/ambiguous/<topic>.yaml:

    identities:
      - name: "cuda-999"
        says: "CUDA 999: the driver cannot say what failed"
        seen: ["cuda-unknown-error", "error.cuda:999", "line.Killed"]  # a fact, an error of a table, a whole line;
                                                  # "layer.driver": an error of this layer that nothing explains
        settled: ["shm-exhausted"]                # any of these leaves nothing open: another check judges them
        alone: true                               # only where no row without this word applies
        general: true                             # only where none of the other rows is open, the first of its kind
        when: ["@torch-seen"]                     # only where this holds
        causes:                                   # the most frequent first
          - finding: "driver-not-loaded"          # the check that names it, or a family; none where none
            cause: "nvidia_uvm is stale, mostly since a suspend"
            decides: "it began after sleep, and reloading nvidia_uvm cures it"
            look: "lsmod | grep nvidia_uvm"       # shows what decides
            for: ["woke-from-sleep"]              # any of these, beside the error itself, speaks for it
            against: ["@devices-listed", ["@windows", "not rocm-in-use"]]   # any of these rules it out
            fixes: [{text: "Load the module again.", command: "sudo modprobe nvidia_uvm", action: "admin"}]
                                                  # what to do where this is it; as in a check, or
                                                  # {install: "torch", maker: "nvidia", text: …}, solved for the
                                                  # machine; else language/candidate_fixes has the finding's

What speaks for or against every cause that a check names stands with the check: specs/<domain>/causes/<topic>.yaml.
Queries are those of accel.facts.query; where any of some is enough, a list among them holds where all of its parts do.
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
    """Yield the rows of which one of these identities is seen, each once."""
    for name in dict.fromkeys(name for one in identities for name in table["seen"].get(one, ())):
        yield table["rows"][name]
