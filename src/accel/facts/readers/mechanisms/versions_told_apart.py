"""Recognise versions of which the writer says that they work or fail: specs/system/going_back.yaml.

It works with driver 535 but not with 550            driver 535 works, 550 fails
Since kernel 6.18 it hangs; booting 6.17 works       kernel 6.18 fails, 6.17 works
It was fine until I updated from 550.78 to 555.42    driver 550.78 works, 555.42 fails
Nothing worked except 4.4.0-112                      kernel 4.4.0-112 works
podman 5.5.1 fails; 5.4.1, same configuration        podman 5.4.1 works
用 535 驱动正常, 换成 550 就报错                 driver 535 works, 550 fails

A sentence is read clause by clause: a version gets the outcome of its clause, or otherwise that of the sentence. A
version without a product's name belongs to the product that its sentence names, if it has the form of that product's
versions.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, Final

from accel.facts.readers.page import Page
from accel.model.dataclass import dataclass
from accel.model.observation import Noted, Outcome
from accel.text.clauses import CLAUSE, LONGEST, SENTENCE
from accel.text.pattern import Pattern, pattern

FACT: Final = "version-told-apart"
_TABLE: Final = "system/going_back"
_WORKS: Final = pattern(
    r"\b(?:works?|worked|working|runs? (?:fine|well|ok)|ran (?:fine|well|ok)|fine|flawless(?:ly)?|stable"
    r"|no (?:such )?(?:problems?|issues?|errors?)|(?:all|everything) (?:is|was) (?:well|good|fine)"
    r"|(?:shows?|showed) up again"
    r"|(?:is|are|was|were|gets?|got) (?:(?!not|never)\w{1,8} )?(?:detected|recogni[sz]ed|found)"
    r"|(?:makes?|made) it visible|visible again|(?:comes?|came) back|(?:brings?|brought|gets?|got) \w{1,12} back"
    r"|(?<!nicht )(?<!mehr )(?:erkannt|gefunden)"
    r"|absent (?:in|from|with|on|under)|(?:not|n't) (?:present|affected|seen|there|reproducible)"
    r"|ok|okay|good|reliabl[ey]|helps?|helped|fixe[sd]|solve[sd]|resolve[sd]|cure[sd]|unaffected|funktioniert(?:e)?"
    r"|läuft|lief|marche|fonctionne|funciona(?:ba|va)?|работает|работал[оа]?)\b"
    r"|正常|没问题|可以用|能用|好了|解决|動作|動く|動き|動いた|정상|잘 (?:됩|동작)"
)
_FAILS: Final = pattern(
    r"\b(?:fails?|failed|failing|(?:occurs?|happens?|appears?|starts?|started|began) (?:with|in|on|from|since)"
    r"|(?<!not )(?<!n't )present (?:with|in|on|under|since)"
    r"|crash(?:es|ed|ing)?|hangs?|hung|freez(?:es|ing)|broken|breaks?|broke|stopped"
    r"|regress\w{0,6}|diss?app?ear\w{0,3}|vanish\w{0,3}"
    r"|has no \w{1,12}|(?:does|do|did|is|was|will|can|could)(?: not|n'?t) (?:\w{1,12} )?"
    r"(?:work|load|run|start|boot|see|find|detect|deploy|install|build|come|appear|show|respond|wake|resume)\w{0,4}"
    r"|not working"
    r"|no longer \w{1,12}|errors?|problems?|issues?|affected|nicht|ne (?:marche|fonctionne) (?:pas|plus)|no funciona"
    r"|não funciona|не (?:работает|запускается|видит)"
    r"|ya no|n'est plus)\b"
    r"|报错|失败|不行|崩溃|不能|无法|不正常|卡死|エラー|動かない|動きません|動作しない|오류|안 (?:됩|돼)"
)
_NOT_WORKS: Final = pattern(
    r"\b(?:not|n'?t|never|no longer|stopped|doesn't|didn't|won't)\s(?:\w{1,12}\s)?(?:work|run|help|fix|solve)\w{0,4}\b"
    r"|(?:nothing|none|neither|no \w{1,12}) (?:else |of (?:them|these) )?work\w{0,2}"
)
_NOT_WITH: Final = pattern(r"^\W{0,4}(?:not|nicht|pas|no|não|не)\s(?:with|on|under|in|mit|unter|avec|con|com|с|на)\b")
_EXCEPT: Final = pattern(
    r"\b(?:except|only|apart from|other than|besides|nur|seulement|sauf|solo|только|кроме)\b|只有|除了"
)
_BEYOND: Final = pattern(
    r"(?:>=?|[<≤]=?|\b(?:newer|older|higher|lower|later|earlier) than|\babove|\bbelow)[ (]{0,3}v?$"
)  # of others
_WITH_IT: Final = pattern(
    r"^\W{0,4}(?:(?:with|on|under|using|in) (?:it|that|this|that one|which)|there|mit dem|avec lui|con él|с ним)\b"
)
_GOING: Final = pattern(  # from what to what
    r"\b(?:updat|upgrad|mov|switch|go|went|chang|bump|downgrad|revert|roll)\w{0,5}\b[^.\n]{0,40}?\bfrom\b"
    r"[^.\n]{0,40}?(?P<old>\d[\w.+~-]{1,60})"
    r"[^.\n]{0,30}?\b(?:to|->)\b[^.\n]{0,30}?(?P<new>\d[\w.+~-]{1,60})"
)
_BETWEEN: Final = pattern(
    r"\bregress\w{0,6}\b[^.\n]{0,30}?\bbetween\b[^.\n]{0,20}?(?P<old>\d[\w.+~-]{1,60})\s{1,3}and\s{1,3}(?P<new>\d[\w.+~-]{1,60})"
)
_BACK: Final = pattern(
    r"\b(?:downgrad|revert|roll(?:ed|ing)? back|go(?:ing)? back|went back)\w{0,4}|降级|回退|退回|zurück|откат"
)
_BACK_TO: Final = pattern(  # going back to a version implies that it works there
    r"\b(?:had to|have to|need to|needed to|forced to|I|we|then|and)\s(?:downgrade\w?|revert\w{0,3}"
    r"|roll(?:ed|ing)?(?: it)? back|go back|went back)"
    r"[^.,;\n]{0,30}?\bto[^.,;\n]{0,20}$"
)
_ARROW: Final = pattern(r"[ \t*]{0,8}(?:-{1,3}>|={1,2}>|→|⇒)[ \t]{0,4}")
_SINCE: Final = pattern(
    r"\b(?:since|until|till|before|after|starting with|beginning with"
    r"|seit|bis|depuis|jusqu|desde|hasta|после|до)\b|自从|直到|升级(?:到|后)|更新(?:到|后)"
)
_TOLD_APART: Final = pattern(r"\d")
_KERNEL: Final = pattern(
    r"(?<![\w.])(?P<major>[2-7])\.\d{1,2}\.\d{1,3}-[\w.]{1,40}", exact_case=True
)  # as uname prints it
_ANY: Final = "program"  # any program: its versions need a word next to them
_MOST: Final = 20
_LOGGED: Final = frozenset(
    ("alpm", "upgrade", "upgraded", "downgraded", "downgrade")
)  # words of package managers' histories


@dataclass(frozen=True, slots=True)
class _Mention:
    what: str
    version: str
    at: int


def recognise(page: Page) -> Iterator[Noted]:
    """Yield each version that works or fails, once."""
    yield from _told(page)
    if not _LOGGED.isdisjoint(page.words.places):
        from accel.facts.readers.mechanisms._package_changes import changed_versions

        yield from changed_versions(page, FACT)


def _told(page: Page) -> Iterator[Noted]:
    lines = [(number, line) for number, line in _with_results(page.lines) if _tells_apart(page, number, line)]
    products = _products(page) if lines else ()
    if not products:
        return
    named = _named_versions(page, products)
    seen: set[tuple[str, str, str]] = set()
    for number, line in lines:
        last: _Mention | None = None
        for sentence in SENTENCE.split(line):
            judged = list(_judged(sentence, products, named))
            outcome_of_it = _outcome(sentence) if last is not None and _WITH_IT.search(sentence) else None
            if not judged and last is not None and outcome_of_it is not None:
                judged = [(last, outcome_of_it)]
            last = next(iter(reversed(_mentions(sentence, products, named))), None)
            for mention, outcome in judged:
                key = (mention.what, mention.version, outcome)
                if key in seen or len(seen) >= _MOST:
                    continue
                seen.add(key)
                values = (("what", mention.what), ("version", mention.version), ("outcome", outcome))
                yield Noted(fact=FACT, values=values, **page.on_line(number))
    yield from _with_the_same(page, products, named, seen)
    yield from _only_named(page, products, seen)


def _with_the_same(
    page: Page, products: "Sequence[_Product]", named: dict[str, set[str]], told: set[tuple[str, str, str]]
) -> Iterator[Noted]:
    """Yield the version that is named where all else is said to be the same, beside one that fails: it works."""
    words = (page.specs.table(_TABLE) or {}).get("same", ())
    for number, line in enumerate(page.lines, 1):
        same = (s for s in SENTENCE.split(line[:LONGEST]) if any(one in s.lower() for one in words))
        for mention in (one for s in same if _outcome(s) != "fails" for one in _mentions(s, products, named)):
            of_it = {(version, outcome) for what, version, outcome in told if what == mention.what}
            if "fails" in {one[1] for one in of_it} and mention.version not in {one[0] for one in of_it}:
                told.add((mention.what, mention.version, "works"))
                values = (("what", mention.what), ("version", mention.version), ("outcome", "works"))
                yield Noted(fact=FACT, values=values, **page.on_line(number))


def _only_named(page: Page, products: "Sequence[_Product]", told: set[tuple[str, str, str]]) -> Iterator[Noted]:
    """Yield the one other version of a product that a text names beside one that works: it is the one that fails."""
    for product in products:
        works = {version for what, version, outcome in told if (what, outcome) == (product.what, "works")}
        if not works or product.what == _ANY or any(what == product.what and o == "fails" for what, _, o in told):
            continue
        others: dict[str, int] = {}
        for number, line in enumerate(page.lines, 1):
            for hit in product.named.finditer(line[:LONGEST]):
                version = (hit["version"] or hit["later"]).rstrip(".-")
                if not any(one.startswith(version) or version.startswith(one) for one in works):
                    others.setdefault(version, number)
        if len(others) == 1:
            version, number = others.popitem()
            values = (("what", product.what), ("version", version), ("outcome", "named"))
            yield Noted(fact=FACT, values=values, **page.on_line(number))


def _with_results(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield each line with its number; a line that begins with an arrow is the result of the one above."""
    for number, line in enumerate(lines, 1):
        below = lines[number] if number < len(lines) else ""
        result = _ARROW.match(below)
        yield number, f"{line.rstrip(' .')}, {below[result.end() :]}" if result is not None else line


