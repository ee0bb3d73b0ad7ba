"""Read what may never answer: some files of a process are given only once a lock of that process is free.

A process that is stuck in a driver may hold that lock for good; then ps hangs, too. The read is made in a thread that
is left behind where it does not answer: the kernel lets it go when accel ends (mmap_read_lock_killable, Linux 5.8).
"""

import threading
from collections.abc import Callable


def read_within(read: Callable[[], str], seconds: float) -> str:
    """Return what `read` returns. Raises TimeoutError if it takes longer, and what it raises."""
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
