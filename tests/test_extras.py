"""A command that lacks its libraries says so, with the command of the installer in use."""

import pytest

from accel.apps.cli.extras import check_extra, install_command, libraries_of
from accel.model.errors import BadInput

REQUIREMENTS = ["rich>=13", "textual>=1; extra == 'top'", 'ruff>=0.9 ; extra == "dev"']


@pytest.mark.parametrize(
    ("installer", "prefix", "command"),
    [
        ("pip", "/home/ann/venv", "/usr/bin/python3 -m pip install 'textual>=1'"),
        (None, "/usr", "/usr/bin/python3 -m pip install 'textual>=1'"),
        ("conda", "/opt/conda", "/usr/bin/python3 -m pip install 'textual>=1'"),
        ("uv", "/home/ann/venv", "uv pip install --python /usr/bin/python3 'textual>=1'"),
        ("uv", "/home/ann/.local/share/uv/tools/accel-sdk", "uv pip install --python /usr/bin/python3 'textual>=1'"),
        ("pip", "/home/ann/.local/share/pipx/venvs/accel-sdk", "pipx inject accel-sdk 'textual>=1'"),
        ("poetry", "/home/ann/venv", "poetry add 'textual>=1'"),
        ("pdm", "/home/ann/venv", "pdm add 'textual>=1'"),
    ],
)
def test_the_command_is_that_of_the_installer(installer: str | None, prefix: str, command: str) -> None:
    assert install_command(libraries_of("top", REQUIREMENTS), installer, prefix, "/usr/bin/python3") == command


def test_what_is_missing_is_named_and_what_is_there_is_not() -> None:
    check_extra("serve", "accel serve", "json", "asyncio")
    with pytest.raises(BadInput, match=r"accel serve needs no_such_module, which is not installed here\. Install it: "):
        check_extra("serve", "accel serve", "json", "no_such_module")


def test_the_libraries_are_those_of_the_extra_and_of_no_package_index() -> None:
    assert libraries_of("dev", REQUIREMENTS) == ("ruff>=0.9",)
    assert install_command(libraries_of("no-such-extra", REQUIREMENTS), "pip", "/usr", "/usr/bin/python3") is None
    with pytest.raises(BadInput) as raised:
        check_extra("top", "accel top", "no_such_module")
    assert "'textual>=1'" in str(raised.value)
    assert "accel-sdk[" not in str(raised.value)
