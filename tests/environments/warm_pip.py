"""Calls pip as it is asked to, line by line, each time in a fork: importing pip takes longer than what it does here.

Asked by a line of JSON: the prefix of the environment that it works in, its site-packages, and pip's words. The fork
takes that prefix for its own, so that pip finds, replaces and checks what is installed there.
"""

import contextlib
import gc
import json
import os
import sys
import tempfile

from pip._internal.cli.main import main
from pip._internal.commands import check, install  # noqa: F401  loaded here, once


def called(prefix: str, site: str, words: list[str]) -> None:
    """Answer by a line of JSON: the exit code, and what pip said."""
    with tempfile.TemporaryFile() as said:
        child = os.fork()
        if child == 0:
            os.dup2(said.fileno(), 1)
            os.dup2(said.fileno(), 2)
            sys.path[:] = [*(one for one in sys.path if "site-packages" not in one), site]
            sys.prefix = sys.exec_prefix = prefix
            end(main(["--disable-pip-version-check", *words]))
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        said.seek(0)
        print(json.dumps({"code": code, "said": said.read().decode("utf-8", "replace")}), flush=True)


def end(code: int) -> None:
    """End without taking apart what the parent has loaded."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
    main(["--disable-pip-version-check", "check"])  # loads what pip loads late
gc.freeze()
for line in sys.stdin:
    called(**json.loads(line))
