"""Renders metric families as text, in the formats of Prometheus and OpenMetrics, using prometheus_client."""

import asyncio
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

_MOST_FORMS: Final = 8  # that clients may request with their Accept header
_KEPT_TICKS: Final = 600  # ticks for which a format is rendered without being requested


class Forms:
    """The texts of metric families, each rendered on first request and by `refresh`.

    collect  yields the current families; ticks: how often they have changed
    """

    def __init__(self, collect: Callable[[], Iterable[Any]], ticks: Callable[[], int]) -> None:
        self._collect, self._ticks = collect, ticks
        self._forms: dict[str, _Form] = {}

    def text(self, accept: str) -> tuple[bytes, str]:
        """Return the text in the requested format, and its content type. Raises ValueError if accept is invalid."""
        from prometheus_client.exposition import choose_encoder

        try:
            encode, kind = choose_encoder(accept)
        except (ValueError, TypeError):  # "version=x": the library compares it with numbers
            raise ValueError(accept) from None
        form = self._forms.get(kind)
        if form is None:
            if len(self._forms) >= _MOST_FORMS:
                self._forms.clear()
            form = self._forms[kind] = _Form(encode)
            form.text = b"".join(form.encoded(self._collect()))
        form.asked_at = self._ticks()
        return form.text, kind

    async def refresh(self) -> None:
        """Render the formats in use again, one family at a time."""
        for kind, form in tuple(self._forms.items()):
            if self._ticks() - form.asked_at > _KEPT_TICKS:
                del self._forms[kind]
                continue
            parts = []
            for part in form.encoded(self._collect()):
                parts.append(part)
                await asyncio.sleep(0)
            form.text = b"".join(parts)


class _Form:
    """One text format. encode: prometheus_client's encoder, applied to a registry."""

    def __init__(self, encode: Callable[[Any], bytes]) -> None:
        self._encode = encode
        self.text = b""
        self.asked_at = 0

    def encoded(self, families: Iterable[Any]) -> Iterator[bytes]:
        """Yield the text of each family, then the end marker."""
        end = self._encode(_Families(()))
        for family in families:
            yield self._encode(_Families((family,))).removesuffix(end)
        yield end


class _Families:
    """The part of a registry that prometheus_client's encoders use."""

    def __init__(self, families: tuple[Any, ...]) -> None:
        self._families = families

    def collect(self) -> Iterator[Any]:
        return iter(self._families)
