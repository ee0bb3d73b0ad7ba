"""The encoding of a pasted report is told by its bytes."""

import pytest

from accel.text.encodings import decoded

# As consoles of Windows in these languages print them, and as people there write.
WRITTEN = {
    "gb18030": (
        "OSError: [WinError 126] 找不到指定的模块。 Error loading C:\\torch\\lib\\shm.dll\n",
        "ImportError: DLL load failed while importing _C: 找不到指定的程序。\n",
        "CUDA 驱动版本不足\n",
        "运行的时候报错如下，请问应该怎么解决？ 显卡温度 61 度\n",
    ),
    "big5": ("OSError: [WinError 126] 找不到指定的模組。\n", "執行的時候出現錯誤，請問怎麼解決？\n"),
    "shift_jis": ("OSError: [WinError 126] 指定されたモジュールが見つかりません。\n", "ドライバーが見つかりません\n"),
    "euc-kr": ("OSError: [WinError 126] 지정된 모듈을 찾을 수 없습니다\n", "드라이버를 찾을 수 없습니다\n"),
    "cp1252": (
        "Das Modul konnte nicht gefunden werden. Für Änderungen prüfen Sie die Größe\n",
        "voilà l'erreur que je reçois : périphérique non trouvé, créée à l'été\n",
        "No se encontró el módulo especificado\n",
        "Temperature: 61°C, 62°C, 63°C\n",
        "sh: ‘nvcc’ not found\n",
    ),
    "utf-8": ("找不到指定的模块。 Für 61°C\n",),
    "utf-8-sig": ("torch 2.6\n",),
    "utf-16": ("torch 2.6\r\n找不到\r\n",),
    "utf-16-le": ("torch 2.6 on Windows\r\n",),
    "utf-16-be": ("torch 2.6 on Windows\r\n",),
}


@pytest.mark.parametrize("encoding", WRITTEN)
def test_what_was_written_is_read(encoding: str) -> None:
    assert [decoded(text.encode(encoding)) for text in WRITTEN[encoding]] == list(WRITTEN[encoding])


def test_a_line_in_another_encoding_spoils_only_itself() -> None:
    mixed = "торч 2.6\n".encode() + "找不到指定的模块。\n".encode("gb18030") + "CUDA 错误\n".encode()
    assert decoded(mixed) == "торч 2.6\n找不到指定的模块。\nCUDA 错误\n"


def test_bytes_of_no_encoding_are_replaced() -> None:
    assert decoded(b"torch 2.6 \x81\x8d\n").startswith("torch 2.6 ")
    assert decoded(b"") == ""
