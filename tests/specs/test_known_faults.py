"""Releases with a known fault: each row holds where all that it asks for is there, and nowhere else."""

from typing import Any

import pytest

from accel.apps.explain import explain
from accel.facts.infer import infer
from accel.facts.query import reads_of
from accel.facts.rules import core_rules
from accel.model.device import Device
from accel.model.environment import Environment, Framework, Library, Package, Toolkit
from accel.model.observation import ErrorSeen, Noted, Observation
from accel.model.report import Driver, Report
from accel.model.snapshot import Host, Snapshot
from accel.plugins.registry import Registry
from accel.specs import load
from accel.specs.known_faults import KnownFault, is_in, known_faults_of

SPECS = load(environment={})
TABLE = known_faults_of(SPECS)
RULES = tuple(rule for rule in core_rules() if rule.name == "known-faults")
STATED = {
    *("known-driver-fault", "known-library-fault", "known-fault-possible"),
    *("kernel-newer-than-driver", "release-without-this-gpu"),
}


def bounds_of(ranges: list[str]) -> list[str]:
    return [bound.lstrip("<>=!~") for one in ranges for bound in one.split(",")]


def inside(ranges: list[str]) -> str:
    """Return a version of the ranges: one of their bounds, or right beside it."""
    near = ((bound, f"{bound}.1", bound.partition(".")[0] + ".0.1") for bound in bounds_of(ranges))
    tried = [*(one for three in near for one in three), "0.0.1"]
    return next(one for one in tried if is_in(one, ranges))


class Made:
    """A machine that is given just what a row asks for."""

    def __init__(self) -> None:
        self.parts: dict[str, list[Any]] = {"packages": [], "frameworks": [], "libraries": [], "toolkits": []}
        self.host: dict[str, Any] = {}
        self.python: str | None = None
        self.variables: list[tuple[str, str]] = []
        self.driver: dict[str, str] = {}
        self.seen: list[Observation] = []
        self.device: dict[str, str] = {}
        self.backends: set[str] = set()

    def give(self, place: str, version: str) -> None:
        kind, _, name = place.partition(".")
        if kind == "package":
            self.parts["packages"].append(Package(name=name.replace("*", "12"), version=version))
        elif kind == "framework":
            of, _, field = name.partition(".")
            self.parts["frameworks"].append(Framework(name=of.replace("*", "torch"), **{field or "version": version}))
        elif kind == "library":
            self.parts["libraries"].append(Library(name=name, version=version))
        elif kind == "toolkit":
            self.parts["toolkits"].append(Toolkit(name=name, version=version))
        elif kind == "host":
            self.host[name] = version
        elif kind == "environment":
            self.python = version
        elif name == "driver":
            self.driver[kind] = version
        else:
            told, _, only = name.partition("?")
            fact, _, key = told.partition(".")
            more = (tuple(only.split("=")),) if only else ()
            self.seen.append(Noted(fact=fact, text=f"{fact} {version}", values=((key, version), *more)))  # type: ignore[arg-type]

    def meet(self, query: str) -> None:
        """Give what a term of `when` asks for."""
        path, _, values = query.partition("=")
        subject, _, field = path.partition(".")
        value = values.partition("|")[0]
        if query.startswith("@"):
            self.host |= {"system": "linux", "wsl": True} if query == "@wsl" else {"system": query[1:]}
        elif subject == "host":
            self.host[field] = value
        elif subject == "accelerators":
            self.device[field] = value
        elif subject == "variable":
            self.variables.append((field, "4"))
        elif not field:
            self.show(query)
        else:
            assert field in ("devices", "driver"), query
            self.backends.add(subject)

    def show(self, sign: str) -> None:
        if sign.startswith("error."):
            domain, _, code = sign[6:].partition(":")
            self.seen.append(ErrorSeen(text=sign, domain=domain, code=code))
        else:
            told, _, value = sign.removeprefix("fact.").partition("=")
            fact, _, key = told.partition(".")
            self.seen.append(Noted(fact=fact, text=sign, values=((key, value),) if key else ()))

    def snapshot(self) -> Snapshot:
        backends = {**dict.fromkeys((*self.driver, *self.backends)), **({"nvidia": None} if self.device else {})}
        reports = [
            Report(
                backend=backend,
                source="made",
                driver=Driver(version=self.driver[backend]) if backend in self.driver else None,
                devices=(Device(id="a:0", index=0, backend=backend, vendor="a", kind="gpu", **self.device),)
                if self.device or backend in self.backends
                else (),
            )
            for backend in backends
        ]
        parts = {key: tuple(value) for key, value in self.parts.items()}
        environment = Environment(python_version=self.python, variables=tuple(self.variables), **parts)
        return Snapshot(
            host=Host(**self.host), environments=(environment,), reports=tuple(reports), observations=tuple(self.seen)
        )


