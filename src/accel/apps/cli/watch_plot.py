"""The picture of the readings, written when watching ends."""

from accel.apps.render.history_svg import history_svg
from accel.machine.growing import GrowingFile
from accel.model.errors import BadInput
from accel.watch.sampling.condensed import Condensed
from accel.watch.sampling.tick import Tick


class Plot:
    """Collects ticks, and draws them at the end. Raises BadInput immediately if the file cannot be written."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._past = Condensed()
        try:
            self._file = GrowingFile(path)
        except OSError as error:
            raise BadInput(f"{path}: {error.strerror or error}. Give a file that can be written.") from None

    def write(self, tick: Tick) -> None:
        self._past.add(tick)

    def close(self) -> None:
        self._file.cut(0)
        picture = history_svg(self._past)
        self._file.append(_png(picture) if self._path.lower().endswith(".png") else picture.encode())
        self._file.close()


def _png(svg: str) -> bytes:
    """Return the picture as PNG at twice the size, since its text is small. It uses the system's fonts."""
    from resvg_py import svg_to_bytes

    return bytes(svg_to_bytes(svg_string=svg, background="#ffffff", zoom=2))
