"""A command that lacks its libraries says so, with the command of the installer in use."""

import pytest

from accel.cli.extras import check_extra, install_command
from accel.model.errors import BadInput


@pytest.mark.parametrize(
    ("installer", "prefix", "command"),
    [
        ("pip", "/home/ann/venv", "/usr/bin/python3 -m pip install 'accel-sdk[serve]'"),
        (None, "/usr", "/usr/bin/python3 -m pip install 'accel-sdk[serve]'"),
        ("conda", "/opt/conda", "/usr/bin/python3 -m pip install 'accel-sdk[serve]'"),
        ("uv", "/home/ann/venv", "uv pip install --python /usr/bin/python3 'accel-sdk[serve]'"),
        ("uv", "/home/ann/.local/share/uv/tools/accel-sdk", "uv tool install 'accel-sdk[serve]'"),
        ("pip", "/home/ann/.local/share/pipx/venvs/accel-sdk", "pipx install --force 'accel-sdk[serve]'"),
        ("poetry", "/home/ann/venv", "poetry add 'accel-sdk[serve]'"),
        ("pdm", "/home/ann/venv", "pdm add 'accel-sdk[serve]'"),
    ],
)
def test_the_command_is_that_of_the_installer(installer: str | None, prefix: str, command: str) -> None:
    assert install_command("serve", installer, prefix, "/usr/bin/python3") == command


def test_what_is_missing_is_named_and_what_is_there_is_not() -> None:
    check_extra("serve", "accel serve", "json", "asyncio")
    with pytest.raises(BadInput, match=r"accel serve needs no_such_module, which is not installed here\. Install it: "):
        check_extra("serve", "accel serve", "json", "no_such_module")
