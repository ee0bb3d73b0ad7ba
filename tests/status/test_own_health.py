"""A good line about another thing, another machine or another time clears no present fault."""

import pytest
from every_case import registry

from accel.collect.text import read_texts
from accel.text.segments import segments_of

MISMATCH = "Failed to initialize NVML: Driver/library version mismatch"


def is_present(text: str) -> bool:
    snapshot = read_texts([("report", text)], registry())
    found = [
        one for one in snapshot.observations or () if one.line is not None and MISMATCH in getattr(one, "text", "")
    ]
    assert found
    return any(one.status == "present" for one in found)


@pytest.mark.parametrize(
    ("lead", "below"),
    [
        ("A colleague has the same card, and his works. I get", "His server has the same driver and is fine."),
        ("Before the update everything was fine. nvidia-smi says:", "$ lspci\n01:00.0 VGA: NVIDIA Corporation"),
        ("La semaine dernière mon collègue l'a réparé. Chez moi toujours :", "Sur son poste tout marche."),
        ("People write that this is normal:", "Training fails with it since the update. The desktop works fine."),
        ("听说重启就好，但我这里还是：", "机器别的一切正常。"),
        ("I read that people get", "and now I have it too. On the other server nvidia-smi is fine."),
        ("Letzte Woche ging noch alles. nvidia-smi sagt:", "$ nvidia-smi --version\nNVIDIA-SMI version  : 550.107"),
        ("La semana pasada actualicé el driver y nvidia-smi dice", "En mi otro equipo todo va bien."),
        ("先週ドライバを更新しました。それから nvidia-smi が次を出します。", "他のサーバーは正常です。"),
        ("На прошлой неделе всё работало. Друг советует ждать, но у меня сейчас:", "У него всё работает нормально."),
        ("Um amigo disse que isto é normal, mas aqui no meu continua:", "No servidor dele está tudo bem."),
        ("gn07 got its updates on Thursday. Since then people see", "Two old jobs still run and look healthy."),
    ],
)
def test_a_present_fault_stays_present(lead: str, below: str) -> None:
    assert is_present(f"{lead}\n\n{MISMATCH}\n\n{below}\n")


@pytest.mark.parametrize(
    ("text", "is_patch"),
    [
        ("+def test_it():\n+    with raises(E):\n+        run()\n", True),
        ('-    log("cannot start")\n+    log("no kernel image is available")\n+    return explain("no image")\n', True),
        ("+ make modules\n+ cd build\n+ echo done\n", False),
        ("- the driver is 550\n- print('x') fails\n- nothing helps\n", False),
    ],
)
def test_a_patch_is_known_without_its_header(text: str, is_patch: bool) -> None:
    assert ("diff" in segments_of(text).kinds) == is_patch