def _tells_apart(page: Page, number: int, line: str) -> bool:
    return (
        len(line) <= LONGEST
        and _TOLD_APART.search(line) is not None
        and page.prose.segments.kind(number) in ("prose", "output")
        and any(sign.search(line) for sign in (_WORKS, _FAILS, _GOING, _BACK))
    )


def _named_versions(page: Page, products: "Sequence[_Product]") -> dict[str, set[str]]:
    """Return the major numbers of the versions that the text gives with a product's name."""
    told = {
        one.what: {(hit["version"] or hit["later"]).split(".", 1)[0] for hit in one.named.finditer(page.text)}
        for one in products
    }
    if "kernel" in told:
        told["kernel"].update(hit["major"] for hit in _KERNEL.finditer(page.text))
    return told


def _judged(
    sentence: str, products: "Sequence[_Product]", named: dict[str, set[str]]
) -> Iterator[tuple[_Mention, Outcome]]:
    mentions = _mentions(sentence, products, named)
    if not mentions or sentence.rstrip().endswith(("?", "？")):
        return
    going = _GOING.search(sentence) or _BETWEEN.search(sentence)
    if going is not None:
        yield from _from_to(sentence, going, mentions)
        return
    whole = _outcome(sentence)
    begin = 0
    clauses = [*(found.start() for found in CLAUSE.finditer(sentence)), len(sentence)]
    for end in clauses:
        clause = sentence[begin:end].lstrip(" ,，;；:：")
        here = [one for one in mentions if begin <= one.at < end]
        outcome = _outcome(clause) or ("fails" if "not" not in clause.lower() and _SINCE.search(clause) else None)
        if here and _NOT_WITH.search(_without_turn(sentence[begin:end])):
            outcome = "fails"
        for one in here:
            told = "works" if _BACK_TO.search(sentence, 0, one.at) else outcome or whole
            if told is not None:
                yield one, told
        begin = end


