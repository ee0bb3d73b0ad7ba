"""Errors of vendors' libraries that the tables know by number, name or message, each as a fact."""

from collections.abc import Iterator

from accel.model.observation import Complaint, ErrorSeen, Fact, share_a_line
from accel.specs import Specs
from accel.text.words import Words
from accel.vendors.contract.rule import Seen, fact_from, rule


@rule(gives={"library-error": "an error of an accelerator's library that the tables know"}, triggers=("error",))
def library_error(seen: Seen, specs: Specs) -> Iterator[Fact]:
    """Holds for an error on a line that looks like an error: a list of codes or a healthy log may contain its name too.
    Errors that the program itself causes (an invalid argument) and unspecific ones (vague: "internal error") are
    skipped. The line must name the library, or the number must be unique to it.
    """
    complaints, errors = seen.of(Complaint), specs.errors
    for one in seen.of(ErrorSeen):
        if errors.backend(one.domain) is None or errors.meaning(one.domain, one.code) is None:
            continue
        row = errors.row(one.domain, one.code)
        tells = errors.layer(one.domain, one.code) != "application" and not row.get("vague")
        if tells and _is_named(one, specs) and any(share_a_line(one, complaint) for complaint in complaints):
            yield fact_from("library-error", one, domain=one.domain, code=one.code)


def _is_named(error: ErrorSeen, specs: Specs) -> bool:
    """Return whether the error's line has a word of its library, or a number that no other library has."""
    if specs.errors.alone(error.domain, error.code) or not error.code.lstrip("-").isdecimal():
        return True
    words = Words(error.text).words
    near = specs.errors.near(error.domain)
    return any(word.startswith(form[:-1]) if form.endswith("*") else word == form for form in near for word in words)
