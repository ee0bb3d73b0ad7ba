"""Errors of a maker's library that its tables know by number, name or sentence, each stated as a fact."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.model.observation import Complaint, ErrorSeen, Fact, share_a_line
from accel.vendors.contract.rule import Seen, fact_from, rule

if TYPE_CHECKING:
    from accel.specs import Specs


@rule(gives={"library-error": "an error of an accelerator's library that the tables know"}, triggers=("error",))
def library_error(seen: Seen, specs: "Specs") -> Iterator[Fact]:
    """Holds for an error on a line that looks like an error, since a list of codes or a healthy log may hold its name,
    too; not for one that the program itself causes, such as an argument that is not valid, and not for one that its
    library gives for anything (vague: "internal error").
    """
    complaints, errors = seen.of(Complaint), specs.errors
    for one in seen.of(ErrorSeen):
        if errors.backend(one.domain) is None or errors.meaning(one.domain, one.code) is None:
            continue
        row = errors.row(one.domain, one.code)
        tells = errors.layer(one.domain, one.code) != "application" and not row.get("vague")
        if tells and any(share_a_line(one, complaint) for complaint in complaints):
            yield fact_from("library-error", one, domain=one.domain, code=one.code)
