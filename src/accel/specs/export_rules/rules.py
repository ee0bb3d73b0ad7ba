"""The versions of the export rules, and the destinations that they distinguish."""

from typing import Any

from accel.model.dataclass import dataclass
from accel.model.errors import BadInput, BadSpec
from accel.specs import Specs

Condition = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleClass:
    """One class that a rule puts chips in, its condition, and what follows from it."""

    name: str
    when: Condition
    means: str
    exception_when: Condition | None = None
    exception: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One version of one rule. Dates are like "2023-11-17"; applies_until is its last day, None if none is known.

    known_until  for a rule without a last day, the last day or month in which it is known to have read like this
    role      "licence", "review", "reading" or "duty"
    makers    the vendors that it addresses; None: all
    of        a condition on the class that the chip already has; excluded: chips that the rule leaves out
    """

    name: str
    title: str
    kind: str
    role: str
    applies_from: str
    applies_until: str | None
    scope: str
    classes: tuple[RuleClass, ...]
    known_until: str | None = None
    makers: tuple[str, ...] | None = None
    of: Condition | None = None
    excluded: Condition | None = None
    excluded_means: str | None = None
    otherwise: str | None = None
    citation: str | None = None
    changed: str | None = None
    remark: str | None = None
    sources: tuple[str, ...] = ()
    confidence: str | None = None

    def in_force(self, date: str) -> bool:
        return self.applies_from <= date and (self.applies_until is None or date <= self.applies_until)

    def undecided_since(self, date: str) -> str | None:
        """Return the first day on which the rule's validity is unknown; None if `date` is before that day."""
        if self.applies_until is not None or not self.in_force(date):
            return None
        return first_day_after(self.known_until, date)


@dataclass(frozen=True, slots=True, kw_only=True)
class Destination:
    """A country and the rules' groups it belongs to. assumed: none was given and this is the default."""

    code: str
    name: str
    groups: tuple[str, ...]
    assumed: bool = False


def rules(specs: Specs) -> tuple[Rule, ...]:
    """Return every rule, oldest first; sources as addresses. Raises BadSpec if there is no table."""
    table = _table(specs, "export_control")
    addresses = {key: source.get("url") or source.get("place") or key for key, source in table["sources"].items()}
    return tuple(_rule(record, addresses) for record in sorted(table["rules"], key=lambda r: str(r["applies_from"])))


def not_judged(specs: Specs, date: str) -> tuple[str, ...]:
    """Return sentences on rules, bills and orders of the date that cannot be decided from a chip's figures."""
    items = _table(specs, "export_control")["not_judged"]
    begun = (item for item in items if (item.get("applies_from") or item.get("introduced") or "") <= date)
    return tuple(f"{item['name']} ({item['kind']}): {item['what']}{_since_then(item, date)}" for item in begun)


def first_day_after(until: str | None, date: str) -> str | None:
    """Return the day after a day or a month ("2026-06"); None if `date` is not after it, or if `until` is None.

    >>> first_day_after("2026-06", "2026-11-29"), first_day_after("2026-12-31", "2027-01-01")
    ('2026-07-01', '2027-01-01')
    >>> first_day_after("2026-06", "2026-06-30"), first_day_after(None, "2026-06-30")
    (None, None)
    """
    if until is None or date[: len(until)] <= until:
        return None
    from datetime import date as day
    from datetime import timedelta

    numbers = [int(part) for part in until.split("-")]
    if len(numbers) == 2:
        year, month = numbers
        return f"{year + month // 12}-{month % 12 + 1:02}-01"
    return (day(*numbers) + timedelta(days=1)).isoformat()


def _since_then(item: dict[str, Any], date: str) -> str:
    since = first_day_after(item.get("known_until"), date)
    return f" Known up to {item['known_until']}: undecided since {since}." if since else ""


def destination(specs: Specs, name: str | None) -> Destination:
    """Return the country with this name or code; by default China, as assumed. Raises BadInput if it is unknown."""
    from difflib import get_close_matches

    countries = _table(specs, "destinations")["countries"]
    wanted = (name or "CN").strip().lower()
    for country in countries:
        if wanted in (country["code"].lower(), *(known.lower() for known in country["names"])):
            return Destination(
                code=country["code"], name=country["names"][0], groups=tuple(country["groups"]), assumed=name is None
            )
    every = [known for country in countries for known in (*country["names"], country["code"])]
    near = get_close_matches(str(name), every, 1)
    hint = f" Did you mean {near[0]}?" if near else ""
    raise BadInput(
        f"--to {name}: this country is in none of the lists, so no rule can be held against it.{hint} Give an English "
        "name or a two-letter code that accel knows; look its country group up in Supplement No. 1 to Part 740."
    )


def in_scope(specs: Specs, scope: str, to: Destination) -> bool:
    """Return whether a rule of this scope covers the destination."""
    limits = _table(specs, "destinations")["scopes"][scope]
    if to.code == "US":
        return False
    if limits.get("all") or to.code in limits.get("countries", ()):
        return True
    taken_out = set(limits.get("unless", ())) & set(to.groups)
    return bool(set(limits.get("groups", ())) & set(to.groups)) and not taken_out


def _table(specs: Specs, name: str) -> Any:
    table = specs.table(f"restrictions/{name}")
    if table is None:
        raise BadSpec(f"restrictions/{name}.yaml is missing, so nothing can be judged. Reinstall accel.")
    return table


def _rule(record: dict[str, Any], addresses: dict[str, str]) -> Rule:
    makers = record.get("makers")
    return Rule(
        name=record["name"],
        title=record["title"],
        kind=record["kind"],
        role=record["role"],
        applies_from=record["applies_from"],
        applies_until=record.get("applies_until"),
        scope=record["scope"],
        known_until=record.get("known_until"),
        makers=tuple(makers) if makers else None,
        of=record.get("of"),
        excluded=record.get("excluded"),
        excluded_means=record.get("excluded_means"),
        classes=tuple(
            RuleClass(
                name=item["class"],
                when=item["when"],
                means=item["means"],
                exception_when=item.get("exception_when"),
                exception=item.get("exception"),
            )
            for item in record["classes"]
        ),
        otherwise=record.get("otherwise"),
        citation=record.get("citation"),
        changed=record.get("changed"),
        remark=record.get("remark"),
        sources=tuple(addresses.get(key, key) for key in record["sources"]),
        confidence=record["confidence"],
    )
