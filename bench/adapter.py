"""Mufakat for the bench harness: real logins, the routes that a browser uses, two gunicorn workers, PostgreSQL.

The card that a POST returned is kept, as a browser keeps it; a GET happens only when there is none. An item is named
by its text: what a validator sees are assignment tokens, another one for everybody. MUFAKAT_TWO_REQUESTS=1 asks by GET
every time, to be set beside the peers that need two requests.
"""

import json
import os
import re
import signal
import socket
import subprocess
import time
from html import unescape

from adapters.base import Adapter, Session  # type: ignore[import-not-found]

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PASSWORD = "bench-only-password"
TOKEN = re.compile(rb'action="/p/[^/"]+/vote/([\w-]{16,})/"')
TEXT = re.compile(rb'<p class="text text--big"[^>]*>(.*?)</p>', re.S)
PEOPLE = """
from annotation.models import User
from allauth.account.models import EmailAddress
for i in range({n}):
    email = f'a{{i}}@example.org'
    u = User.objects.filter(email=email).first() or User.objects.create_user(email, '{password}')
    EmailAddress.objects.get_or_create(user=u, email=u.email, verified=True, primary=True)
"""
PROJECT = """
from annotation.core.actions.members import annotator_add
from annotation.projects.actions.projects import project_create
from annotation.models import User
from validation.consensus.protocol import Protocol
rules = Protocol(name='bench', rounds=({overlap},), quorum=1, author='none', plurality=True, tie='lowest-pseudonym')
p = project_create(slug='{slug}', name='{slug}', preset='indonli-expert', language='en', seed='bench',
                           protocol=rules, settings={{'tags': 'off', 'offer_minutes': 0, 'per_document': 5}})
for i in range({n}):
    annotator_add(project=p, user=User.objects.get(email=f'a{{i}}@example.org'), validator=True)
"""
COUNT_DECIDED = """
from annotation.models import Item
print(Item.objects.filter(project__slug='{slug}', stage__in=['settled', 'no_consensus']).count())
"""


