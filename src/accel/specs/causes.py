"""What is known of a fault beside its check: its usual causes, what decides between them, how one sees that it is over.

specs/<domain>/causes/<topic>.yaml:

    findings:
      - name: "driver-not-loaded"                   # the check's
        over: {text: "nvidia-smi lists every GPU.", command: "nvidia-smi -L"}
        for: ["nvidia-module-absent"]               # any of these speaks for it, where several causes are possible
        against: ["@devices-listed"]                # any of these rules it out
        causes:                                     # the most frequent first
          - cause: "no module was built for the running kernel"
            decides: "dkms status names no nvidia for the kernel that uname -r prints"
            look: "dkms status; uname -r"           # shows what decides
            cure: "sudo dkms autoinstall"           # where one command does it

The order of causes is the order of trying: what most reports of the fault turn out to be comes first.
"""

from collections.abc import Iterable
from typing import Any


def compiled_causes(tables: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Return {check's name: {"over": …, "causes": […], "topic": the table}}."""
    return {row["name"]: {**row, "topic": topic} for topic, table in tables for row in table["findings"]}
