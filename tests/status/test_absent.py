"""Whether a fault that a text shows is there now: what people say of it in words of many families and languages."""

from collections import Counter
from pathlib import Path

import pytest
from every_case import registry

from accel.collect.text import read_texts
from accel.diagnose.engine import diagnose
from accel.specs.store import parse
from accel.text.lexicon import Lexicon

MESSAGE = "Failed to initialize NVML: Driver/library version mismatch"
TEXTS = parse(str(Path(__file__).with_name("good_news.yaml")))
MOST_CONVICTED = 7  # of 110 texts whose fault is not there; they only go down
LEAST_FOUND = 93  # of 110 texts whose fault is there; most others are open questions
MOST_SILENT = 7

ABSENT = [
    *(
        "Fixed. Cheers!",
        "done, all 4 up",
        "Solved, it was the riser",
        "装了同版本的驱动，已解决，感谢",
        "Résolu, merci à tous",
    ),
    *("UPD: переставил драйвер, вылечилось, тему можно закрывать", "解決しました。ありがとうございました。"),
    *(
        "Once in March, then never again.",
        "Seitdem gab es keinen einzigen Fehler mehr.",
        "bir daha görmedik, dört aydır",
    ),
    *("that night only, and quiet since", "那一次之后至今没有报错", "それ以降は一か月間、問題なく回り続けています。"),
    *(
        "The card went to the recycling yard in May.",
        "Im November verkauft, als defekt.",
        "A placa foi vendida em maio.",
    ),
    *("那张卡已经退货退款了。", "Карту продал в мае."),
]
NOT_THEIRS = [
    *("The line is from a node of another department, not one of ours.", "供应商发来的截图，我们的机器还没到货。"),
    *(
        "None of it happened here, I only collect such lines.",
        "Not a problem I have, I'd just like the wording to be right.",
    ),
    *("Exercise 3: what was updated, and what was not?", "Es ist erfunden, für die Probe am Montag."),
    *("Before we upgrade: will we get this? Today everything works.", "升级之前想问一下会不会遇到，目前正常。"),
    *("It is harmless here, everything trains.", "Bunu yok sayıyorum, eğitim sorunsuz çalışıyor."),
]
PRESENT = [
    *(
        "Not solved.",
        "Is it solved for you?",
        "It worked until yesterday.",
        "On the host it works.",
        "Rebooted: fixed for an hour.",
    ),
    *("I fixed the first error, now I get this one.", "前の問題は解決しましたが、今度はこれです。", "解决方法是什么？"),
    *("У него всё работает нормально.", "I want to sell the card."),
    *("Should I return it?", "The replacement card has not arrived yet."),
    *("No GPU is found since the update.", "The card never came back after the reset.", "Is it harmless?"),
    *(
        "- driver reinstalled: done\n- rebooted, done",
        "None of this did the trick.",
        "Szukam rozwiązania.",
        "La résolution est 4K.",
    ),
    *(
        "It crashes every day since the update.",
        "I no longer have a GPU in nvidia-smi.",
        "The seller sold it to me as tested.",
    ),
    *("The pod was recycled twice.", "Es war seither stabil, bis gestern.", "nothing wrong here in dmesg"),
    # near to the words that end a fault, by a reviewer
    "It worked all winter, but not since the BIOS update.",
    "Die Karte läuft seitdem nicht mehr.",
    "Three GPUs down for two weeks and counting.",
    "Ce n'est plus stable depuis la mise à jour.",
    "No es estable desde la actualización.",
    "No funciona desde entonces.",
    "Non è più stabile da ieri.",
    "Não está estável desde ontem.",
    "Карта больше ни разу не определилась.",
    "显卡再也没识别到。",
    "С тех пор работает только на CPU.",
    "After this Xid the card never came back.",
    "Seit dem Update bleibt das Training ohne Fehlermeldung stehen.",
    "Since the update it stops without any error.",
    "Desde la actualización muere sin error.",
    "Riavviare il servizio non ha risolto.",
    "Nada funcionou.",
    "No amount of reinstalling fixed it.",
    "No driver version did the trick.",
    "Only a cold boot brings the card back online.",
    "重启也无法恢复了。",
    "이제 잘 안 됩니다.",
    "The driver was 535, it is now 570.",
    "Das kann zu Abstürzen führen.",
    "Das muss bis Montag behoben sein.",
    "Cela doit être résolu avant lundi.",
    "He descartado el cable y la fuente.",
    "The laptop is sold with Ubuntu.",
    "La scheda è venduta da PNY.",
    "I bought this box from e-waste.",
    "Купил списанный сервер.",
    "返品前に確認したいです。",
    "退货之前想确认一下。",
    "None of our jobs starts.",
    "None of our GPUs is visible.",
    "It is our demo machine for Friday.",
    "从没见过这种错误。",
    "Mai visto un errore così.",
    "Такой ошибки ни разу не видел.",
    "Hiç yaşamadım böyle bir hata.",
    "こんなエラーは見たことがありません。",
    "It crashed twice before I could save. Will it happen again?",
    "PyTorch 是我自己编的。",
    "C'est un test minimal.",
    "The new server arrives next week.",
    "Reinstalling had no impact. It now trains on the CPU only.",
    "Fans: running.",
    "dmesg: clean",
    "Docker: running, nvidia-smi as above",
    "Nothing fixed it.",
    "Die Karte ist seither weg.",
    "Le problème n'est pas réglé.",
    "No se ha solucionado.",
    "Problem nie został rozwiązany.",
    "まだ解決していません。",
    "아직 해결되지 않았습니다.",
    "问题还没解决。",
    "It is back.",
    "Der Fehler ist wieder da.",
    "I want it fixed by Monday.",
    *("It is harmless, they say, but nothing trains.", "This is not a drill.", "Before I reinstall: any idea?"),
]