def _without_turn(clause: str) -> str:
    return CLAUSE.sub("", clause, count=1).strip()


def _outcome(clause: str) -> Outcome | None:
    """Return the outcome in a clause; "nothing works except 535" means that 535 works."""
    if _NOT_WORKS.search(clause):
        return "works" if _EXCEPT.search(clause) else "fails"
    works, fails = _WORKS.search(clause), _FAILS.search(clause)
    if works and _SINCE.search(clause) and not _BACK.search(clause):
        return "fails"  # it worked until this one
    if works:
        return "works"
    return "fails" if fails else None


def _from_to(sentence: str, going: "re.Match[str]", mentions: Sequence[_Mention]) -> Iterator[tuple[_Mention, Outcome]]:
    """Yield both ends of a version change: going back helped, going forward broke it, unless said to have helped."""
    back = _BACK.search(sentence) is not None
    helped = _WORKS.search(sentence, going.end()) is not None and not _NOT_WORKS.search(sentence, going.end())
    if not (helped or _FAILS.search(sentence) or _WORKS.search(sentence) or _SINCE.search(sentence)) or (
        back and not helped
    ):
        return
    new_works = helped and (back or not _SINCE.search(sentence))
    for one in mentions:
        if one.version in (going["old"].rstrip("."), going["new"].rstrip(".")):
            is_new = one.version == going["new"].rstrip(".")
            yield one, "works" if is_new == new_works else "fails"