def machine_for(fault: KnownFault, without: str | int | None = None) -> Snapshot:
    """Return a machine on which a row holds; without one of the things that it asks for, if named."""
    row, made = fault.row, Made()
    wanted = {"version": inside(row["versions"])} | {key: row[key] for key in row}
    if isinstance(without, int):
        wanted["when"] = [query for at, query in enumerate(row["when"]) if at != without]
    else:
        wanted.pop(without or "", None)
    if "version" in wanted:
        made.give(fault.product["read_from"][0], wanted["version"])
    for product, bounds in (wanted.get("with") or {}).items():
        made.give(TABLE.products[product]["read_from"][0], inside([bounds] if isinstance(bounds, str) else bounds))
    for query in wanted.get("when", ()):
        made.meet(query if isinstance(query, str) else query[0])
    for sign in wanted.get("shows", ())[:1]:
        made.show(sign)
    return made.snapshot()


def told(snapshot: Snapshot, fault: KnownFault) -> set[str]:
    facts, gaps = infer(snapshot, SPECS, RULES)
    assert gaps == ()
    return {fact.name for fact in facts if fact.name in STATED and fact.value("fault") == fault.row["id"]}


def by_id(fault: KnownFault) -> str:
    return str(fault.row["id"])


@pytest.mark.parametrize("fault", TABLE.rows, ids=by_id)
def test_a_row_holds_where_all_that_it_asks_for_is_there_and_where_nothing_less_is(fault: KnownFault) -> None:
    row = fault.row
    says = {row.get("states")} if "states" in row else {"known-driver-fault", "known-library-fault"}
    quiet = {"known-fault-possible"} if row.get("alone", True) else set()
    assert told(machine_for(fault), fault) <= (says if row.get("shows") else quiet)
    assert told(machine_for(fault), fault) or not (row.get("shows") or quiet)
    assert told(machine_for(fault, "shows"), fault) == quiet
    for condition in ("version", *(("with",) if "with" in row else ()), *range(len(row.get("when", ())))):
        assert told(machine_for(fault, condition), fault) == set(), f"without {condition}"


@pytest.mark.parametrize("fault", TABLE.rows, ids=by_id)
def test_a_release_that_mended_a_fault_is_in_none_of_its_ranges_and_explain_knows_those_that_have_it(
    fault: KnownFault,
) -> None:
    assert fault.row.get("fixed") is None or not is_in(fault.row["fixed"], fault.row["versions"])
    version = inside(fault.row["versions"])
    answers = explain(f"{fault.product['name']} {version}", Registry({}))
    assert any(fault.row["fault"] in one.title for one in answers)


def test_the_table_is_long_named_once_and_what_it_names_exists() -> None:
    known = SPECS.inference["facts"]
    signs = {sign for fault in TABLE.rows for sign in fault.row.get("shows", ())}
    facts = {*reads_of(signs)}
    errors = [sign[6:].split(":") for sign in signs if sign.startswith("error.")]
    assert len(TABLE.rows) >= 90
    assert len({fault.row["id"] for fault in TABLE.rows}) == len(TABLE.rows)
    assert facts - set(known) == set()
    assert all(SPECS.errors.row(domain, code) for domain, code in errors)
    assert {name for fault in TABLE.rows for name in fault.row.get("with", {})} - set(TABLE.products) == set()
    assert all(fault.source for fault in TABLE.rows)


def test_an_unknown_release_is_said_to_be_unknown_and_an_unknown_product_is_not_guessed() -> None:
    registry = Registry({})
    assert [one.text for one in explain("nccl 2.999", registry)] == ["No fault of this release is known here."]
    assert explain("frobnicator 2.19.3", registry) == ()
