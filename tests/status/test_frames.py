"""The same fault in the frames that people put round it: it is over, not theirs, not real, or still so."""

from collections.abc import Callable

import pytest
from every_case import registry

from accel.collect.text import read_texts
from accel.diagnose.engine import diagnose
from accel.model.diagnosis import Diagnosis

Frame = Callable[[str], str]


def judged(text: str) -> Diagnosis:
    known = registry()
    return diagnose(read_texts([("report", text)], known), known.specs, known.checks, known.rules)


def found_in(frame: Frame) -> dict[str, list[str]]:
    """Return the errors and warnings that are found where each fault is in a frame."""
    told = {fault: judged(frame(text)).findings for fault, text in FAULTS.items()}
    return {fault: [one.name for one in findings if one.severity != "info"] for fault, findings in told.items()}


def indented(text: str, mark: str) -> str:
    return "\n".join(mark + line for line in text.splitlines())


FAULTS = {
    "driver-library-mismatch": "Failed to initialize NVML: Driver/library version mismatch",
    "amd-device-permission": "ROCk module is loaded\nUnable to open /dev/kfd read-write: Permission denied",
    "gpu-arch-not-in-build": "RuntimeError: CUDA error: no kernel image is available for execution on the device",
    "tpu-held-by-other-process": "RuntimeError: Unable to initialize backend 'tpu': ABORTED: "
    "The TPU is already in use by process with pid 4211. Not attempting to load libtpu.so in this process.",
    "gpu-lost": "[Tue Apr 15 16:50:03 2025] NVRM: GPU 0000:02:00.0: GPU has fallen off the bus.",
}

NOT_NOW: dict[str, Frame] = {
    "quoted": lambda t: (
        f"On Tuesday Jan wrote:\n\n{indented(t, '> ')}\n\nThanks Jan, I filed it. We run no such machine.\n"
    ),
    "resolved": lambda t: (
        f"We had this on Monday:\n\n{t}\n\nResolved. A colleague found the reason and restarted. Works.\n"
    ),
    "gelöst": lambda t: f"Letzte Woche kam das hier:\n\n{t}\n\nGelöst: neu installiert, seitdem läuft alles wieder.\n",
    "решено": lambda t: f"На прошлой неделе было вот что:\n\n{t}\n\nРешено: переустановили, теперь всё работает.\n",
    "解決": lambda t: f"先週、次のエラーが出ていました。\n\n{t}\n\n再インストールしたところ解決しました。\n",
    "已解决": lambda t: (
        f"上周遇到的问题，已经解决，记录如下：\n\n{t}\n\n处理办法：重新安装，之后一切正常，没有再出现。\n"
    ),
    "what if": lambda t: (
        f"What happens if a machine prints the following? We have none yet.\n\n{t}\n\nWould a job be restarted?\n"
    ),
    "patch": lambda t: f"diff --git a/x.txt b/x.txt\n--- /dev/null\n+++ b/x.txt\n@@ -0,0 +1,2 @@\n{indented(t, '+')}\n",
    "passed test": lambda t: f"$ pytest -v tests/test_x.py\ntests/test_x.py::test_it\n{t}\nPASSED          [100%]\n",
    "passed run": lambda t: f"RUN   TestX/busy\n{indented(t, '  ')}\nOK    TestX/busy (0.00s)\n",
    "elsewhere": lambda t: (
        f"On my other machine, which is written off:\n\n{t}\n\nThe one I ask about is fine, it trains all day.\n"
    ),
}
NOW: dict[str, Frame] = {
    "still": lambda t: f"I tried all that the FAQ tells, and it is still the same:\n\n{t}\n\nAny ideas?\n",
    "again": lambda t: f"This was solved last month, and today it is back again:\n\n{t}\n\nWhat can I do?\n",
    "until yesterday": lambda t: f"It worked until yesterday. Today:\n\n{t}\n",
    "to no avail": lambda t: (
        f"We read that a reinstallation fixes this. We did it twice, to no avail.\n\n{t}\n\nIs there another way?\n"
    ),
    "same here": lambda t: (
        f"Jan wrote:\n\n{indented(t, '> ')}\n\nSame here since this morning. Did you find out what to do?\n"
    ),
    "求助": lambda t: f"昨天还好好的，今天突然就这样了：\n\n{t}\n\n重启过两次都没用，请大家帮忙看看。\n",
    "hilfe": lambda t: (
        f"Bis gestern lief alles, heute kommt das hier:\n\n{t}\n\nNeu gestartet, hat nicht geholfen. Was tun?\n"
    ),
    "помогите": lambda t: f"Вчера всё работало, а сегодня:\n\n{t}\n\nПерезагрузка не помогла. Что делать?\n",
}


@pytest.mark.parametrize("frame", NOT_NOW)
def test_a_frame_that_says_it_is_not_so_now_convicts_nobody(frame: str) -> None:
    assert not {fault: names for fault, names in found_in(NOT_NOW[frame]).items() if names}


@pytest.mark.parametrize("frame", NOW)
def test_a_frame_that_says_it_is_so_now_keeps_the_fault(frame: str) -> None:
    assert not {fault: names for fault, names in found_in(NOW[frame]).items() if fault not in names}


@pytest.mark.parametrize(
    "machine",
    [
        "Laptop with Intel Iris Xe, no other graphics.",
        "公司的电脑只有集成显卡，我用 CPU 跑。",
        "On purpose without any GPU.",
    ],
)
def test_a_fallback_is_expected_where_no_accelerator_is(machine: str) -> None:
    said = "Could not find cuda drivers on your machine, GPU will not be used."
    line = f"I external/local_xla/xla/tsl/cuda/cudart_stub.cc:32] {said}"
    assert judged(f"{machine}\n\n{line}\nEpoch 1/5\n").verdict == "clear"
    wanted = judged(f"Desktop with an RTX 3070.\n\n{line}\nEpoch 1/5\n\nHow do I get the card to be used?\n")
    assert wanted.verdict != "clear"
