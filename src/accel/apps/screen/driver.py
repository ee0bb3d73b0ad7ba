"""A Textual driver that blocks until a key arrives.

Textual's own polls for keys ten times a second, which is a sixth of the total cost of the screen. The rest of the
driver is unchanged.
"""

import codecs
import os
import time
from typing import Final

from textual._xterm_parser import XTermParser
from textual.drivers.linux_driver import LinuxDriver

from accel.machine.descriptors import readable

_SHORT_SECONDS: Final = 0.1  # timeout after a key: more bytes may follow, as for Escape
_LONG_SECONDS: Final = 0.5  # otherwise; also the maximum delay of an exit that no key requested
_LIVELY_SECONDS: Final = 1.0
_PIECE: Final = 4096


class QuietDriver(LinuxDriver):
    """A driver that waits for input instead of polling."""

    def run_input_thread(self) -> None:
        """Read input until the driver is told to stop."""
        parser = XTermParser(self._debug)
        decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        lively_until = 0.0
        while not self.exit_event.is_set():
            lively = time.monotonic() < lively_until
            if readable([self.fileno], _SHORT_SECONDS if lively else _LONG_SECONDS):
                data = os.read(self.fileno, _PIECE)
                if not data:
                    return  # the terminal is closed
                lively_until = time.monotonic() + _LIVELY_SECONDS
                for event in parser.feed(decode(data)):
                    self.process_message(event)
            for event in parser.tick():
                self.process_message(event)
