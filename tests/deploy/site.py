"""A site whose every part is a process that a test may end, and the figures that it serves."""

import ssl
import sys
import threading
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import psycopg
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from prometheus_client.parser import text_string_to_metric_families

from tests import services
from tests.faults import site
from tests.wait import wait_until

# What is scraped: by the series, as promtool writes it.
Figures = dict[str, float]
UP = 'up{job="mufakat"}'


class Site:
    """PostgreSQL, Redis, web, decider, worker, metrics, and something that speaks TLS in the proxy's place."""

    database: services.Postgres
    redis: services.Redis
    web: site.Web
    metrics: services.Process

    def __init__(self, folder: Path) -> None:
        self.folder, self.port, self.tls_port = folder, services.free_port(), services.free_port()
        self.parts: dict[str, services.Process] = {}
        self.tls: HTTPServer | None = None

    def start(self) -> None:
        self.database, self.redis = services.start_postgres(), services.start_redis()
        self.env = site.environment(self.database.url(), self.redis.url(), self.folder, "production")
        self.web = site.Web(self.env, self.folder)
        self.env |= {
            "METRICS_BIND": f"127.0.0.1:{self.port}",
            "METRICS_WEB": f"http://127.0.0.1:{self.web.port}",
            "METRICS_TLS": f"127.0.0.1:{self.tls_port}",
            "METRICS_DATABASE_DIR": str(self.database.folder),
        }
        self.speak_tls(days=90)
        self.manage("migrate", "-v", "0")
        for part in ("decider", "worker"):
            self.start_part(part)
        command = [sys.executable, "-m", "config.metrics"]
        self.metrics = services.Process(command, self.folder / "metrics.log", env=self.env)
        self.web.start()
        backup = str(self.folder / "backup.tar")
        for words in (("backup", backup), ("check_backup", backup), ("check_integrity",)):
            self.manage(*words)
        self.well()

    def well(self) -> Figures:
        """The figures, once everything is at work."""

        def ready() -> Figures:
            figures = self.figures()
            return figures if figures.get('mufakat_web_ready{job="mufakat"}') else {}

        return wait_until(ready, 120, "everything to be at work")

    def end(self) -> None:
        self.stop_tls()
        for process in [*self.parts.values(), *([self.metrics] if hasattr(self, "metrics") else [])]:
            process.kill()
        if hasattr(self, "web") and self.web.process is not None:
            self.web.kill()
        self.redis.kill()
        self.database.kill()

    def manage(self, *words: str) -> None:
        site.manage(self.env, *words)

    def start_part(self, part: str) -> None:
        command = [sys.executable, "-m", "config.background", part]
        self.parts[part] = services.Process(command, self.folder / f"{part}.log", env=self.env)

    def sql(self) -> psycopg.Connection:
        return psycopg.connect(self.database.url(), autocommit=True)

    def age_part(self, part: str) -> None:
        """Have it be ten minutes ago that it was seen."""
        with self.sql() as connection:
            connection.execute("UPDATE annotation_heartbeat SET at = now() - interval '10 min' WHERE name = %s", [part])

    def figures(self) -> Figures:
        """What Prometheus would have now; only that nothing came where nobody serves it."""
        try:
            with urlopen(f"http://127.0.0.1:{self.port}/metrics", timeout=30) as answer:
                text = answer.read().decode()
        except (URLError, OSError):
            return {UP: 0.0}
        figures: Figures = {UP: 1.0}
        for family in text_string_to_metric_families(text):
            for sample in family.samples:
                labels = {**sample.labels, "job": "mufakat"}
                series = ",".join(f'{name}="{value}"' for name, value in labels.items())
                figures[f"{sample.name}{{{series}}}"] = sample.value
        return figures

    def speak_tls(self, *, days: float) -> None:
        """In the proxy's place, with a certificate that is valid for so many days yet."""
        self.stop_tls()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self._certificate(days))
        self.tls = HTTPServer(("127.0.0.1", self.tls_port), BaseHTTPRequestHandler)
        self.tls.socket = context.wrap_socket(self.tls.socket, server_side=True)
        threading.Thread(target=self.tls.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def stop_tls(self) -> None:
        if self.tls is not None:
            self.tls.shutdown()
            self.tls.server_close()
            self.tls = None

    def _certificate(self, days: float) -> Path:
        """A file with a key and a certificate that the key itself has signed."""
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "mufakat.example.org")])
        end = datetime.now(UTC) + timedelta(days=days)
        signed = (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(end - timedelta(days=100))
            .not_valid_after(end)
            .sign(key, hashes.SHA256())
        )
        pem, plain = serialization.Encoding.PEM, serialization.NoEncryption()
        path = self.folder / "tls.pem"
        path.write_bytes(key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain) + signed.public_bytes(pem))
        return path
