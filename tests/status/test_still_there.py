"""A sentence that praises something else, a while, or an earlier cure leaves the fault above it where it is."""

import pytest

from accel.collect.live import judged
from accel.collect.text import read_texts
from accel.plugins.registry import Registry

REGISTRY = Registry({})
REPORT = """RTX 4090, Ubuntu 22.04, driver 550.54

RuntimeError: CUDA error: no kernel image is available for execution on the device

"""
STILL_THERE = """
I haven't been able to get rid of it.
Has anyone been able to fix this issue?
I wish I was able to fix it.
It only works after setting CUDA_LAUNCH_BLOCKING=1.
With driver 535 it works, with 550 it doesn't.
It works on CPU.
The error is gone after a reboot but comes back every morning.
It works after restarting the container, each time for a few minutes.
Solved the previous problem by reinstalling; this is the next one.
The fix from the other thread works for them, for me it changes nothing.
It compiles now. Running it gives the error above.
I no longer get the warning, only the error.
Nach dem Neustart geht es wieder, bis zum nächsten Tag.
Bei den Kollegen ist der Fehler weg, bei mir nicht.
Avec l'ancienne carte ça marche, avec celle-ci non.
Après un redémarrage ça marche pendant dix minutes.
Después de reiniciar funciona un rato y luego vuelve.
重启之后可以用一会儿，然后又出现。
之前的问题解决了，现在是这个报错。
前の問題は解決しましたが、今度はこれです。
이전 문제는 해결했는데 이번엔 이게 나옵니다.
После перезагрузки работает пару часов, потом снова.
"""


@pytest.mark.parametrize("words", STILL_THERE.strip().split("\n"))
def test_a_fault_is_still_there_after_all(words: str) -> None:
    found = judged(read_texts([("report", f"{REPORT}{words}\n")], REGISTRY), REGISTRY).findings
    assert any(one.severity == "error" for one in found)
