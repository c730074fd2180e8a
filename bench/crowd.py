"""A project of millions of votes by two hundred people, made by SQL as fast as PostgreSQL takes it.

`bench.scale` looks at it, `bench.team` works in it. Of a hundred items 85 are settled, 4 without consensus and flagged,
1 settled and flagged, 1 nobody was asked about, and 9 wait for votes and have none to four; who has voted has the
assignment of it, and who is decided its verdict.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import psycopg

ROOT = Path(__file__).resolve().parent.parent
SLUG, PEOPLE, PAIRS_PER_PREMISE = "crowd", 200, 6
LEAD, PASSWORD = "lead@crowd.example", "bench-only-password"
TOKEN = re.compile(rb'action="/p/[^/"]+/vote/([\w-]{16,})/"')
MAKE = f"""
from allauth.account.models import EmailAddress
from django.contrib.auth.hashers import make_password
from annotation.core.actions.members import annotator_add
from annotation.projects.actions.projects import project_create
from annotation.models import User
from validation.consensus.protocol import Protocol
rules = Protocol(name="crowd", rounds=({{votes}},), quorum=1 + {{votes}} // 2, author="none")
project = project_create(slug="{SLUG}", name="Crowd", preset="indonli-expert", language="id", seed="crowd",
    protocol=rules, settings={{{{"tags": "off", "offer_minutes": 0, "per_document": 5}}}})
hashed = make_password("{PASSWORD}")
for email in ("{LEAD}", *(f"a{{{{n}}}}@crowd.example" for n in range({PEOPLE}))):
    user = User.objects.create_user(email)
    User.objects.filter(pk=user.pk).update(password=hashed)
    EmailAddress.objects.create(user=user, email=email, verified=True, primary=True)
    annotator_add(project=project, user=user, validator=email != "{LEAD}", lead=email == "{LEAD}")
"""
# What n of an item's row says: how many people have voted, and what came of it.
_STAGE = """CASE WHEN t.n %% 100 < 9 THEN 'voting' WHEN t.n %% 100 < 13 THEN 'no_consensus'
  WHEN t.n %% 100 = 13 THEN 'written' ELSE 'settled' END"""
_VOTES = "CASE WHEN t.n %% 100 < 9 THEN t.n %% 5 WHEN t.n %% 100 = 13 THEN 0 ELSE %(votes)s END"
PREMISES = """INSERT INTO annotation_premise
  (project_id, target_id, key, text, text_hash, sentence_class, document, extra, revision, skips)
SELECT p.id, l.id, 'p' || n, 'Kalimat nomor ' || n || ' bercerita tentang pasar yang ramai sejak pagi buta, ' ||
  repeat('dan orang ' || n %% 97 || ' ', 5), encode(sha256(('premise ' || n)::bytea), 'hex'), 'single', 'd' || n / 5,
  '{}', 1, 0
FROM generate_series(1, %(premises)s) n, annotation_project p JOIN annotation_target l ON l.project_id = p.id"""
ITEMS = f"""INSERT INTO annotation_item (project_id, target_id, slot, key, origin, protocol_id, family,
  author_label, sampled, version, stage, epoch, round, slots_free, pending, votes_n, revision_n, priority, shuffle,
  gold, gold_from, words, doubt, returns)
SELECT t.project_id, t.target_id, 'e1', t.key || '-' || t.place, 'imported', v.id, t.id,
  (ARRAY['e','n','c'])[1 + t.place / 2], t.stage <> 'written', 3, t.stage, 1, (t.stage <> 'written')::int,
  CASE WHEN t.stage = 'voting' THEN %(votes)s - t.votes ELSE 0 END,
  CASE WHEN t.stage = 'voting' THEN %(votes)s - t.votes ELSE 0 END, t.votes, 1, 1,
  ('x' || substr(encode(sha256((t.key || '-' || t.place)::bytea), 'hex'), 1, 15))::bit(60)::bigint,
  CASE t.stage WHEN 'settled' THEN (ARRAY['e','n','c'])[1 + t.place / 2] ELSE '' END,
  CASE t.stage WHEN 'settled' THEN 'votes' ELSE '' END, 20,
  CASE WHEN t.stage = 'no_consensus' THEN %(no_consensus)s WHEN t.n %% 100 = 14 THEN %(text_error)s ELSE 0 END, 0
FROM (SELECT t.*, {_STAGE} AS stage, {_VOTES} AS votes FROM (SELECT s.*, place,
    ('x' || substr(md5(s.key || place), 1, 7))::bit(28)::int AS n
  FROM annotation_premise s, generate_series(0, 5) place) t) t
  JOIN annotation_protocolversion v ON v.project_id = t.project_id"""
TEXTS = """INSERT INTO annotation_hypothesis (item_id, project_id, premise_id, text, tags)
SELECT i.id, i.project_id, i.family, 'Dugaan tentang ' || i.key || ' di pasar yang ramai setiap hari.', '[]'
FROM annotation_item i"""
REVISIONS = """INSERT INTO annotation_revision (project_id, item_id, n, version, epoch, event, meaning, content,
  author_label, why, fields_n, sentences_n)
SELECT i.project_id, i.id, 1, 1, 1, 'submit', 'first', jsonb_build_object('premise', p.text, 'hypothesis', h.text),
  i.author_label, '', 1, 1
FROM annotation_item i JOIN annotation_hypothesis h ON h.item_id = i.id
  JOIN annotation_premise p ON p.id = h.premise_id"""
# Whoever gives vote n of an item: different people for one item, all as often.
_VOTER_ID = "a.first + ((i.id * 7 + n * 41) % 200)"
_FROM_VOTED_ITEMS = """FROM annotation_item i,
  (SELECT min(id) AS first FROM annotation_annotator WHERE is_validator) a, LATERAL generate_series(1, i.votes_n) n"""
ASSIGNMENTS = f"""INSERT INTO validation_assignment (project_id, target_id, item_id, annotator_id, author_id, epoch,
  round, revision_n, state, token, until, opened_at, reason, by_secret, place)
SELECT i.project_id, i.target_id, i.id, {_VOTER_ID}, NULL, 1, 1, 1, 'done', md5(i.id || 'x' || n), NULL,
  now() - make_interval(secs => (i.id * 5 + n) % 5000000), '', true, 0 {_FROM_VOTED_ITEMS}"""
VOTES = f"""INSERT INTO validation_vote (project_id, item_id, annotator_id, n, epoch, round, revision_n, label,
  answers, unsure, ambiguous, comment, seconds, imported, surplus, cast_at, withdrawn_why, withdrawn_reason)
SELECT i.project_id, i.id, {_VOTER_ID}, n, 1, 1, 1,
  CASE WHEN i.stage = 'no_consensus' THEN (ARRAY['e','n','c'])[1 + n % 3]
  WHEN n > 1 + votes_n / 2 AND (i.id * n) % 7 < 2 THEN (ARRAY['e','n','c'])[1 + (i.id + n) % 3] ELSE i.author_label END,
  '{{}}', (i.id + n) % 17 = 0, false, '', 4 + (i.id % 90) / 10.0, false, false,
  now() - make_interval(secs => (i.id * 5 + n) % 5000000), '', '' {_FROM_VOTED_ITEMS}"""
VERDICTS = """INSERT INTO validation_verdict (project_id, item_id, version, epoch, event, round, asked, label, hopeless,
  votes_n)
SELECT project_id, id, 3, 1, CASE stage WHEN 'settled' THEN 'settle' ELSE 'end' END, 1, 0, gold, false, votes_n
FROM annotation_item WHERE stage IN ('settled', 'no_consensus')"""
FLAGS = """INSERT INTO validation_flag (project_id, item_id, code, detail, version)
SELECT project_id, id, CASE stage WHEN 'no_consensus' THEN 'no_consensus' ELSE 'text_error' END, '{}', 3
FROM annotation_item WHERE doubt > 0"""
STATEMENTS = (PREMISES, ITEMS, TEXTS, REVISIONS, ASSIGNMENTS, VOTES, VERDICTS, FLAGS)


def environment(url: str) -> dict[str, str]:
    """What a command of the bench needs on this database."""
    return {
        **os.environ,
        "DATABASE_URL": url,
        "REDIS_URL": "",
        "DJANGO_SETTINGS_MODULE": "config.settings.embedded",
        "SECRET_KEY": "a-key-for-the-bench-only",
        "LOG_LEVEL": "WARNING",
    }


def fill(url: str, items: int, votes: int) -> None:
    """Make the project and its rows; the planner is told, as autovacuum would tell it.

    Keys are not looked up for each row (session_replication_role): the statements take them from the rows themselves.
    """
    from validation.voting.rules.flags import NO_GOLD, TEXT_ERROR, WEIGHTS

    for command in (("migrate",), ("shell", "-c", MAKE.format(votes=votes))):
        line = [sys.executable, "manage.py", command[0], "-v", "0", *command[1:]]
        subprocess.run(line, cwd=ROOT, env=environment(url), check=True)
    values = {"premises": items // PAIRS_PER_PREMISE, "votes": votes}
    values |= {"no_consensus": WEIGHTS[NO_GOLD], "text_error": WEIGHTS[TEXT_ERROR]}
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SET session_replication_role = replica")
        for statement in STATEMENTS:
            named = "%(" in statement
            connection.execute(statement.encode(), values if named else None)
        connection.execute("VACUUM ANALYZE")
