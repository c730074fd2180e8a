"""`manage.py serve`: the whole platform on one machine, in one command; `make run` calls it."""

import os
import sys
from contextlib import suppress
from io import StringIO
from pathlib import Path
from typing import Any

from django.apps import apps
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.jobs.supervise import Supervisor, accepts_connections, port_is_free

HOST = "127.0.0.1"


class Command(BaseCommand):
    """Migrate, load the demo when asked and needed, serve, and run the background jobs, until Ctrl-C."""

    help = "Serve the site on this machine, with its background jobs, until Ctrl-C."
    requires_system_checks = []  # the job runner makes them and says what they find

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--demo", action="store_true", help="load the demo into an empty database first")
        port = settings.MUFAKAT_PORT
        parser.add_argument("--port", type=int, default=port, help="port on 127.0.0.1 (or PORT; default 8000)")

    def handle(self, *args: Any, **options: Any) -> None:
        with suppress(KeyboardInterrupt):  # while preparing; once it serves, the supervisor hears it
            self._serve(options["port"], options["demo"])
        self._say("Stopped.")

    def _serve(self, port: int, demo: bool) -> None:
        if not port_is_free(HOST, port):
            raise CommandError(
                f"Port {port} of {HOST} is taken (by another Mufakat?). Choose another one: "
                f"make run PORT={port + 1}, or manage.py serve --port {port + 1}."
            )
        os.environ["PORT"] = str(port)
        os.environ.setdefault("LOG_LEVEL", "WARNING")  # for a person at a terminal, not for a log collector
        self._say("→ Bringing the database up to date")
        call_command("migrate", interactive=False, verbosity=0)
        if demo:
            self._demo()
        self._say("→ Starting the web server and the background jobs")
        supervisor = Supervisor(self._commands(port))
        code = supervisor.run(lambda: accepts_connections(HOST, port), lambda: self._announce(port))
        if code:
            raise CommandError("The web server or the job runner ended by itself; see above.", returncode=code)

    def _commands(self, port: int) -> list[list[str]]:
        """The two programs: they inherit the environment, and with it the settings."""
        gunicorn = [sys.executable, "-m", "gunicorn", "config.wsgi", "--bind", f"{HOST}:{port}"]
        # Imported once, then forked: a faster start, and memory that the two share.
        workers = [
            "--preload",
            "--worker-class",
            "gthread",
            "--workers",
            "2",
            "--threads",
            "4",
            "--log-level",
            "warning",
            "--no-control-socket",
        ]
        return [[*gunicorn, *workers], [sys.executable, str(settings.BASE_DIR / "manage.py"), "runjobs"]]

    def _demo(self) -> None:
        """Load the demo once; its log-ins are kept beside the database, to be shown again at the next start."""
        kept = Path(settings.MUFAKAT_DATA_DIR) / "demo-logins.txt"
        if apps.get_model("annotation", "Project").objects.exists():
            if kept.exists():
                self._say(kept.read_text().rstrip())
            return
        self._say("→ Loading the demo (once)")
        output = StringIO()
        call_command("load_demo", stdout=output)
        kept.parent.mkdir(parents=True, exist_ok=True)
        with open(os.open(kept, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            file.write(output.getvalue())
        self._say(output.getvalue().rstrip())

    def _announce(self, port: int) -> None:
        self._say(f"\nMufakat is running at http://{HOST}:{port}/ (Ctrl-C ends it)\n")

    def _say(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()
