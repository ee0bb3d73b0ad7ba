"""New plugins as `accel plugins new` writes them, laid out as an installed distribution would lie there."""

import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
import warm_accel

PLUGINS = {
    "acme": (),
    "my_npu": ("--kind", "npu", "--vendor", 'Jack & Jill\'s "Fast" (Chips) Ltd.'),
    "a_plugin_at_the_edge": ("--kind", "gpu", "--vendor", 'A "Vendor" of Forty Characters, All Told'),
}
_ENTRIES = re.compile(r'^\[project\.entry-points\."(?P<group>[\w.]+)"\]\n(?P<lines>(?:\S+ = "[^"]+"\n)+)', re.MULTILINE)


@dataclass(frozen=True)
class Made:
    """A plugin in `folder`; `site` goes on PYTHONPATH."""

    name: str
    folder: Path
    site: Path
    vendor: str

    @property
    def package(self) -> Path:
        return self.folder / "src" / f"accel_{self.name}"

    def python(self, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run a module in the plugin's folder."""
        return run([sys.executable, "-m", *words], self.folder, {**self._environment(), **variables})

    def accel(self, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
        done = warm_accel.run(*words, environment={**self._environment(), **variables}, folder=self.folder)
        assert "Traceback" not in done.stderr
        return done

    def _environment(self) -> Mapping[str, str]:
        return {"PYTHONPATH": str(self.site), "PATH": "/usr/bin:/bin", "COLUMNS": "100", "HOME": str(self.site)}


def run(argv: list[str], folder: Path, variables: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        argv, cwd=folder, env=dict(variables), capture_output=True, text=True, timeout=240, check=False
    )


@pytest.fixture(scope="session")
def make(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Made]:
    """Return what makes one of PLUGINS, once; further words are further options."""
    made: dict[tuple[str, ...], Made] = {}

    def one(name: str, *more: str) -> Made:
        key = (name, *more)
        if key not in made:
            made[key] = _made(name, tmp_path_factory.mktemp(name), *more)
        return made[key]

    return one


def _made(name: str, base: Path, *more: str) -> Made:
    words = ("plugins", "new", name, *PLUGINS[name], *more)
    done = warm_accel.run(*words, environment={"PATH": "/usr/bin:/bin"}, folder=base)
    assert done.returncode == 0, done.stderr
    folder = base / f"accel-{name.replace('_', '-')}"
    site = base / "site"
    site.mkdir()
    (site / f"accel_{name}").symlink_to(folder / "src" / f"accel_{name}")
    metadata = site / f"accel_{name}-0.1.0.dist-info"
    metadata.mkdir()
    text = (folder / "pyproject.toml").read_text(encoding="utf-8")
    entries = [f"[{found['group']}]\n{found['lines'].replace(chr(34), '')}" for found in _ENTRIES.finditer(text)]
    (metadata / "entry_points.txt").write_text("".join(entries), encoding="utf-8")
    readme = (folder / "README.md").read_text(encoding="utf-8")
    head = f"Metadata-Version: 2.1\nName: accel-{name.replace('_', '-')}\nVersion: 0.1.0\n\n"
    (metadata / "METADATA").write_text(head + readme, encoding="utf-8")
    vendor = dict(zip(PLUGINS[name][::2], PLUGINS[name][1::2], strict=True)).get("--vendor", name.title())
    return Made(name=name, folder=folder, site=site, vendor=vendor)


@pytest.fixture(params=PLUGINS)
def plugin(request: pytest.FixtureRequest, make: Callable[..., Made]) -> Made:
    """Each of the plugins in turn."""
    return make(request.param)


@pytest.fixture
def acme(make: Callable[..., Made]) -> Made:
    return make("acme")


@pytest.fixture(params=PLUGINS)
def data(request: pytest.FixtureRequest, make: Callable[..., Made]) -> Made:
    """Each of the plugins in turn, as YAML alone."""
    return make(request.param, "--data")


@pytest.fixture
def acme_data(make: Callable[..., Made]) -> Made:
    return make("acme", "--data")


@pytest.fixture
def shell() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Return what runs `accel plugins new` in a folder."""

    def new(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
        environment = {"PATH": os.environ["PATH"]}
        done = warm_accel.run("plugins", "new", *words, environment=environment, folder=folder)
        assert "Traceback" not in done.stderr
        return done

    return new