class Mufakat(Adapter):
    name, port, ready_path = "mufakat", 18085, "/accounts/login/"

    def __init__(self, cfg):
        super().__init__(cfg)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.redis_port = free.getsockname()[1]
        self.two_requests = bool(os.environ.get("MUFAKAT_TWO_REQUESTS"))
        self.cards, self.projects = {}, 0

    def env(self):
        pg = self.cfg["pg"]
        return {
            "DJANGO_SETTINGS_MODULE": "config.settings.production",
            "DATABASE_URL": f"postgres://{pg['user']}@{pg['host']}:{pg['port']}/bench_mufakat",
            "REDIS_URL": f"redis://127.0.0.1:{self.redis_port}/0",
            "SECRET_KEY": "a-key-for-the-bench-only-0123456789-abcdefghijkl",
            "ALLOWED_HOSTS": "127.0.0.1",
            "HTTPS": "0",
            "LOGIN_RATE": "10000/m/ip",
            "LOG_LEVEL": "WARNING",
            "DATA_DIR": os.path.join(self.cfg["data"], "mufakat"),
        }

    def manage(self, *args, **kw):
        done = subprocess.run(
            [f"{self.cfg['venv']}/bin/python", "manage.py", *args],
            cwd=HERE,
            env={**os.environ, **self.env()},
            capture_output=True,
            text=True,
            **kw,
        )
        if done.returncode:
            raise RuntimeError(f"{args[0]}: {done.stderr[-600:] or done.stdout[-600:]}")
        return done.stdout

    def shell(self, code):
        return self.manage("shell", "-v", "0", "-c", code)

    def prepare(self):
        os.makedirs(self.env()["DATA_DIR"], exist_ok=True)
        self.manage("migrate", "-v", "0")

    def commands(self):
        """The processes of a server, by the script that starts them there."""
        env = {**self.env(), "BIND": f"127.0.0.1:{self.port}"}
        return [([os.path.join(HERE, "deploy", "start"), name], env, HERE) for name in ("web", "background")]

    def start(self, limit_s=180):
        # As the tests find it: bench/__main__.py.
        server = [os.environ["MUFAKAT_REDIS_SERVER"], "--port", str(self.redis_port), "--save", ""]
        self.redis = subprocess.Popen([*server, "--bind", "127.0.0.1"], stdout=subprocess.DEVNULL)
        return super().start(limit_s)

    def stop(self):
        super().stop()
        self.redis.send_signal(signal.SIGTERM)
        self.redis.wait()

    # --- work ---------------------------------------------------------------------
    def sessions(self, n):
        self.shell(PEOPLE.format(n=n, password=PASSWORD))
        out = []
        for i in range(n):
            s = Session(self.base)
            s.request("GET", "/accounts/login/")
            s.request("POST", "/accounts/login/", form={"login": f"a{i}@example.org", "password": PASSWORD})
            if "sessionid" not in s.cookies:
                raise RuntimeError("log-in failed")
            out.append(s)
        self.admin, self.people = out[0], n
        return out

    def create_project(self, kind="nli", overlap=1, sessions=()):
        self.projects += 1
        slug, self.cards = f"bench-{self.projects}", {}
        self.shell(PROJECT.format(slug=slug, overlap=overlap, n=self.people))
        return slug

    def import_items(self, project, items, labels=None):
        path = os.path.join(self.cfg["data"], "mufakat", f"{project}.jsonl")
        with open(path, "w") as out:
            for i, item in enumerate(items):
                row = {"pair_id": str(i), "premise_id": f"p{i}", **item, "author_label": "n"}
                if labels:
                    row["votes"] = [labels[i]]
                out.write(json.dumps(row) + "\n")
        self.manage("import_items", project, path, "--json")
        want = 0 if labels else len(items)
        end = time.monotonic() + 120
        while self.waiting(project) < want and time.monotonic() < end:
            time.sleep(0.05)

    def waiting(self, project):
        """Items that can be annotated now, counted in the database."""
        return int(
            self.psql(
                f"SELECT count(*) FROM annotation_item i JOIN annotation_project p ON p.id = i.project_id "
                f"WHERE p.slug = '{project}' AND i.slots_free > 0"
            )
        )

    def psql(self, query):
        pg = self.cfg["pg"]
        place = ["-h", pg["host"], "-p", str(pg["port"]), "-U", pg["user"], "-d", "bench_mufakat"]
        command = [os.path.join(pg["bin"], "psql"), *place, "-XAtc", query]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def read(self, body):
        """(name, token) of the card in a page or fragment, or None."""
        token = TOKEN.search(body)
        if not token:
            return None
        texts = [unescape(re.sub(r"<[^>]+>", "", t.decode())).strip() for t in TEXT.findall(body)]
        return " | ".join(texts), token.group(1).decode()

    def next_item(self, session, project):
        card = None if self.two_requests else self.cards.get(session)
        if card is None:
            card = self.cards[session] = self.read(session.request("GET", f"/p/{project}/vote/")[1])
        return card[0] if card else None

    def submit(self, session, project, item_id, label):
        token = self.cards.pop(session)[1]
        session.headers["HX-Request"] = "true"
        body = session.request("POST", f"/p/{project}/vote/{token}/", form={"label": label[0]})[1]
        session.headers.pop("HX-Request")
        self.cards[session] = self.read(body)

    def export(self, project):
        out = os.path.join(self.cfg["data"], "mufakat", f"out-{project}-{time.monotonic_ns()}")
        self.manage("build_release", project, "--out", out, "--no-licence", "--json")
        with open(os.path.join(out, "votes.jsonl"), "rb") as votes:
            return votes.read()

    def votes(self, blob):
        counts = {}
        for line in blob.splitlines():
            row = json.loads(line)
            counts[row["pair_id"]] = counts.get(row["pair_id"], 0) + bool(row["counted"])
        return counts

    def done_count(self, project):
        return int(self.shell(COUNT_DECIDED.format(slug=project)))
