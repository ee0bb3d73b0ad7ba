r"""Detect regular expressions that can take exponential or quadratic time on a text that they do not match.

    faults(r"(\w+\s?)*x")        a repeat whose body can be split into repeats in two ways: exponential
    faults(r"[ \t]*\s*x")        two adjacent unbounded repeats that share characters: quadratic

The expression becomes a Glushkov automaton, with one state per character position. By Weber and Seidl's criteria, time
is exponential if a state can reach itself by two paths that read the same text. It is quadratic if one looping state
can reach another, and both loops and the path between them read the same text. Bounded repeats count as loops for the
exponential criterion if they repeat more than a few times, and never for the quadratic one.

Limits: the contents of look-arounds are judged separately, and back references are treated as arbitrary text.
"""

import re
import sys
from collections.abc import Iterable
from typing import Any, Final

from accel.model.dataclass import dataclass, field
from accel.text.strong_components import strong_components

if sys.version_info >= (3, 11):
    from re import _constants as constants
    from re import _parser as parser
else:
    import sre_constants as constants
    import sre_parse as parser

# Representative characters: all ASCII ones, and one of each other class that expressions distinguish.
_ALPHABET: Final = [chr(number) for number in range(128)] + ["é", "中", "\u00a0", "：", "°", "“", "\u2028", "³"]
_ALL: Final = (1 << len(_ALPHABET)) - 1
_LOOPED: Final = 10  # a repeat of more counts as a loop for the exponential criterion
_MOST_STATES: Final = 1500
_MOST_STEPS: Final = 400_000


class TooLarge(Exception):
    """Raised if the automaton has too many states to be judged."""


@dataclass
class _Automaton:
    """A Glushkov automaton with numbered states.

    sets   the characters that each state reads
    after  how many transitions lead to each next state
    """

    sets: list[int] = field(default_factory=list)
    after: list[dict[int, int]] = field(default_factory=list)

    def state(self, characters: int) -> int:
        if len(self.sets) >= _MOST_STATES:
            raise TooLarge
        self.sets.append(characters)
        self.after.append({})
        return len(self.sets) - 1

    def join(self, lasts: "dict[int, int]", firsts: "dict[int, int]") -> None:
        for last, ways in lasts.items():
            for first, more in firsts.items():
                self.after[last][first] = min(2, self.after[last].get(first, 0) + ways * more)


@dataclass
class _Part:
    """A part of an expression: in how many ways it matches the empty string, and its first and last states."""

    empty: int
    firsts: dict[int, int]
    lasts: dict[int, int]


def faults(pattern: str, flags: int = 0, searched: bool = False) -> list[str]:
    """Return what is wrong with an expression; [] if matching takes time linear in the length of the text.

    searched  the expression is tried at every position of a text, as by re.search, so its beginning may be read again
              from each of them
    """
    tree = parser.parse(pattern, flags)
    flags |= tree.state.flags
    found = []
    for kind, loops_from in (("exponential", _LOOPED), ("quadratic", constants.MAXREPEAT)):
        inner: list[Any] = [tree]
        while inner:  # the expression, then each look-around by itself
            automaton = _Automaton()
            items = inner.pop(0)
            try:
                whole = _sequence(items, automaton, flags, int(loops_from), inner)
                if kind == "exponential":
                    place = _exponential(automaton)
                else:
                    before = _before(items, whole, automaton, flags) if searched and items is tree else None
                    place = _quadratic(automaton, before, whole.lasts)
            except TooLarge:
                place = "too large to be judged"
            if place:
                found.append(f"{kind}: {place}")
                break
    return found


def _before(items: Any, whole: _Part, automaton: _Automaton, flags: int) -> int | None:
    """Add a loop for the text before the position where a search matches; None if there is only one such position."""
    last = _ALL
    if len(items):
        name, argument = str(items[0][0]), items[0][1]
        if name == "AT" and str(argument).startswith("AT_BEGINNING"):
            if str(argument) != "AT_BEGINNING" or not flags & re.MULTILINE:
                return None
            last = _bits("\n")
        elif name == "AT" and str(argument) == "AT_BOUNDARY":
            word = _category("WORD", flags)
            last = _ALL & ~word if all(not automaton.sets[state] & ~word for state in whole.firsts) else _ALL
        elif name in ("ASSERT", "ASSERT_NOT") and argument[0] < 0 and len(argument[1]) == 1:
            held = _characters(str(argument[1][0][0]), argument[1][0][1], flags)
            last = held if name == "ASSERT" else _ALL & ~held
    loop = automaton.state(_ALL)
    automaton.after[loop][loop] = 1
    end = loop
    if last != _ALL:
        end = automaton.state(last)
        automaton.after[loop][end] = 1
    automaton.join({end: 1}, whole.firsts)
    return loop


