"""A stand-in for PyTorch's index and PyPI's page of torch, behind a proxy, for where they cannot be reached.

It lists the wheels that specs/frameworks/torch.yaml and torch_1.yaml have, by the names that the real indexes give
them, each with metadata that requires nothing. Every other host is refused: no tool's answer depends on the network.

    with PyTorchIndex(folder) as index:
        subprocess.run([...], env={**os.environ, **index.environment})
"""

import io
import re
import ssl
import subprocess
import threading
import zipfile
from collections.abc import Iterator
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import yaml

_TABLES = Path(__file__).resolve().parents[2] / "specs/frameworks"
_HOSTS = ("download.pytorch.org", "pypi.org")
_MANYLINUX_2_28_IN_2_6 = ("linux_x86_64+cu126", "linux_x86_64+rocm6.2.4", "linux_aarch64+cpu", "linux_aarch64+")


class PyTorchIndex:
    """The proxy, while it is entered. environment: what points uv and pip at it."""

    def __init__(self, folder: Path) -> None:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._server.daemon_threads = True
        authority, chain = _certificates(folder)
        _Handler.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        _Handler.tls.load_cert_chain(chain)
        proxy = f"http://127.0.0.1:{self._server.server_port}"
        self.environment = {
            "HTTPS_PROXY": proxy,
            "HTTP_PROXY": proxy,
            "NO_PROXY": "",
            "SSL_CERT_FILE": str(authority),
            "PIP_CERT": str(authority),
            "REQUESTS_CA_BUNDLE": str(authority),
            "PIP_CONFIG_FILE": "/dev/null",
            "PIP_FIND_LINKS": "",
            "PIP_EXTRA_INDEX_URL": "",
        }

    def __enter__(self) -> "PyTorchIndex":
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


@cache
def releases() -> tuple[dict[str, Any], ...]:
    """Return the releases of torch in the tables."""
    names = ("torch_1.yaml", "torch.yaml")
    tables = [yaml.safe_load((_TABLES / name).read_text(encoding="utf-8")) for name in names]
    return tuple(row for table in tables for row in table["releases"])


def plain_variant(version: str, platform: str) -> str | None:
    """Return the build that PyPI's wheel of a release is, on a platform ("linux_x86_64"); None: not known."""
    row = next((r for r in releases() if r["version"] == version), {})
    return (row.get("defaults") or {}).get(platform)


@cache
def wheels(page: str) -> tuple[str, ...]:
    """Return the file names on an index page: of a variant ("cu126"), or of PyPI ("")."""
    return tuple(dict.fromkeys(_wheels(page)))


def _wheels(page: str) -> Iterator[str]:
    for row in releases():
        for platform, variants in (row.get("variants") or {}).items():
            on_page = page in variants if page else platform in (row.get("defaults") or {})
            pythons = (row.get("pythons") or {}).get(platform) if on_page else None
            if page and on_page and row.get("label") == "LTS":
                continue  # an index of its own
            for python in pythons or ():
                local = f"+{page}" if page and not platform.startswith("macos") else ""
                digits = "cp" + python.replace(".", "").rstrip("t")
                abi = f"{digits}t" if python.endswith("t") else _abi(digits, platform, row["version"])
                tag = _platform_tag(platform, row["version"], page)
                yield f"torch-{row['version']}{local}-{digits}-{abi}-{tag}.whl"


def _abi(digits: str, platform: str, version: str) -> str:
    if platform.startswith("macos") and _release(version) < (2, 11):
        return "none"
    return f"{digits}m" if digits in ("cp36", "cp37") else digits


def _release(version: str) -> tuple[int, ...]:
    return tuple(int(n) for n in re.findall(r"\d+", version)[:2])


def _platform_tag(platform: str, version: str, page: str) -> str:
    """Return the tag as PyPI has it (page ""), or a variant's index, where old Linux wheels have a bare one."""
    release = _release(version)
    if platform == "windows_x86_64":
        return "win_amd64"
    if platform.startswith("macos"):
        arm = "macosx_14_0_arm64" if release >= (2, 12) else "macosx_11_0_arm64"
        return arm if platform.endswith("arm64") else "macosx_10_9_x86_64"
    machine = platform.removeprefix("linux_")
    if release >= (2, 7) or (release == (2, 6) and f"{platform}+{page}" in _MANYLINUX_2_28_IN_2_6):
        return f"manylinux_2_28_{machine}"
    if page:
        return platform
    return "manylinux1_x86_64" if machine == "x86_64" else "manylinux2014_aarch64"


