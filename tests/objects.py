"""A server on loopback that stands for object storage: moto's, which speaks S3."""

from __future__ import annotations

import contextlib
import re
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pyarrow import fs


@dataclass(frozen=True)
class Storage:
    """The server: its HOST:PORT, and what a process has to be told to be let in."""

    endpoint: str

    @property
    def env(self) -> dict[str, str]:
        """The environment that the tools of S3 know."""
        keys = {"AWS_ACCESS_KEY_ID": "somebody", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_REGION": "us-east-1"}
        return {"AWS_ENDPOINT_URL": f"http://{self.endpoint}", **keys}

    def uri(self, path: str) -> str:
        """A URI that needs no environment."""
        return f"s3://{path}?endpoint_override=http://{self.endpoint}&scheme=http&region=us-east-1"

    def bucket(self, name: str) -> str:
        """A bucket, made anew."""
        self.files.create_dir(name)
        return name

    @property
    def files(self) -> fs.S3FileSystem:
        """Its buckets as pyarrow sees them."""
        return fs.S3FileSystem(
            access_key="somebody",
            secret_key="secret",
            endpoint_override=self.endpoint,
            scheme="http",
            region="us-east-1",
            allow_bucket_creation=True,
        )

    def objects(self, path: str) -> dict[str, tuple[int, int]]:
        """The objects below a path, with size and time."""
        selector = fs.FileSelector(path, recursive=True, allow_not_found=True)
        return {
            info.path.removeprefix(f"{path}/"): (info.size, info.mtime_ns)
            for info in self.files.get_file_info(selector)
            if info.type == fs.FileType.File
        }

    def check_credentials(self, after: int | None) -> None:
        """Refuse who is unknown after so many requests; None lets everybody in."""
        body = str(10**9 if after is None else after).encode()
        address, plain = f"http://{self.endpoint}/moto-api/reset-auth", {"Content-Type": "text/plain"}
        request = urllib.request.Request(address, data=body, headers=plain)
        urllib.request.urlopen(request).close()


@contextlib.contextmanager
def serving(folder: Path) -> Iterator[Storage]:
    """A server that lives as long as the block."""
    log = folder / "server.log"
    with log.open("wb") as sink:
        argv = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", "0"]
        process = subprocess.Popen(argv, stdout=sink, stderr=subprocess.STDOUT)
    try:
        deadline = time.monotonic() + 60
        while not (found := re.search(r"http://(127\.0\.0\.1:\d+)", log.read_text())):
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.1)
        yield Storage(found[1])
    finally:
        process.terminate()
        process.wait(timeout=30)
