"""For every test: signals that are heeded, the fake NVML, and what several tests look at."""

import gc
import hashlib
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from zlib import crc32

import pytest

# nohup and a job in the background have these ignored, and what a test starts would inherit that.
for _name in ("SIGHUP", "SIGINT"):
    _number = getattr(signal, _name, None)
    if _number is not None and signal.getsignal(_number) == signal.SIG_IGN:
        signal.signal(_number, signal.default_int_handler if _name == "SIGINT" else signal.SIG_DFL)
# Answers say that data is old: without a day of their own tests would turn red by the clock alone.
os.environ["SOURCE_DATE_EPOCH"] = "1795910400"  # 2026-11-29
for _name in ("COLUMNS", "LINES"):  # pages are as wide as these say
    os.environ.pop(_name, None)
# Hundreds of tests start accel: without compiled files, each start and each worker would compile it anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
SOURCES = Path(__file__).parent / "fakenvml"
for _folder in ("judged", "warm", "planting"):  # every_case: what many tests look at; warm_accel: starts it
    sys.path.insert(0, str(Path(__file__).parent / _folder))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Return two workers more than there are cores: hundreds of tests wait for deadlines to run out."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return (cores or 1) + 2


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the part that ACCEL_TESTS_PART names: "1/2" and "2/2" have every test once, and something of every file."""
    part, _, parts = os.environ.get("ACCEL_TESTS_PART", "1/1").partition("/")
    others = [item for item in items if crc32(item.nodeid.encode()) % int(parts) != int(part) - 1]
    if others:
        config.hook.pytest_deselected(items=others)
        left = set(others)
        items[:] = [item for item in items if item not in left]


def pytest_collection_finish() -> None:
    """Take what is collected out of what the collector of cycles looks through, again and again, until the end.

    What tests keep is much and has few cycles: to look through it seldom saves a twentieth of the time.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 50, 100)


@pytest.fixture(scope="session", autouse=True)
def _work_shared_between_workers(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Let the workers of a run judge each case of a check, and each text of the corpora, once between them."""
    if "PYTEST_XDIST_WORKER" in os.environ:
        import shared_parts

        shared_parts.share_between_workers(tmp_path_factory.getbasetemp().parent / "judged")


@pytest.fixture(scope="session")
def fake_nvml(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the variants 470, 570 and 580 of the fake library, shared with the tests of its plugin."""
    compiler = os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc")
    if not sys.platform.startswith("linux") or compiler is None:
        pytest.skip("the fake NVML needs Linux and a C compiler (cc)")
    content = b"".join((SOURCES / name).read_bytes() for name in ("fakenvml.c", "build.sh"))
    cache = getattr(request.config, "cache", None)  # pytest runs without it too
    home = cache.mkdir("fakenvml") if cache is not None else tmp_path_factory.mktemp("fakenvml")
    folder: Path = home / hashlib.sha256(content).hexdigest()[:16]
    if not folder.exists():
        building = folder.with_name(f"{folder.name}.{os.getpid()}")
        command = ["sh", str(SOURCES / "build.sh"), str(building)]
        subprocess.run(command, check=True, capture_output=True, env={**os.environ, "CC": compiler})
        try:
            building.rename(folder)
        except OSError:  # another worker was first
            shutil.rmtree(building)
    return folder
