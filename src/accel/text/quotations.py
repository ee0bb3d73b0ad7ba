"""Find messages in quotation marks within sentences, and judge whether the sentence says that they appeared. Pure.

A person who quotes a message may have it, may have read about it, may fear it or deny it. The words around the
quotation tell these apart, but no list covers all ways to say that a message did not appear. So a quoted message counts
as present only if the writer says that it appeared ("it dies with …", "we get … again") or only labels it (nvidia error
"…").
"""

from typing import Final

from accel.text.pattern import pattern

IN_MARKS: Final = "words in quotation marks"
_EAST: Final = r"\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af"
_GOES_ON: Final = r"|[ ](?-i:I|We|My|Our|Still|Same|Thanks|Any ideas?|How (?:do|can|to))\b"
ZONE: Final = pattern(  # what is not the writer's own words: a quotation, a code span, a message, an address
    r"`[^`\n]{1,1200}`|《[^》\n]{1,200}》|\"[^\"\n]{2,1200}\"|“[^”\n]{1,1200}”|«[^»\n]{1,1200}»"
    r"|「[^」\n]{1,400}」|『[^』\n]{1,400}』|„[^“”\n]{1,400}[“”]"
    r"|(?<![\w])'[^'\n]{3,300}'(?![\w])|\]\([^()\n]{1,300}\)|https?://\S+"
    r"|(?<![\w-])--no-[a-z][\w-]{1,60}"  # an option denies nothing, nor does a folder
    r"|\b[A-Za-z]:\\(?:[^\\/:*?\"<>|\n]{1,80}\\){1,20}"
    r"|(?:\b[\w.]{0,80}(?:Error|Exception)|(?-i:\b[A-Z][A-Z0-9]{1,20}_[A-Z0-9_]{3,40})|\bNVRM"
    r"|\bXid \(PCI[^)\n]{1,40}\)|\bE[A-Z]\d{4})[ ]?:"
    # a message extends to the end of its line, or to where its writer continues: one in Latin letters to other letters
    rf"(?:(?![ ]?[{_EAST}])(?:[^\n.,。；，{_EAST}]|[,，](?![ ]?[{_EAST}]{{2}})"
    rf"|\.(?![ ]?[{_EAST}\u0410-\u044f]{_GOES_ON}))*"
    rf"|(?:[^\n.,。；，]|[,，](?![ ]?[{_EAST}]{{2}})|\.(?![ ]?[{_EAST}\u0410-\u044f]{_GOES_ON}))*)"
)
CODED: Final = pattern(  # in front of a message
    r"\b(?:s?xid|errno|error|code|status|exit)\W{0,3}-?\d{1,6}[ ,:(–-]{0,4}$(?!\n)"
)
_WRITER: Final = pattern(
    r"\b(?:I|I'm|we|my|our|mine|ich|wir|mir|mein\w*|j'\w+|je|moi|mon|ma|yo|mi|me|eu|meu|minha|io|mio|mia|меня|мой|моя|мне"
    r"|mnie|mój|moja|ben|bende|benim)\b|我|私|自分|手元|저는|제|내"
)
_GETS: Final = pattern(
    r"\b(?:get|gets|got|getting|see|saw|have|here is|here's|hier ist|voici"
    r"|ecco|oto|bekomme|kriege|sehe|kommt|erhalte|obtiens|vois|ai|obtengo|veo|sale|tengo"
    r"|recebo|vejo|aparece|ottengo|vedo|esce|получаю|вижу|выдаёт|выдает|вот|dostaję|widzę|mam|alıyorum|görüyorum)\b"
    r"|显示|看到|得到|输出|报|是这样|出て|表示|出力|見え|나옵니다|보입니다|뜹니다"
)
_OF_OTHERS: Final = pattern(  # or of nobody: a test, a rule
    r"\b(?:tests?|mock\w*|fixtures?|drill|exercise|simulat\w+|alerts?|rules?|should|would|example|sample|übung|beispiel"
    r"|wrote|writes|said|posted|read|docs?|forum|wiki|manual|colleague\w*|friend\w*|he|she|they|schrieb|kolleg\w+"
    r"|gelesen|écri\w+|collègue\w*|lu|escribió|leí\w*|compañer\w+|escreveu|li|colega\w*|scri\w+|letto|написал\w*|читал\w*"
    r"|коллег\w+|napisał\w*|yazdı\w*)\b|写道|测试|用例|演练|示例|文档|同事|网上|群里|書い|同僚|썼|동료"
)
_OPENING: Final = "\x01"  # how a quotation is masked
_MESSAGE: Final = 3  # minimum words of a message; fewer are a name
_LABEL: Final = 3  # words around a quotation; fewer only label it
_WORD: Final = pattern(r"[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]{1,2}|[^\W\d_][\w'’-]*")
_MACHINE: Final = pattern(
    r"[ \t]{0,8}(?:\[|[EWIF]\d{4} |"
    r"\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d|File \"|\S{0,200}\.(?:cc|cpp|cu|h|py):\d|\w+=|[{<|])"
    r"|[={}]|\b\w{1,40}\(\x01|\b(?:error|exception|warning|fatal|info|level|msg)[:=]|\bpanicked at |\bwarn\b"
)
_LEVEL: Final = pattern(r"\b(?:WARN|WARNING|ERROR|FATAL|CRITICAL|INFO|DEBUG|TRACE)\b", exact_case=True)


def quotation_at(masked: str, start: int, end: int) -> tuple[int, int] | None:
    """Return the span of the single-line quotation that contains a mention; None if there is none."""
    if masked[start : start + 1] != _OPENING:
        return None
    first, last = start, start
    while first and masked[first - 1] == _OPENING:
        first -= 1
    while masked[last : last + 1] == _OPENING:
        last += 1
    return (first, last) if end <= last else None


def is_message(text: str) -> bool:
    """Return whether a quotation is a message rather than a name or a value."""
    return len(text.split()) >= _MESSAGE or len(_WORD.findall(text)) > 2 * _MESSAGE


def own_words(line: str) -> str:
    """Return a masked line without its quotations and messages."""
    return line.replace("\x01", "").replace("\x02", "")


def is_written(line: str) -> bool:
    """Return whether a person wrote this masked line with a quotation, so that it is not a log, code or JSON."""
    return not (_MACHINE.search(line) or _LEVEL.search(line))


def is_label(own: str) -> bool:
    """Return whether the words around a quotation only label it."""
    return len(_WORD.findall(own)) < _LABEL


def leads_in_own_output(line: str) -> bool:
    """Return whether a line says that the output below it, even if quoted, is the writer's own.

    >>> leads_in_own_output("here's what I get on my server:"), leads_in_own_output("my colleague wrote that he gets:")
    (True, False)
    """
    if not line.rstrip().endswith((":", "：")) or _OF_OTHERS.search(line) is not None:
        return False
    return _WRITER.search(line) is not None and _GETS.search(line) is not None
