from collections.abc import Iterator
from typing import Final

from accel.facts.questions import Facts
from accel.specs import Specs
from accel.vendors.contract.check import Problem, Remedy, check, quoted

_REPORT: Final = (
    "If the cause remains unknown: report it to the maintainers of the library or the program, with the "
    "complete output."
)


@check(
    code="AC425",
    name="library-error",
    layer="application",
    reads=("library-error",),
    needs=("run.program",),
    last_resort=True,
)
def library_error(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """A library or driver of an accelerator failed with an error whose meaning is known but whose cause is not.

    Why it matters   The code gives the class of the fault: memory, access, a device in use, incompatible versions,
                     hardware.
    What to do       Follow the library's tables for the code; otherwise read what was logged at that time.
    Looks at         error numbers, names and sentences of the libraries in specs/<domain>/errors
    Silent when      another check explains the error, or several causes are listed for it
    Source           the libraries' headers, as cited in specs/<domain>/errors
    """
    by_backend: dict[str, list[tuple[str, str]]] = {}
    for fact in facts.stated("library-error"):
        domain, code = fact.value("domain") or "", fact.value("code") or ""
        by_backend.setdefault(specs.errors.backend(domain) or "", []).append((domain, code))
    for backend, codes in by_backend.items():
        domain, code = codes[0]  # errors after the first one are mostly its consequences
        told = [f for f in facts.stated("library-error") if specs.errors.backend(f.value("domain") or "") == backend]
        yield Problem(
            title=f"{_capital(specs.errors.title(domain))} error {code}: {specs.errors.meaning(domain, code)}",
            evidence=quoted(told),
            remedies=tuple(_remedies(domain, code, specs)),
        )


def _capital(title: str) -> str:
    return title[:1].upper() + title[1:]


def _remedies(domain: str, code: str, specs: Specs) -> Iterator[Remedy]:
    cure, more = specs.errors.row(domain, code).get("cure"), specs.errors.more(domain)
    if cure is not None:
        yield Remedy(text=cure, action="app")
    if more is not None:
        yield Remedy(text=more["text"], command=more["command"], action="app", kind="look")
    yield Remedy(text=_REPORT, action="app", kind="ask")