@dataclass(frozen=True, slots=True)
class _Product:
    what: str
    spoken: Pattern
    named: Pattern
    bare: Pattern
    sure: Pattern | None  # what no other product's versions look like


def _products(page: Page) -> "tuple[_Product, ...]":
    lower = page.text.lower()
    rows: Sequence[Any] = (page.specs.table(_TABLE) or {}).get("products", ())
    return tuple(
        _product(row["what"], tuple(row["words"]), row["form"], row.get("sure"))
        for row in rows
        if any(word in lower for word in row["words"]) or ("sure" in row and pattern(row["sure"]).search(lower))
    )


@lru_cache(maxsize=64)
def _product(what: str, words: tuple[str, ...], form: str, sure: str | None) -> _Product:
    names = "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
    between = r"(?:[\s:=(`'\"*]|version|release|branch|series|版本|v){0,6}"
    version = rf"(?P<version>{form})(?![\w])"
    after = rf"(?P<later>{form})\s?(?:的|-?generic\s|series\s|branch\s)?\s?(?:{names})(?![a-z])"
    return _Product(
        what=what,
        spoken=pattern(rf"(?<![a-z])(?:{names})(?![a-z])"),
        named=pattern(rf"(?<![a-z])(?:{names}){between}{version}|(?<![\w.]){after}"),
        bare=pattern(rf"(?<![\w.-]){version}"),
        sure=pattern(sure) if sure is not None else None,
    )


def _mentions(sentence: str, products: "Sequence[_Product]", elsewhere: dict[str, set[str]]) -> list[_Mention]:
    """Return the versions in a sentence: those with a product's name first, then those recognised by form only."""
    found: dict[int, _Mention] = {}
    for product in sorted(products, key=lambda one: one.what == _ANY):
        for hit in product.named.finditer(sentence):
            group = "version" if hit["version"] else "later"
            if _BEYOND.search(sentence, 0, hit.start(group)):
                continue
            found.setdefault(hit.start(group), _Mention(product.what, hit[group].rstrip(".-"), hit.start(group)))
    for product in products:
        here = product.what != _ANY and product.spoken.search(sentence) is not None
        for hit in product.bare.finditer(sentence):
            if _BEYOND.search(sentence, 0, hit.start("version")):
                continue
            if found and sentence[hit.start("version") - 1 : hit.start("version")] == "(":
                continue  # of the word before it: "since kernel 6.8.1 the BOINC client (7.24.1) fails"
            known = hit["version"].split(".", 1)[0] in elsewhere[product.what] and not found
            sure = product.sure is not None and product.sure.fullmatch(hit["version"]) is not None
            if here or sure or (product.what != _ANY and known):
                found.setdefault(hit.start(), _Mention(product.what, hit["version"].rstrip(".-"), hit.start()))
    return sorted(found.values(), key=lambda one: one.at)
