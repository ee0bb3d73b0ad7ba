"""Numbers that record what is asked of them: one answer then serves every input that gives the same answers.

A function is called once with traced numbers in place of its own. Every comparison is a question with its answer;
arithmetic yields further traced numbers; anything else that uses the number itself (printing, hashing, converting) asks
whether it is exactly this one. Numbers that answer all of these questions alike take the same path through the
function, so they have the same result, in which traced numbers are replaced by their own.

A traced number is not an int, float or str: C code that would read it without asking raises TypeError instead.
"""

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any, Final

Values = Sequence[Any]
Term = Any  # the place of a value, ("constant", value), or (function, term, …)


class Trace:
    """The questions of one call, and the values they were asked of."""

    def __init__(self, values: Values) -> None:
        self.values = values
        self.questions: dict[Term, Any] = {}

    def number(self, place: int) -> Any:
        """Return the value at a place, traced."""
        return Traced(self, place, self.values[place])


class Questions:
    """The questions of one call, to be asked of other values."""

    def __init__(self, trace: Trace) -> None:
        self._others: list[tuple[Callable[[Values], Any], Any]] = []
        truths: dict[bool, list[int]] = {False: [], True: []}
        bounds: dict[tuple[Any, float, bool], list[int]] = {}
        for term, answer in trace.questions.items():
            function, subject, *rest = term
            if function is operator.truth and isinstance(subject, int):
                truths[answer].append(subject)
            elif (
                function in _EXTREME
                and isinstance(subject, int)
                and not isinstance(rest[0], int)
                and rest[0][0] == "constant"
            ):
                bounds.setdefault((function, rest[0][1], answer), []).append(subject)
            else:
                self._others.append((function_of(term), answer))
        self._zero, self._not_zero = _places(truths[False]), _places(truths[True])
        # Of many numbers with one bound, the largest or the smallest answers for all.
        self._bounds = [
            (function, _EXTREME[function] if answer else _OPPOSITE[function], _places(places), bound, answer)
            for (function, bound, answer), places in bounds.items()
        ]

    def same(self, values: Values) -> bool:
        """Return whether these values give the same answers to all questions."""
        if any(self._zero(values)) or not all(self._not_zero(values)):
            return False
        for function, extreme, places, bound, answer in self._bounds:
            if function(extreme(places(values)), bound) is not answer:
                return False
        try:
            return all(ask(values) == answer for ask, answer in self._others)
        except ArithmeticError:  # a division by zero where there was none
            return False


_EXTREME: Final[dict[Any, Any]] = {operator.ge: min, operator.gt: min, operator.le: max, operator.lt: max}
_OPPOSITE: Final[dict[Any, Any]] = {operator.ge: max, operator.gt: max, operator.le: min, operator.lt: min}


def _places(places: Sequence[int]) -> Callable[[Values], Sequence[Any]]:
    if len(places) > 1:
        return operator.itemgetter(*places)
    return lambda values: [values[place] for place in places]


def function_of(term: Term) -> Callable[[Values], Any]:
    """Return a term as a function of values."""
    if isinstance(term, int):
        return operator.itemgetter(term)
    if term[0] == "constant":
        value = term[1]
        return lambda values: value
    function, *rest = term
    if len(rest) == 1:
        one = function_of(rest[0])
        return lambda values: function(one(values))
    first, second = rest
    if isinstance(first, int) and not isinstance(second, int) and second[0] == "constant":
        bound = second[1]
        return lambda values: function(values[first], bound)
    one, other = function_of(first), function_of(second)
    return lambda values: function(one(values), other(values))