def _sequence(items: Iterable[Any], automaton: _Automaton, flags: int, loops_from: int, inner: list[Any]) -> _Part:
    whole = _Part(1, {}, {})
    for operation, argument in items:
        part = _part(operation, argument, automaton, flags, loops_from, inner)
        automaton.join(whole.lasts, part.firsts)
        firsts, lasts = dict(whole.firsts), dict(part.lasts)
        for state, ways in part.firsts.items():
            if whole.empty:
                firsts[state] = min(2, firsts.get(state, 0) + ways * whole.empty)
        for state, ways in whole.lasts.items():
            if part.empty:
                lasts[state] = min(2, lasts.get(state, 0) + ways * part.empty)
        whole = _Part(min(2, whole.empty * part.empty), firsts, lasts)
    return whole


def _part(operation: Any, argument: Any, automaton: _Automaton, flags: int, loops_from: int, inner: list[Any]) -> _Part:
    name = str(operation)
    if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
        least, most, body = argument
        return _repeat(least, int(most), body, automaton, flags, loops_from, inner)
    if name == "SUBPATTERN":
        _, added, taken, body = argument
        return _sequence(body, automaton, (flags | added) & ~taken, loops_from, inner)
    if name == "ATOMIC_GROUP":
        return _sequence(argument, automaton, flags, loops_from, inner)
    if name == "BRANCH":
        parts = [_sequence(body, automaton, flags, loops_from, inner) for body in argument[1]]
        return _either(parts)
    if name == "GROUPREF_EXISTS":
        bodies = [body for body in argument[1:] if body is not None]
        parts = [_sequence(body, automaton, flags, loops_from, inner) for body in bodies]
        return _either([*parts, _Part(1, {}, {})])
    if name in ("ASSERT", "ASSERT_NOT"):
        inner.append(argument[1])
        return _Part(1, {}, {})
    if name in ("AT", "FAILURE"):
        return _Part(1, {}, {})
    if name == "GROUPREF":
        state = automaton.state(_ALL)
        automaton.after[state][state] = 1
        return _Part(1, {state: 1}, {state: 1})
    state = automaton.state(_characters(name, argument, flags))
    return _Part(0, {state: 1}, {state: 1})


def _either(parts: list[_Part]) -> _Part:
    whole = _Part(0, {}, {})
    for part in parts:
        whole.empty = min(2, whole.empty + part.empty)
        for mine, theirs in ((whole.firsts, part.firsts), (whole.lasts, part.lasts)):
            for state, ways in theirs.items():
                mine[state] = min(2, mine.get(state, 0) + ways)
    return whole


def _repeat(
    least: int, most: int, body: Any, automaton: _Automaton, flags: int, loops_from: int, inner: list[Any]
) -> _Part:
    """Return a repeat as a loop; or, if it is bounded, as one or two copies of its body."""
    is_loop = most >= loops_from and most > 1
    if is_loop:
        part = _sequence(body, automaton, flags, loops_from, inner)
        automaton.join(part.lasts, part.firsts)
        return _Part(1 if least == 0 else min(part.empty, 1), part.firsts, part.lasts)
    copies = [_sequence(body, automaton, flags, loops_from, inner) for _ in range(min(most, 2))]
    whole = _Part(1, {}, {})
    for number, part in enumerate(copies):
        needed = number < least
        automaton.join(whole.lasts, part.firsts)
        firsts, lasts = dict(whole.firsts), dict(part.lasts)
        if number == 0 or copies[0].empty:
            firsts.update({state: max(firsts.get(state, 0), ways) for state, ways in part.firsts.items()})
        if not needed or part.empty:
            lasts.update({state: max(lasts.get(state, 0), ways) for state, ways in whole.lasts.items()})
        whole = _Part(int(bool(whole.empty) and (not needed or bool(part.empty))), firsts, lasts)
    return whole


def _characters(name: str, argument: Any, flags: int) -> int:
    """Return the characters that a position reads, as a bit set."""
    if name == "ANY":
        return _ALL if flags & re.DOTALL else _ALL & ~_bits("\n")
    if name == "LITERAL":
        return _either_case(_literal(argument), flags)
    if name == "NOT_LITERAL":
        return _ALL & ~_either_case(_literal(argument), flags)
    if name != "IN":
        raise TooLarge(name)
    held, negated = 0, False
    for kind, value in argument:
        if str(kind) == "NEGATE":
            negated = True
        elif str(kind) == "LITERAL":
            held |= _literal(value)
        elif str(kind) == "RANGE":
            held |= sum(1 << at for at, sign in enumerate(_ALPHABET) if value[0] <= ord(sign) <= value[1])
        elif str(kind) == "CATEGORY":
            held |= _category(str(value), flags)
    held = _either_case(held, flags)
    return _ALL & ~held if negated else held


