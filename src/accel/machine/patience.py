"""Reads files that may block forever: some files of a process are only readable while a lock of that process is free.

A process that is stuck in a driver may hold that lock indefinitely; ps then hangs, too. The read is done in a thread
that is abandoned if it does not return: the kernel releases it when accel ends (mmap_read_lock_killable, Linux 5.8).
"""

import threading
from collections.abc import Callable


def read_within(read: Callable[[], str], seconds: float) -> str:
    """Return what `read` returns, or raise what it raises. Raises TimeoutError if it takes longer."""
    answer: list[str] = []
    errors: list[OSError] = []

    def ask() -> None:
        try:
            answer.append(read())
        except OSError as error:
            errors.append(error)

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    thread.join(seconds)
    if thread.is_alive():
        raise TimeoutError("it does not answer")
    if errors:
        raise errors[0]
    if not answer:
        raise OSError(5, "it was not read")
    return answer[0]
