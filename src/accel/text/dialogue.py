"""Detect lines that people speak: a chat, a ticket's thread, an interview, a completed form. Pure.

    Agent: is the card seated?            a speaker and what they say; several speakers take turns
    结论：不存在该问题                       a label that no program prints, before a sentence
    Gelöst: wir haben alles neu installiert  another such label, at the beginning of a paragraph

Without its label the line is a sentence. Programs print labels too ("docker: Error response from daemon"), so a label
in Latin letters counts only in a conversation: at least three such lines, two speakers, and mostly sentences.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from accel.text.pattern import pattern

_TURN: Final = pattern(
    r"[ \t]{0,4}@?(?P<name>[A-Za-z\u00c0-\u024f\u0400-\u04ff\uac00-\ud7a3][\w.'-]{0,20}(?: [A-Z][\w.'-]{0,20})?)"
    r"[:：][ ]+(?=\S)"
)
_LABEL: Final = pattern(
    r"[ \t]{0,4}[^\s:：=\[\]{}<>/\\|]{0,14}[\u3040-\u30ff\u4e00-\u9fff][^\s:：=\[\]{}<>/\\|]{0,14}[:：][ ]*(?=\S)"
)
_HEADING: Final = pattern(  # errors also use some of these labels: indented, or below their message
    r"[*_]{0,2}(?:edit|update|edit(?:ado|é|ed)|mise à jour|actualización|atualização|bearbeitet"
    r"|solution|solved|resolved|fixed|fix|answer|question|conclusion|outcome|work-?around|background"
    r"|ps|p\.s\.|tl;?dr|follow-up|addendum|correction|lösung|gelöst|nachtrag|frage|antwort|fazit|kurzer bericht"
    r"|solución|resuelto|pregunta|respuesta|résolu|réponse|conclusion|solução|resolvido"
    r"|[а-яё]{4,14}(?: [а-яё]{3,14}){0,3})[*_]{0,2}[ ]?\d{0,2}:[*_]{0,2}[ ]+(?=\S)"
)
_PLAIN: Final = pattern(r"[^\W\d_][\w'’-]{0,30}(?:,? [^\W\d_][\w'’-]{0,30}){2,30}[.!]")  # words alone, in any language
_PROGRAM: Final = pattern(  # a label that programs print, or that begins a report's field with a value
    r"(?:[\w.]{0,30}(?:error|exception|warning)|warn|info|debug|fatal|trace|note|hint|usage|kernel|dlerror"
    r"|systemd|docker|podman|python3?|pip|conda|bash|sh|sudo|make|nvcc|ld|gcc|nvrm|caused by"
    r"|caused|reason|driver|gpu|npu|cuda|version|os|torch"
    r"|[\w.-]{0,30}(?:smi|ctl|ctk|cli|run|info)|[a-z]{1,20}[_.][\w.]{0,30})$"
)
_SPOKEN: Final = pattern(
    r"[?!.…。？！][\"')”」]{0,2}[ ]*$"
    r"|\b(?:I|I'm|I'd|we|you|your|yes|no|ok|thanks|please)\b|[\u3040-\u30ff\u4e00-\u9fff]{3}|[\uac00-\ud7a3]{2}|[а-яё]{4}"
)
_CHAT: Final = pattern(
    r"[^\w\n]{0,4}(?:(?:slack|discord|irc|teams|mattermost|telegram|whatsapp|signal|zulip|matrix|chat)\b[^.=\n]{0,40}$|#[a-z][\w-]{2,40}$"
    r"|[^\n。]{0,12}(?:飞书|钉钉|企业微信|微信群|群聊|聊天记录))"
)
_FEWEST_TURNS: Final = 3
_LONGEST_PAUSE: Final = 6  # lines between two turns of one conversation


def spoken_lines(lines: Sequence[str], is_sentence: Callable[[str], bool]) -> Iterator[int]:
    """Yield the indices of lines that a person speaks after a label. is_sentence: judges a line without its label."""
    turns: list[tuple[int, str, bool]] = []
    for number, line in enumerate(lines):
        heads = number == 0 or not lines[number - 1].strip()
        told = _LABEL.match(line) or (_HEADING.match(line) if heads else None)
        if told and (is_sentence(line[told.end() :]) or (heads and _PLAIN.match(line, told.end()))):
            yield number
        elif (found := _TURN.match(line)) and not _is_a_program(found["name"]):
            spoken = _SPOKEN.search(line, found.end()) or is_sentence(line[found.end() :])
            turns.append((number, found["name"].lower(), bool(spoken)))
    chats = any(_CHAT.match(line) for line in lines[:3])
    for talk in _conversations(turns):
        names = [name for _, name, _ in talk]
        takes_turns = 1 < len(set(names)) < len(names) or len(names) > _FEWEST_TURNS
        if (
            len(talk) >= _FEWEST_TURNS
            and takes_turns
            and (chats or sum(spoken for _, _, spoken in talk) * 5 >= len(talk) * 3)
        ):
            yield from (number for number, _, _ in talk)


def _is_a_program(name: str) -> bool:
    return bool(_PROGRAM.match(name)) or any(sign.isdecimal() for sign in name)


def is_labelled(line: str) -> bool:
    """Return whether a line has a label and its whole content, so that it does not introduce the lines below."""
    return bool(_LABEL.match(line) or _TURN.match(line)) and not line.rstrip().endswith((":", "："))


def _conversations(turns: Sequence[tuple[int, str, bool]]) -> Iterator[list[tuple[int, str, bool]]]:
    talk: list[tuple[int, str, bool]] = []
    for turn in turns:
        if talk and turn[0] - talk[-1][0] > _LONGEST_PAUSE:
            yield talk
            talk = []
        talk.append(turn)
    if talk:
        yield talk