def _literal(code: int) -> int:
    return _bits(chr(code))


def _bits(sign: str) -> int:
    return 1 << _ALPHABET.index(sign) if sign in _ALPHABET else 0


def _either_case(held: int, flags: int) -> int:
    if not flags & re.IGNORECASE:
        return held
    for at in range(26):
        small, large = 1 << (97 + at), 1 << (65 + at)
        if held & (small | large):
            held |= small | large
    return held


def _category(name: str, flags: int) -> int:
    form = {"DIGIT": r"\d", "SPACE": r"\s", "WORD": r"\w"}[name.rpartition("_")[2]]
    if "NOT" in name:
        form = form.upper()
    test = re.compile(form, flags & re.ASCII)
    return sum(1 << at for at, sign in enumerate(_ALPHABET) if test.match(sign))


def _exponential(automaton: _Automaton) -> str:
    """Return the characters read by two different paths from a state to itself; "" if there are none."""
    sets, after = automaton.sets, automaton.after
    component = strong_components(len(sets), lambda state: after[state])
    for state, nexts in enumerate(after):
        for other, ways in nexts.items():
            if ways > 1 and component[state] == component[other]:
                return _shown(sets[state] & sets[other] or sets[state])
    steps = 0
    for start in range(len(sets)):
        if start not in after[start] and len([1 for c in component if c == component[start]]) < 2:
            continue
        seen = set()
        waiting = [(start, start)]
        forward: dict[tuple[int, int], list[tuple[int, int]]] = {}
        while waiting:
            pair = waiting.pop()
            if pair in seen:
                continue
            seen.add(pair)
            for left in after[pair[0]]:
                if component[left] != component[start]:
                    continue
                for right in after[pair[1]]:
                    if component[right] == component[start] and sets[left] & sets[right]:
                        steps += 1
                        forward.setdefault((left, right), []).append(pair)
                        waiting.append((left, right))
            if steps > _MOST_STEPS:
                raise TooLarge
        back, waiting = set(), [(start, start)]
        while waiting:
            pair = waiting.pop()
            for before in forward.get(pair, ()):
                if before not in back:
                    back.add(before)
                    waiting.append(before)
        apart = next((pair for pair in seen & back if pair[0] != pair[1]), None)
        if apart:
            return _shown(sets[apart[0]] & sets[apart[1]])
    return ""


def _quadratic(automaton: _Automaton, before: int | None, lasts: dict[int, int]) -> str:
    """Return the characters that two successive loops, and the path between them, all read; "" if there are none.

    before  the loop for the text before a search's match. It is harmless if reaching the second loop completes the
            match
    """
    sets, after = automaton.sets, automaton.after
    component = strong_components(len(sets), lambda state: after[state])
    sizes: dict[int, int] = {}
    for number in component:
        sizes[number] = sizes.get(number, 0) + 1
    looping = [s for s in range(len(sets)) if s in after[s] or sizes[component[s]] > 1]
    reach = {state: _reached(state, after) for state in looping}
    steps = 0
    for first in looping:
        for second in looping:
            if component[first] == component[second] or second not in reach[first]:
                continue
            if first == before and second in lasts:
                continue
            seen = set()
            waiting = [(first, first, second)]
            while waiting:
                triple = waiting.pop()
                if triple in seen:
                    continue
                seen.add(triple)
                for one in after[triple[0]]:
                    if component[one] != component[first]:
                        continue
                    for three in after[triple[2]]:
                        if component[three] != component[second] or not sets[one] & sets[three]:
                            continue
                        for two in after[triple[1]]:
                            steps += 1
                            common = sets[one] & sets[two] & sets[three]
                            if common and (two == second or second in _from(two, reach, after)):
                                if (one, two, three) == (first, second, second):
                                    return _shown(common)
                                waiting.append((one, two, three))
                if steps > _MOST_STEPS:
                    raise TooLarge
    return ""


def _from(state: int, known: dict[int, set[int]], after: list[dict[int, int]]) -> set[int]:
    if state not in known:
        known[state] = _reached(state, after)
    return known[state]


def _reached(state: int, after: list[dict[int, int]]) -> set[int]:
    seen: set[int] = set()
    waiting = [state]
    while waiting:
        for following in after[waiting.pop()]:
            if following not in seen:
                seen.add(following)
                waiting.append(following)
    return seen


def _shown(characters: int) -> str:
    """Return some of the characters, for a message."""
    signs = [sign for at, sign in enumerate(_ALPHABET) if characters >> at & 1]
    kept = [sign for sign in signs if sign.isalnum()][:2] + [sign for sign in signs if not sign.isalnum()][:2]
    return "on " + " ".join(map(repr, kept))
