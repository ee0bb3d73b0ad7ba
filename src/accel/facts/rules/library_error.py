"""Errors of a maker's library that its tables know by number, name or sentence, each stated as a fact."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.model.observation import Complaint, ErrorSeen, Fact, share_a_line
from accel.text.words import Words
from accel.vendors.contract.rule import Seen, fact_from, rule

if TYPE_CHECKING:
    from accel.specs import Specs


@rule(gives={"library-error": "an error of an accelerator's library that the tables know"}, triggers=("error",))
def library_error(seen: Seen, specs: "Specs") -> Iterator[Fact]:
    """Holds for an error on a line that looks like an error, since a list of codes or a healthy log may hold its name,
    too; not for one that the program itself causes, such as an argument that is not valid, and not for one that its
    library gives for anything (vague: "internal error"). The line itself names the library, or the number is its own.
    """
    complaints, errors = seen.of(Complaint), specs.errors
    for one in seen.of(ErrorSeen):
        if errors.backend(one.domain) is None or errors.meaning(one.domain, one.code) is None:
            continue
        row = errors.row(one.domain, one.code)
        tells = errors.layer(one.domain, one.code) != "application" and not row.get("vague")
        if tells and _is_named(one, specs) and any(share_a_line(one, complaint) for complaint in complaints):
            yield fact_from("library-error", one, domain=one.domain, code=one.code)


def _is_named(error: ErrorSeen, specs: "Specs") -> bool:
    """Whether the line of an error has a word of its library, or a number that no other library has."""
    if specs.errors.alone(error.domain, error.code) or not error.code.lstrip("-").isdecimal():
        return True
    words = Words(error.text).words
    near = specs.errors.near(error.domain)
    return any(word.startswith(form[:-1]) if form.endswith("*") else word == form for form in near for word in words)
