r"""The Python of the environment that a text's paths lie in, where it is a program's own on Windows.

E:\RVC\runtime\lib\site-packages\torch        E:\RVC\runtime\python.exe
D:\HivisionIDPhotos\venv\Lib\site-packages    D:\HivisionIDPhotos\venv\Scripts\python.exe

An installation of Python itself, and conda's environments, are left out: their own pip is on the path.
"""

from collections.abc import Iterator
from typing import Final

from accel.facts.readers.page import Page
from accel.model.observation import Noted
from accel.text.pattern import pattern

FACT: Final = "environment-python"
_PACKAGES: Final = pattern(
    r"(?P<folder>[A-Za-z]:\\{1,2}(?:[\w.() -]{1,60}\\{1,2}){0,8}?[\w.-]{1,40})\\{1,2}lib\\{1,2}site-packages\\"
)
_OF_PYTHON: Final = pattern(r"\\python[0-9._-]{0,6}$|conda|miniforge|mamba|\\envs\\|\\appdata\\|\\program files")
_VENV: Final = pattern(r"\\[.\w-]{0,20}env[\w-]{0,10}$")
_PLAIN: Final = pattern(r"[A-Za-z]:\\[A-Za-z0-9_.\\-]{1,200}")


def recognise(page: Page) -> Iterator[Noted]:
    """Yield the Python of the first such environment: by its whole path, or by its folder where that needs quotes."""
    for found in _PACKAGES.finditer(page.text):
        folder = found["folder"].replace("\\\\", "\\")
        own = folder.lower().endswith("\\system\\python")
        if (_OF_PYTHON.search(folder) and not own) or "..." in folder:  # a path that was shortened leads nowhere
            continue
        inside = "\\Scripts\\python.exe" if _VENV.search(folder) else "\\python.exe"
        named = folder if _PLAIN.fullmatch(folder) else "\\".join(folder.split("\\")[-2 if own else -1 :])
        if named != folder and " " in named:
            continue
        yield Noted(fact=FACT, values=(("python", f"{named}{inside}"),), text=found[0])
        return
