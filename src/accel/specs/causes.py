"""What is known about a fault besides its check: usual causes, how to tell them apart, how to verify the fix.

specs/<domain>/causes/<topic>.yaml:

    findings:
      - name: "driver-not-loaded"                   # the check's
        verification: {text: "nvidia-smi lists every GPU.", command: "nvidia-smi -L"}
        for: ["nvidia-module-absent"]               # any of these supports it if several causes are possible
        against: ["@devices-listed"]                # any of these rules it out
        causes:                                     # most frequent first
          - cause: "no module was built for the running kernel"
            decides: "dkms status names no nvidia for the kernel that uname -r prints"
            look: "dkms status; uname -r"           # command that decides
            cure: "sudo dkms autoinstall"           # if a single command fixes it

Causes are listed in the order to try them: the one behind most reports of the fault comes first.
"""

from collections.abc import Iterable
from typing import Any


def compiled_causes(tables: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Return {check's name: {"verification": …, "causes": […], "topic": the table}}."""
    return {row["name"]: {**row, "topic": topic} for topic, table in tables for row in table["findings"]}
