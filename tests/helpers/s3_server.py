"""A local S3 service: s3proxy over a folder, one bucket, keys of its own."""

import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.error import HTTPError, URLError
from urllib.request import urlopen

from tests.helpers.maven import jars_of

_POM = Path(__file__).parent / "s3" / "pom.xml"
_SECONDS = 30
KEY, SECRET = "local-access", "local-secret-of-the-tests"


class S3(NamedTuple):
    """The address of the service, and the folder in which buckets are folders and objects are files."""

    endpoint: str
    folder: Path

    @property
    def variables(self) -> dict[str, str]:
        """The environment of a program that uses the service."""
        return {
            "AWS_ACCESS_KEY_ID": KEY,
            "AWS_SECRET_ACCESS_KEY": SECRET,
            "AWS_REGION": "us-east-1",
            "AWS_ENDPOINT_URL": self.endpoint,
        }


@contextmanager
def s3_server(folder: Path, bucket: str = "lake") -> Iterator[S3]:
    """The service, as long as it is used."""
    (folder / "buckets" / bucket).mkdir(parents=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    endpoint = f"http://127.0.0.1:{port}"
    lines = {
        "s3proxy.endpoint": endpoint,
        "s3proxy.authorization": "aws-v2-or-v4",
        "s3proxy.identity": KEY,
        "s3proxy.credential": SECRET,
        "jclouds.provider": "filesystem-nio2",
        "jclouds.filesystem.basedir": str(folder / "buckets"),
    }
    properties = folder / "s3proxy.properties"
    properties.write_text("".join(f"{key}={value}\n" for key, value in lines.items()), "utf-8")
    jar = next(jars_of(_POM, "s3-jars").glob("s3proxy-*.jar"))
    words = ["java", "-Xmx256m", "-XX:TieredStopAtLevel=1", "-jar", str(jar), "--properties", str(properties)]
    with (folder / "s3proxy.log").open("w") as log:
        process = subprocess.Popen(words, stdout=log, stderr=log)
    try:
        _wait_for(endpoint, process, folder / "s3proxy.log")
        yield S3(endpoint, folder / "buckets")
    finally:
        process.kill()
        process.wait()


def _wait_for(endpoint: str, process: "subprocess.Popen[bytes]", log: Path) -> None:
    until = time.monotonic() + _SECONDS
    while time.monotonic() < until and process.poll() is None:
        try:
            urlopen(endpoint, timeout=5)
        except HTTPError:
            return  # it answers, and wants a signature
        except (URLError, OSError):
            time.sleep(0.1)
        else:
            return
    raise AssertionError(log.read_text("utf-8")[-3000:])
