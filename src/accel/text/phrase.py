"""Match sentences stated in tables, ignoring case, punctuation and line wrapping.

    the NVIDIA driver on your system is too old (found version {version})
    {package:name} (requires|has requirement) {wanted:requirement} but you [will] have ... {has:version}

    word            that word; punctuation between words is ignored; a number must be complete: "signal 7" does not
                    match "signal-7.27"
    compil*         any word with this prefix
    (a b|c)         one of these
    [a b]           optional
    ...  ...3       up to eight words of any kind, or up to three
    {name:type}     a value of a type (see accel.text.slots); {version} is short for {version:version} if the name is a
                    type

A phrase is compiled to a small program. Matching takes time linear in the number of words, whatever the starting
position, because a state that failed once is not tried again.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import takewhile
from operator import contains
from typing import Any, Final

from accel.model.dataclass import dataclass
from accel.text.pattern import pattern
from accel.text.slots import SLOT_TYPES, scan_slot
from accel.text.words import Words

Program = tuple[tuple[Any, ...], ...]

_TOKEN: Final = pattern(r"\{(\w+)(?::(\w+))?\}|\.\.\.(\d*)|[()\[\]|]|[\w]+\*?|[^\s\w]", exact_case=True)
_WORD, _PREFIX, _SPLIT, _JUMP, _GAP, _SLOT, _END, _NUMBER = range(8)
_FORKS: Final = (_SPLIT, _GAP, _SLOT)
_USUAL_GAP: Final = 8
_MOST_BEFORE: Final = 40  # words before the anchor that are tried as a beginning
_MOST_SLOT_WORDS: Final = 15  # of a path in a user's folder
_MOST_MATCHES: Final = 200  # maximum matches of a phrase per text: a repetitive log says no more


@dataclass(frozen=True)
class Phrase:
    """A compiled phrase.

    anchors   words of which every match contains at least one; the rarest such set
    before    the minimum and maximum number of words before the anchor
    required  further sets of words of which every match contains at least one; texts without are skipped
    """

    program: Program
    anchors: tuple[str, ...]
    before: tuple[int, int]
    required: tuple[tuple[str, ...], ...] = ()

    @cached_property
    def leading(self) -> Sequence[Sequence[str]]:
        """The alternatives for each fixed word at the beginning, up to the first slot, gap or fork."""
        return [step[1] for step in takewhile(_is_word, self.program)]

    @cached_property
    def opening(self) -> "frozenset[str] | None":
        """The possible first words of a match; None if it may begin with any word."""
        return _opening(self.program, 0)


@dataclass(frozen=True, slots=True)
class Match:
    """Where a phrase matched, as character positions, and the values of its slots."""

    start: int
    end: int
    values: dict[str, str]


class BadPhrase(ValueError):
    """Raised if a phrase cannot be compiled; the message says what was expected."""


def compile_phrase(text: str, rarity: "dict[str, int] | None" = None) -> Phrase:
    """Compile a phrase. rarity: how often each word occurs in all phrases; the rarest becomes the anchor.

    Raises BadPhrase.
    """
    if ")?" in text:
        raise BadPhrase(f"what may be absent is written in square brackets: {text}")
    tree, rest = _sequence(_tokens(text), 0, text)
    if rest != len(_tokens(text)):
        raise BadPhrase(f"a bracket is closed that was not opened: {text}")
    program: list[tuple[Any, ...]] = []
    _emit(tree, program)
    program.append((_END,))
    anchors, before = _anchor(tree, rarity or {}, text)
    return Phrase(tuple(program), anchors, before, _required(tree, anchors))


def find(phrase: Phrase, words: Words) -> Iterator[Match]:
    """Yield the non-overlapping matches of a phrase, in the order of the text."""
    places = words.places
    words_here = places.keys()
    for alternatives in phrase.required:
        if words_here.isdisjoint(alternatives):
            return
    anchors = phrase.anchors
    if len(anchors) == 1 and anchors[0] in words_here:  # most have one, which is a whole word
        at = places[anchors[0]]
    else:
        at = sorted({place for anchor in anchors for place in _places_of(anchor, places)})
        if not at:
            return
    all_words = words.words
    done, found = -1, 0
    least, most = phrase.before
    leading, opening = phrase.leading, phrase.opening
    plain = len(leading) + 1 == len(phrase.program)  # a phrase of fixed words needs no program
    failed: set[int] = set()
    vain: set[int] = set()  # words at which no match begins
    for place in at:
        if place < done:
            continue
        first = max(0, place - min(most, _MOST_BEFORE), done)
        for start in range(first, place - least + 1):
            if opening is not None and all_words[start] not in opening:
                continue
            if start in vain or not _begins(leading, words, start):
                continue
            match = _end_of(leading, words, start)
            if match is not None and not plain:
                match = _run(phrase.program, words, start, len(leading), failed)
            if match is None:
                vain.add(start)
                continue
            end, values, beyond = match
            if beyond <= place:
                continue
            yield Match(words.starts[start], end, values)
            done, found = beyond, found + 1
            break
        if found >= _MOST_MATCHES:
            return


def _opening(program: Program, at: int) -> "frozenset[str] | None":
    """Return the possible first words of a match from this instruction on; None if it may be any word."""
    step = program[at]
    if step[0] in (_WORD, _NUMBER):
        return frozenset(step[1])
    if step[0] == _JUMP:
        return _opening(program, step[1])
    if step[0] != _SPLIT:
        return None
    several = [_opening(program, place) for place in step[1]]
    return None if None in several else frozenset().union(*(one for one in several if one is not None))


def _is_word(step: tuple[Any, ...]) -> bool:
    return bool(step[0] == _WORD)


def _begins(leading: Sequence[Sequence[str]], words: Words, start: int) -> bool:
    """Return whether the words from `start` on begin a phrase. leading: the alternatives for each word."""
    beyond = start + len(leading)
    return beyond <= len(words) and all(map(contains, leading, words.words[start:beyond]))


def _end_of(leading: Sequence[Sequence[str]], words: Words, start: int) -> tuple[int, dict[str, str], int] | None:
    """Return the same as `_run` for a phrase of matching fixed words; None if they are in two paragraphs."""
    beyond = start + len(leading)
    if len(leading) > 1 and not words.after_blank_line.isdisjoint(range(start + 1, beyond)):
        return None
    return words.ends[beyond - 1], {}, beyond


def _places_of(anchor: str, places: dict[str, list[int]]) -> Iterable[int]:
    if not anchor.endswith("*"):
        return places.get(anchor, ())
    return [place for word, at in places.items() if word.startswith(anchor[:-1]) for place in at]


def _run(
    program: Program, words: Words, start: int, leading: int, failed: set[int]
) -> tuple[int, dict[str, str], int] | None:
    """Return the end of the match (a character position), its values, and the number of the word after it.

    leading  how many fixed words at the beginning of the phrase are already matched
    failed   (instruction, word) states from which no earlier run reached the end; this run adds its own
    """
    all_words, breaks, count = words.words, words.after_blank_line, len(words.words)
    if start in breaks:
        failed = set()  # other runs must not cross the blank line before this one
    seen: set[int] = set()  # states of this run with several continuations, or a value to scan
    # Each entry: instruction, word, end of the match so far, values as a linked list.
    at, word = leading, start + leading
    stack: list[tuple[int, int, int, Any]] = [
        (at, word, words.ends[word - 1] if leading else words.starts[start], None)
    ]
    while stack:
        at, word, end, values = stack.pop()
        while True:
            step = program[at]
            kind = step[0]
            if kind in _FORKS:
                state = at * (count + 1) + word
                if state in seen or state in failed:
                    break
                seen.add(state)
            if kind == _END:
                found: dict[str, str] = {}
                while values is not None:
                    name, value, values = values
                    found.setdefault(name, value)
                return end, found, word
            if kind == _JUMP:
                at = step[1]
            elif kind == _SPLIT:
                stack.extend((place, word, end, values) for place in reversed(step[1][1:]))
                at = step[1][0]
            elif kind == _GAP:
                for skipped in range(min(step[1], count - word), 0, -1):
                    if breaks.isdisjoint(range(word, word + skipped)):
                        stack.append((at + 1, word + skipped, end, values))
                at += 1
            elif word >= count or (word != start and word in breaks):
                break
            elif kind == _WORD:
                if all_words[word] not in step[1]:
                    break
                end, word, at = words.ends[word], word + 1, at + 1
            elif kind == _NUMBER:
                if all_words[word] not in step[1] or _is_part(words, word):
                    break
                end, word, at = words.ends[word], word + 1, at + 1
            elif kind == _PREFIX:
                if not all_words[word].startswith(step[1]):
                    break
                end, word, at = words.ends[word], word + 1, at + 1
            else:
                scanned = scan_slot(step[2], words, word)
                if scanned is None:
                    break
                value, end = scanned
                word, at, values = words.at_or_after(end), at + 1, (step[1], value, values)
    failed |= seen
    return None


def _tokens(text: str) -> list[tuple[str, str | None]]:
    """Return (form, argument) of each token: words in lower case, brackets, "gap", "slot:<name>"."""
    found: list[tuple[str, str | None]] = []
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token.startswith("{") and match[1]:
            kind = match[2] or match[1]
            if kind not in SLOT_TYPES:
                raise BadPhrase(f"expected a type of {', '.join(sorted(SLOT_TYPES))} in {token}: {text}")
            found.append((f"slot:{match[1]}", kind))
        elif token.startswith("..."):
            found.append(("gap", match[3] or str(_USUAL_GAP)))
        elif token in "()[]|":
            found.append((token, None))
        elif token[0].isalnum() or token[0] == "_" or ord(token[0]) > 127:
            words = [token[:-1]] if token.endswith("*") else Words(token).words
            found += [("prefix", words[0].lower())] if token.endswith("*") else [("word", word) for word in words]
    return found


def _sequence(tokens: Sequence[tuple[str, str | None]], at: int, text: str) -> tuple[list[Any], int]:
    """Parse tokens up to a closing bracket or a "|"; return the tree and the position of that token."""
    out: list[Any] = []
    while at < len(tokens):
        form, argument = tokens[at]
        if form in (")", "]", "|"):
            break
        at += 1
        if form in ("(", "["):
            branches = []
            while True:
                branch, at = _sequence(tokens, at, text)
                branches.append(branch)
                if at >= len(tokens):
                    raise BadPhrase(f"a bracket is not closed: {text}")
                closing, at = tokens[at][0], at + 1
                if closing != "|":
                    break
            if closing != (")" if form == "(" else "]"):
                raise BadPhrase(f"a bracket is closed by another: {text}")
            out.append(("any", branches if form == "(" else [*branches, []]))
        else:
            out.append((form, argument))
    return out, at


def _emit(tree: list[Any], program: list[tuple[Any, ...]]) -> None:
    for place, (form, argument) in enumerate(tree):
        if form == "word":
            program.append((_NUMBER if _ends_in_number(tree, place) else _WORD, (argument,)))
        elif form == "prefix":
            program.append((_PREFIX, argument))
        elif form == "gap":
            program.append((_GAP, int(argument)))
        elif form.startswith("slot:"):
            program.append((_SLOT, form[5:], argument))
        elif all(len(branch) == 1 and branch[0][0] == "word" for branch in argument):
            kind = _NUMBER if _ends_in_number(tree, place) else _WORD
            program.append((kind, tuple(branch[0][1] for branch in argument)))
        else:
            split = len(program)
            program.append(())
            begins, jumps = [], []
            for branch in argument:
                begins.append(len(program))
                _emit(branch, program)
                jumps.append(len(program))
                program.append(())
            program[split] = (_SPLIT, tuple(begins))
            for jump in jumps:
                program[jump] = (_JUMP, len(program))


def _ends_in_number(tree: list[Any], place: int) -> bool:
    """Return whether the item at a place is a number and the phrase states no further number after it."""
    return bool(_numbers(tree[place])) and not (place + 1 < len(tree) and _numbers(tree[place + 1]))


def _numbers(part: tuple[str, Any]) -> bool:
    form, argument = part
    if form == "any":
        return any(branch and _numbers(branch[0]) for branch in argument)
    return form == "word" and bool(argument.isdecimal())


def _is_part(words: Words, number: int) -> bool:
    """Return whether a number continues after a dot, as part of a version or an amount."""
    text, end = words.text, words.ends[number]
    return words.words[number].isdecimal() and text[end : end + 1] == "." and text[end + 1 : end + 2].isdecimal()


def _length(tree: list[Any]) -> tuple[int, int]:
    """Return the minimum and maximum number of words that a tree matches."""
    least = most = 0
    for form, argument in tree:
        if form in ("word", "prefix"):
            low, high = 1, 1
        elif form == "gap":
            low, high = 0, int(argument)
        elif form == "any":
            lengths = [_length(branch) for branch in argument]
            low, high = min(low for low, _ in lengths), max(high for _, high in lengths)
        else:
            low, high = 1, _MOST_SLOT_WORDS
        least, most = least + low, most + high
    return least, most


def _anchor(tree: list[Any], rarity: dict[str, int], text: str) -> tuple[tuple[str, ...], tuple[int, int]]:
    """Return the rarest words that every match contains one of, and the range of the number of words before them."""
    best: tuple[tuple[int, int, int], tuple[str, ...], tuple[int, int]] | None = None
    for place, (form, argument) in enumerate(tree):
        if form in ("word", "prefix"):
            words: tuple[str, ...] = (argument,) if form == "word" else (f"{argument}*",)
        elif form == "any" and all(branch and branch[0][0] in ("word", "prefix") for branch in argument):
            words = tuple(
                dict.fromkeys(branch[0][1] if branch[0][0] == "word" else f"{branch[0][1]}*" for branch in argument)
            )
        else:
            continue
        common = max(rarity.get(word, 0) for word in words)
        rank = (common + 3 * sum(word.endswith("*") for word in words), len(words), -min(map(len, words)))
        if best is None or rank < best[0]:
            best = (rank, words, _length(tree[:place]))
    if best is None:
        raise BadPhrase(f"no word that every match has: {text}")
    return best[1], best[2]


def _required(tree: list[Any], anchors: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """Return the word alternatives at each other place that every match has, shortest lists first."""
    found: dict[tuple[str, ...], None] = {}
    for form, argument in tree:
        if form == "word":
            found[(argument,)] = None
        elif form == "any" and all(branch and branch[0][0] == "word" for branch in argument):
            found[tuple(dict.fromkeys(branch[0][1] for branch in argument))] = None
    return tuple(sorted((words for words in found if words != anchors), key=len))
