"""Secrets and people, planted into the forms of planted_forms.yaml: made up, the same at every run."""

import random
import re
import string
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from accel.specs.store import parse

FORMS: dict[str, Any] = parse(str(Path(__file__).with_name("planted_forms.yaml")))
_LETTERS = string.ascii_letters + string.digits
_SHAPE = re.compile(r"(?<!SH)([AUXD])(\d+)")
_MARK = re.compile("«([A-Z]{1,2}[27]?|6)»")
_USERS = [
    "olgaberg",
    "jdoe7",
    "wanjiru",
    "zhangsan",
    "m_berg",
    "lwei42",
    "pkowalski",
    "agarcia",
    "tnguyen",
    "sven.olsen",
    "haruto",
    "k.ivanova",
]
_HOSTS = [
    "bigbox7",
    "gpu-node-17",
    "dgx01",
    "ml-server-3",
    "sn42",
    "worker-gpu-b9",
    "node0123",
    "titan7",
    "r2d2box",
    "a100-rack4-n2",
]


def planted(seed: int, draws: int = 3) -> Iterator[tuple[str, list[str]]]:
    """Yield (text, what must not leave it): each form with `draws` names and values, each shape, each person's."""
    chance = random.Random(seed)
    for group in FORMS["secrets"]:
        for form in group["forms"]:
            for _ in range(draws if len(form) < 60 else max(1, draws - 1)):
                yield _filled(form, chance.choice(FORMS["names"][group["names"]]), _value(chance, group["values"]))
    for form in FORMS["options"]:
        yield _filled(form, "", _value(chance, "option"))
    for form in FORMS["shaped"]:
        hidden: list[str] = []

        def run(match: "re.Match[str]", hidden: list[str] = hidden) -> str:
            made = _run(chance, match[1], int(match[2]))
            hidden.append(made)
            return made

        yield _SHAPE.sub(run, form), hidden
    for form in FORMS["people"]:
        yield _person(chance, form)


def left(shown: str, hidden: list[str]) -> list[str]:
    """Return what of the hidden is still shown as such, not as a part of a longer word."""
    return [one for one in hidden if re.search(rf"(?<![^\W_]){re.escape(one)}(?![^\W_])", shown)]


def _filled(form: str, name: str, value: str) -> tuple[str, list[str]]:
    return form.replace("NAME", name).replace("VALUE", value) if name else form.replace("VALUE", value), [value]


def _run(chance: random.Random, of: str, length: int) -> str:
    letters = {"A": _LETTERS, "U": string.ascii_uppercase + "234567", "X": "0123456789abcdef", "D": string.digits}[of]
    return "".join(chance.choice(letters) for _ in range(length))


def _value(chance: random.Random, kind: str) -> str:
    kinds = [
        lambda: chance.choice(["hunter", "winter", "Sommer", "dragon"]) + str(chance.randint(10, 9999)) + "x",
        lambda: _run(chance, "A", 20),
        lambda: _run(chance, "X", 32),
        lambda: _run(chance, "A", 12) + "+" + _run(chance, "A", 12) + "/" + _run(chance, "A", 10) + "==",
        lambda: f"P@ss{chance.choice('!#%^*')}w0rd{chance.choice('!#%^*')}{chance.randint(1, 99)}",
        lambda: str(chance.randint(100_000, 99_999_999)),
        lambda: "_".join(_run(chance, "A", 6) for _ in range(3)),
        lambda: "-".join(_run(chance, "A", 6) for _ in range(3)),
    ]
    if kind == "quoted":
        kinds += [
            lambda: "correct horse " + _run(chance, "A", 8),
            lambda: _run(chance, "A", 5) + ", " + _run(chance, "A", 6),
        ]
    if kind == "option":
        kinds = kinds[:2] + kinds[6:]
    return chance.choice(kinds)()


def _person(chance: random.Random, form: str) -> tuple[str, list[str]]:
    users, host, hidden = chance.sample(_USERS, 2), chance.choice(_HOSTS), []
    hexes = lambda n: _run(chance, "X", n)  # noqa: E731
    uuid = "-".join(hexes(n) for n in (8, 4, 4, 4, 12))
    made = {
        "U": users[0],
        "U2": users[1],
        "H": host,
        "N": "Olga Bergström" if chance.random() < 0.5 else "Jane Q. Doe",
        "C": chance.choice(["王小明", "李雷", "欧阳娜娜"]),
        "I": f"10.{chance.randint(1, 250)}.{chance.randint(1, 250)}.{chance.randint(2, 250)}",
        "P": f"203.0.{chance.randint(114, 250)}.{chance.randint(2, 250)}",
        "M": ":".join(["9c", *(hexes(2) for _ in range(5))]),
        "W": "-".join(["9C", *(hexes(2).upper() for _ in range(5))]),
        "6": ":".join(["b" + hexes(3) for _ in range(4)]),
        "E": f"{users[0]}@{chance.choice(['acme.example', 'uni-bonn.de', 'qq.com'])}",
        "T": chance.choice(["138", "159", "186", "177"]) + _run(chance, "D", 7) + "1",
        "ID": _identity(chance),
        "CC": _luhn("4" + _run(chance, "D", 14)),
        "BC": _luhn("6222" + _run(chance, "D", 14)),
        "X": hexes(64),
        "Y": uuid,
        "Z": uuid.replace("-", "_"),
        "S": "3f" + hexes(9) + "a",
        "K": "olgas-trainer-" + hexes(4) + "x",
        "G": "acme-secret",
        "R": "proj-" + hexes(4) + "x",
        "D": "ACME-" + hexes(3).upper() + "X",
        "B": "-".join("1" + _run(chance, "D", 9) for _ in range(3)),
        "Q": hexes(32),
        "SN": "16" + _run(chance, "D", 11),
        "IB": _iban(chance),
        "SS": "123-45-" + _run(chance, "D", 4),
        "QQ": "8" + _run(chance, "D", 8),
        "D7": "1" + _run(chance, "D", 6),
    }

    def fill(match: "re.Match[str]") -> str:
        hidden.append(made[match[1]])
        return made[match[1]]

    return _MARK.sub(fill, form), hidden


def _luhn(digits: str) -> str:
    total = 0
    for place, digit in enumerate(reversed(digits)):
        number = int(digit) * (2 if place % 2 == 0 else 1)
        total += number - 9 if number > 9 else number
    return digits + str(-total % 10)


def _identity(chance: random.Random) -> str:
    digits = (
        f"{chance.choice(['110105', '440301'])}19{chance.randint(60, 99)}0{chance.randint(1, 9)}1{chance.randint(0, 9)}"
    )
    digits += _run(chance, "D", 3)
    weights = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
    return digits + "10X98765432"[sum(int(d) * w for d, w in zip(digits, weights, strict=True)) % 11]


def _iban(chance: random.Random) -> str:
    account = _run(chance, "D", 18)
    return f"DE{98 - int(account + '131400') % 97:02d}{account}"
