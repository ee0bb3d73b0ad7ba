"""A message in another language counts as its English one, where it stands."""

import pytest

from accel.text.translated import translated, translations
from accel.text.words import Words

KNOWN = translations(
    [
        ("Permission denied", ["Keine Berechtigung", "Permission non accordée", "权限不够"]),
        ("No such file or directory", ["Datei oder Verzeichnis nicht gefunden", "没有那个文件或目录"]),
    ]
)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("open: Keine Berechtigung!", "open permission denied"),
        ("/dev/kfd : PERMISSION NON ACCORDÉE", "dev kfd permission denied"),
        ("打开 a 权限不够", "打 开 a permission denied"),
        ("x: 没有那个文件或目录, Keine\nBerechtigung", "x no such file or directory permission denied"),
        ("Keine Angst", "keine angst"),
        ("", ""),
    ],
)
def test_a_foreign_message_is_read_as_its_english_one(text: str, words: str) -> None:
    assert " ".join(translated(Words(text), KNOWN).words) == words


def test_the_words_stand_where_the_foreign_ones_do() -> None:
    text = "a Keine Berechtigung b"
    words = translated(Words(text), KNOWN)
    assert {text[start:end] for start, end in zip(words.starts[1:3], words.ends[1:3], strict=True)} == {
        "Keine Berechtigung"
    }


def test_a_text_without_any_keeps_its_words() -> None:
    words = Words("nothing foreign here")
    assert translated(words, KNOWN) is words
