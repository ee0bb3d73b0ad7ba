"""How to make the nodes of a Kubernetes cluster offer GPUs, depending on the kind of cluster. Pure.

of_cluster(facts, specs, "runtime")     k3s: the class nvidia in the device plugin; CRI-O: nvidia-ctk … --runtime=crio

The steps are in specs/system/kubernetes_clusters.yaml.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from accel.vendors.contract.check import Remedy

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs

_KIND: Final = "cluster-kind"


def of_cluster(facts: "Facts", specs: "Specs", part: str) -> Remedy:
    """Return what to do in this cluster. part: a column of the table, "runtime", "handler" or "plugin"."""
    rows = (specs.table("system/kubernetes_clusters") or {}).get("clusters", ())
    own, columns = cluster_of(facts, specs), (part, *(("runtime",) if part == "handler" else ()), "whole")
    if "otherwise" in own and facts.states(own["otherwise"]["known_by"]):
        columns = ("otherwise",)
    step = next(row[column] for row in (own, rows[-1]) for column in columns if column in row)
    return Remedy(text=step["says"], command=step["command"], action="admin")


def cluster_of(facts: "Facts", specs: "Specs") -> Mapping[str, Any]:
    """Return the row of the cluster that the text describes, or else the last row, which fits any."""
    rows = (specs.table("system/kubernetes_clusters") or {}).get("clusters", ())
    kinds = {fact.value("kind") for fact in facts.stated(_KIND)}
    row: Mapping[str, Any] = next((one for one in rows if one["kind"] in kinds), rows[-1])
    return row
