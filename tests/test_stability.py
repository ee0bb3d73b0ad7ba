"""What docs/stability.md promises, as far as a test can hold it."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from accel.plugins.discovery import API_LOWEST, API_NEWEST, Installed
from accel.vendors.contract.hookspecs import API_VERSION

PAGE = (Path(__file__).parent.parent / "docs" / "stability.md").read_text(encoding="utf-8")


def plugins(**variables: str) -> dict[str, Any]:
    argv = [sys.executable, "-m", "accel", "plugins", "list", "--json"]
    done = subprocess.run(
        argv, env={"PATH": "/usr/bin:/bin", **variables}, capture_output=True, text=True, timeout=60, check=False
    )
    return {row["name"]: row for row in json.loads(done.stdout)["plugins"]}


def test_the_page_says_the_number_that_is_served() -> None:
    found = re.search(r"`accel\.vendors\.contract\.hookspecs\.API_VERSION` is one whole number\. It is (\d+)\.", PAGE)
    assert found is not None
    assert int(found[1]) == API_VERSION == API_NEWEST
    assert API_LOWEST <= API_NEWEST


def test_the_page_shows_the_sentence_of_a_clash() -> None:
    later = Installed(name="acme", module="accel_acme", distribution="accel-acme", api=(2, 2))
    assert f"\n{later.clash}\n" in PAGE


def test_what_is_disabled_is_not_loaded_and_a_name_that_is_not_there_changes_nothing() -> None:
    rows = plugins(ACCEL_DISABLE="tpu,nobody")
    assert {name for name, row in rows.items() if row["status"] == "disabled"} == {"tpu"}
    assert "nobody" not in rows


def test_a_module_that_is_named_and_cannot_be_imported_is_shown_as_failed() -> None:
    row = plugins(ACCEL_PLUGINS="accel_nobody")["nobody"]
    assert (row["status"], row["api"]) == ("failed", [1, 1])
    assert "accel_nobody" in row["reason"]