class _Handler(BaseHTTPRequestHandler):
    """A proxy that answers for two hosts itself."""

    protocol_version = "HTTP/1.1"
    tls: ssl.SSLContext

    def do_CONNECT(self) -> None:
        """Take the connection over, if it is for one of the hosts."""
        if self.path.split(":")[0] not in _HOSTS:
            self.send_error(403, "not in this benchmark")
            return
        self.send_response(200)
        self.end_headers()
        try:
            self.connection = self.tls.wrap_socket(self.connection, server_side=True)
        except OSError:
            self.close_connection = True
            return
        self.rfile = self.connection.makefile("rb")
        self.wfile = self.connection.makefile("wb", buffering=0)  # type: ignore[assignment]
        self.close_connection = False

    def do_GET(self) -> None:
        """Answer with an index page, a wheel's metadata, or a wheel that holds nothing else."""
        path = self.path.split("?")[0].replace("%2B", "+")
        page = re.fullmatch(r"/(?:whl/(?P<variant>[\w.]+)|simple)/torch/", path)
        file = re.fullmatch(r"/whl/(?:[\w.]+/)?(?P<name>torch-[^/]+\.whl)(?P<metadata>\.metadata)?", path)
        if page and wheels(page["variant"] or ""):
            self._send(_page(page["variant"] or "").encode(), "text/html")
        elif file:
            made = _metadata(file["name"]).encode() if file["metadata"] else _wheel(file["name"])
            self._send(made, "application/octet-stream")
        else:
            self.send_error(404)

    do_HEAD = do_GET  # noqa: N815

    def _send(self, body: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@cache
def _page(variant: str) -> str:
    folder = "https://download.pytorch.org/whl/" + (f"{variant}/" if variant else "")
    has_metadata = 'data-dist-info-metadata="true" data-core-metadata="true"'
    links = [f'<a href="{folder}{name.replace("+", "%2B")}" {has_metadata}>{name}</a><br>' for name in wheels(variant)]
    return "<!DOCTYPE html><html><body>\n" + "\n".join(links) + "\n</body></html>\n"


def _metadata(name: str) -> str:
    return f"Metadata-Version: 2.1\nName: torch\nVersion: {name.split('-')[1]}\n"


def _wheel(name: str) -> bytes:
    version, *tag = name.removesuffix(".whl").split("-")[1:]
    folder = f"torch-{version}.dist-info"
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(f"{folder}/METADATA", _metadata(name))
        archive.writestr(f"{folder}/WHEEL", f"Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: {'-'.join(tag)}\n")
        archive.writestr(f"{folder}/RECORD", "")
    return file.getvalue()


def _certificates(folder: Path) -> tuple[Path, Path]:
    """Make an authority and a certificate for the hosts, and return the authority's and the server's file."""
    root, key, request, leaf = (folder / name for name in ("root.pem", "key.pem", "leaf.csr", "leaf.pem"))
    extensions = folder / "leaf.cnf"
    names = ",".join(f"DNS:{host}" for host in _HOSTS)
    extensions.write_text(f"subjectAltName={names}\nbasicConstraints=CA:FALSE\nextendedKeyUsage=serverAuth\n")
    new = ["-newkey", "rsa:2048", "-nodes", "-days", "7"]
    for words in (
        ["req", "-x509", *new, "-keyout", str(folder / "root.key"), "-out", str(root), "-subj", "/CN=benchmark"],
        ["req", *new[:3], "-keyout", str(key), "-out", str(request), "-subj", f"/CN={_HOSTS[0]}"],
        ["x509", "-req", "-in", str(request), "-CA", str(root), "-CAkey", str(folder / "root.key"), "-CAcreateserial",
         "-days", "7", "-out", str(leaf), "-extfile", str(extensions)],
    ):  # fmt: skip
        subprocess.run(["openssl", *words], check=True, capture_output=True)
    chain = folder / "chain.pem"
    chain.write_text(leaf.read_text() + key.read_text())
    return root, chain