class Traced:
    """A number, or a word that represents one, that records every question."""

    __slots__ = ("_trace", "_value", "term")

    def __init__(self, trace: Trace, term: Term, value: Any) -> None:
        self._trace, self.term, self._value = trace, term, value

    @property  # type: ignore[misc]
    def __class__(self) -> type:  # what isinstance asks
        return type(self._value)

    def belongs_to(self, trace: Trace) -> bool:
        """Return whether it was created in this call, not cached from another."""
        return self._trace is trace

    def number_by(self, convert: Callable[[Any], Any]) -> Any:
        """Return the number that the word represents, traced. convert: a pure function."""
        return Traced(self._trace, (convert, self.term), convert(self._value))

    def _asked(self, term: Term, answer: Any) -> Any:
        self._trace.questions[term] = answer
        return answer

    def itself(self) -> Any:
        """Return the plain value: from here on, its exact value matters."""
        self._asked((operator.eq, self.term, ("constant", self._value)), True)
        return self._value

    def __getattr__(self, name: str) -> Any:
        return getattr(self.itself(), name)

    def __eq__(self, other: object) -> Any:
        return self._equal(other, operator.eq)

    def __ne__(self, other: object) -> Any:
        return self._equal(other, operator.ne)

    def _equal(self, other: Any, function: Callable[[Any, Any], bool]) -> bool:
        alike = (str,) if isinstance(self._value, str) else (int, float)
        if type(other) is not Traced and not isinstance(other, alike):
            return function is operator.ne  # whatever the number is
        term, value = _term_of(other), _bare(other)
        return bool(self._asked((function, self.term, term), function(self._value, value)))

    def __hash__(self) -> int:
        return hash(self.itself())

    def __bool__(self) -> bool:
        return bool(self._asked((operator.truth, self.term), bool(self._value)))


def _term_of(value: Any) -> Term:
    return value.term if type(value) is Traced else ("constant", value)


def _bare(value: Any) -> Any:
    return value._value if type(value) is Traced else value


def _comparison(function: Callable[[Any, Any], Any]) -> Any:
    def compared(self: Traced, other: Any) -> Any:
        if type(other) is not Traced and not isinstance(other, (int, float)):
            return function(self.itself(), other)
        return self._asked((function, self.term, _term_of(other)), function(self._value, _bare(other)))

    return compared


def _arithmetic(function: Callable[[Any, Any], Any], *, turned: bool = False) -> Any:
    def computed(self: Traced, other: Any) -> Any:
        if type(other) is not Traced and not isinstance(other, (int, float)):
            return function(other, self.itself()) if turned else function(self.itself(), other)
        mine, theirs = (self.term, self._value), (_term_of(other), _bare(other))
        one, two = (theirs, mine) if turned else (mine, theirs)
        return Traced(self._trace, (function, one[0], two[0]), function(one[1], two[1]))

    return computed


def _of_one(function: Callable[[Any], Any]) -> Any:
    return lambda self: Traced(self._trace, (function, self.term), function(self._value))


def _exactly(function: Callable[..., Any]) -> Any:
    return lambda self, *given: function(self.itself(), *given)


_COMPARED: Final = ("lt", "le", "gt", "ge")
_COMPUTED: Final = ("add", "sub", "mul", "truediv", "floordiv", "mod")
_ONE: Final = ("neg", "pos", "abs")
_EXACT: Final[dict[str, Callable[..., Any]]] = {
    "str": str,
    "repr": repr,
    "format": format,
    "int": int,
    "float": float,
    "index": operator.index,
    "round": round,
    "trunc": math.trunc,
    "floor": math.floor,
    "ceil": math.ceil,
    "pow": pow,
    "len": len,
    "iter": iter,
    "contains": operator.contains,
    "getitem": operator.getitem,
}
for _name in _COMPARED:
    setattr(Traced, f"__{_name}__", _comparison(getattr(operator, _name)))
for _name in _COMPUTED:
    setattr(Traced, f"__{_name}__", _arithmetic(getattr(operator, _name)))
    setattr(Traced, f"__r{_name}__", _arithmetic(getattr(operator, _name), turned=True))
for _name in _ONE:
    setattr(Traced, f"__{_name}__", _of_one(getattr(operator, _name)))
for _name, _function in _EXACT.items():
    setattr(Traced, f"__{_name}__", _exactly(_function))
