"""NumPy 2 under a CANN that is written for NumPy 1."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from accel.contract.rule import Seen, fact_from, rule
from accel.facts.questions import Facts
from accel.model.observation import ErrorSeen, Fact, Installed, Observation, Raised
from accel_ascend.concern import cann_of
from accel_ascend.versions import order

if TYPE_CHECKING:
    from accel.specs import Specs

TOO_NEW: Final = "numpy-too-new-for-toolkit"
_FREE_FROM: Final = "9.0.0"  # CANN's installation guides: from here on NumPy has no upper bound
_COMPILER: Final = re.compile(
    r"AclSetCompileopt|SetPrecisionMode|aclInit|init env failed|import (?:tbe|te)\b", re.IGNORECASE
)


@rule(gives={TOO_NEW: "CANN's compiler does not start under the installed NumPy 2"})
def numpy_of_cann(seen: Seen, specs: "Specs") -> Iterator[Fact]:
    """Holds where NumPy 2 is installed, CANN is older than 9.0 (or not known), and its compiler failed to start. An
    error 500001 without a version of NumPy proves nothing.
    """
    facts = Facts(seen.snapshot)
    numpy = _numpy(seen, facts)
    if numpy is None or not numpy.split(".")[0].isdecimal() or int(numpy.split(".")[0]) < 2:
        return
    cann = cann_of(facts)
    if cann is not None and order(cann) >= order(_FREE_FROM):
        return
    failures: list[Observation] = [
        one for one in seen.of(ErrorSeen) if one.domain == "acl" and one.code == "500001" and _COMPILER.search(one.text)
    ]
    failures += [one for one in seen.of(Raised) if "np.float_" in one.message and "tbe" in one.text]
    if failures:
        yield fact_from(TOO_NEW, failures[0], wanted_by=f"CANN {cann}" if cann else "CANN", version=numpy)


def _numpy(seen: Seen, facts: Facts) -> str | None:
    """Return the version of NumPy: what an installer put there last, else what is listed."""
    put = [one for one in seen.of(Installed) if one.package == "numpy" and not one.removed and one.version]
    listed = facts.package("numpy")
    return put[-1].version if put else listed.version if listed else None
