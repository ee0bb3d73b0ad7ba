"""The wheels that a project on GitHub publishes with its releases, by name, from the list in GitHub's API.

GET /repos/OWNER/NAME/releases   [{"tag_name": "v0.30.0", "draft": false, "prerelease": false,
                                   "published_at": "2026-09-22T05:20:54Z", "assets": [{"name": "….whl"}, …]}, …]
Format as observed for vLLM in 2026-10. Requests are made without credentials, a hundred releases per page, a few pages.
No asset is downloaded.
"""

import json
from typing import Any, Final, Protocol

from accel.apps.refresh.index import Unanswered, read_address
from accel.apps.refresh.wheels import Wheel, wheel_of

_PAGES: Final = 3  # of a hundred releases each


class Releases(Protocol):
    """A source of release lists. said: a description of it for people."""

    said: str

    def wheels(self, package: str, project: str) -> tuple[Wheel, ...]:
        """Return the wheels of all final releases. Raises Unanswered."""


class OfGitHub:
    """Uses GitHub's API."""

    said = "GitHub's lists of releases"

    def __init__(self, address: str = "https://api.github.com") -> None:
        self._address = address

    def wheels(self, package: str, project: str) -> tuple[Wheel, ...]:
        """Return the wheels of the releases on the first pages."""
        found: list[Wheel] = []
        for page in range(1, _PAGES + 1):
            address = f"{self._address}/repos/{project}/releases?per_page=100&page={page}"
            releases = parsed(read_address(address, "application/vnd.github+json"), address)
            found += wheels_of(releases, package, address)
            if len(releases) < 100:
                break
        return tuple(found)


def wheels_of(releases: list[Any], package: str, address: str) -> tuple[Wheel, ...]:
    """Return the wheels on a page of the API, without drafts and pre-releases. Raises Unanswered if it is invalid."""
    try:
        final = [release for release in releases if not (release["draft"] or release["prerelease"])]
        names = [(asset["name"], release["published_at"]) for release in final for asset in release["assets"]]
        made = [wheel_of(name, None, day, package=package, local=True) for name, day in names]
    except (KeyError, TypeError, AttributeError) as error:
        raise Unanswered(f"{address}: no list of releases ({error!r:.80})") from None
    return tuple(wheel for wheel in made if wheel is not None)


def parsed(data: bytes, address: str) -> list[Any]:
    """Return the releases on a page of the API. Raises Unanswered if it is no list."""
    try:
        releases = json.loads(data)
    except ValueError:
        raise Unanswered(f"{address}: the answer is no JSON") from None
    if not isinstance(releases, list):
        raise Unanswered(f"{address}: the answer is no list of releases")
    return releases