def verdict(text: str) -> str:
    known = registry()
    diagnosis = diagnose(read_texts([("report", text)], known), known.specs, known.checks, known.rules)
    return "found" if any(one.severity != "info" for one in diagnosis.findings) else diagnosis.verdict


@pytest.mark.parametrize("words", ABSENT)
def test_words_below_a_fault_end_it(words: str) -> None:
    assert verdict(f"My node prints\n\n{MESSAGE}\n\n{words}\n") != "found"


@pytest.mark.parametrize("words", NOT_THEIRS)
def test_words_around_a_fault_say_that_it_is_not_the_writers(words: str) -> None:
    assert verdict(f"{words}\n\n{MESSAGE}\n") != "found"
    assert verdict(f"{MESSAGE}\n\n{words}\n") != "found"


@pytest.mark.parametrize("words", PRESENT)
def test_words_that_are_near_to_these_end_nothing(words: str) -> None:
    assert verdict(f"My node prints\n\n{MESSAGE}\n\n{words}\n") != "clear"


@pytest.mark.parametrize("words", [*ABSENT[:5], *NOT_THEIRS[:3]])
def test_a_call_for_a_cure_below_them_outweighs_them(words: str) -> None:
    assert verdict(f"{words}\n\nBut today again:\n\n$ nvidia-smi\n{MESSAGE}\n\nHow do I fix it?\n") == "found"


def test_texts_of_others_with_good_news_end_as_they_say() -> None:
    ends = Counter((row["state"], verdict(row["text"])) for row in TEXTS.values())
    assert ends["absent", "found"] <= MOST_CONVICTED
    assert ends["present", "found"] >= LEAST_FOUND
    assert ends["present", "clear"] <= MOST_SILENT


def test_each_reason_has_words_in_most_languages() -> None:
    lexicon = Lexicon(registry().specs.compiled("absent"))
    table = parse(str(Path(__file__).parents[2] / "specs" / "language" / "absent.yaml"))
    assert {name for name, _, _ in lexicon.ways} == set(table["acts"])
    asked = {part.lstrip("-") for ways in table["acts"].values() for way in ways.split(",") for part in way.split()}
    assert asked <= set(table["signs"])
    scripts = {"Latin": "a", "Cyrillic": "и", "Han": "了", "kana": "の", "Hangul": "다"}
    for family in ("closer", "never-again", "away", "not-here", "persists", "cure"):
        words = table["signs"][family]
        assert [name for name, sign in scripts.items() if not any(_is_like(letter, sign) for letter in words)] == []


def _is_like(letter: str, sign: str) -> bool:
    blocks = ((0x61, 0x17F), (0x400, 0x4FF), (0x4E00, 0x9FFF), (0x3040, 0x30FF), (0xAC00, 0xD7AF))
    return any(first <= ord(letter) <= last and first <= ord(sign) <= last for first, last in blocks)
