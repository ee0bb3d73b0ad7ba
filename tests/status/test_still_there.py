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
Other notebooks run fine on this GPU.
Another model works.
The official example notebook works.
The CUDA samples pass.
nccl-tests pass on both nodes.
deviceQuery passes.
A simple matmul on cuda works.
The 7B model works with 30 tok/s.
The server next to it works, same image. What should I check?
Same container works on the A100 machine. Is the driver too old?
Torch 2.4 works. Do I have to rebuild everything?
Einfache Matrixmultiplikation geht!! Nur conv1d nicht.
Das große Modell läuft, nur das kleine nicht.
Andere Modelle laufen einwandfrei.
Auf dem Nachbarserver läuft es mit demselben Image. Was übersehe ich?
Treiber neu installiert, ändert nix.
Les autres modèles fonctionnent.
Un autre script marche très bien. C'est quoi la différence ?
Otros modelos funcionan sin problemas.
Con el modelo pequeño funciona. ¿Es la memoria?
Outro notebook funciona.
Gli altri modelli funzionano.
Другие модели работают.
На соседнем сервере всё работает. Что проверить?
其他模型都能跑。
隔壁机器用同样的镜像没问题。是驱动的原因吗？
別のモデルは動いています。
隣のサーバーでは同じ手順で動きました。何が違うのでしょうか？
다른 모델은 잘 돌아갑니다.
옆 서버는 잘 됐어요. 뭐가 다른 걸까요?
再起動はできません。他の人のコンテナが動いています。
"""


@pytest.mark.parametrize("words", STILL_THERE.strip().split("\n"))
def test_a_fault_is_still_there_after_all(words: str) -> None:
    found = judged(read_texts([("report", f"{REPORT}{words}\n")], REGISTRY), REGISTRY).findings
    assert any(one.severity == "error" for one in found)
