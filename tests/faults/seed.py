"""`python -m tests.faults.seed PEOPLE PAIRS VOTES [PROTOCOL]`: a project whose pairs each ask for VOTES votes at once,
or as the protocol of this name does, on the database of the environment; prints its slug and a session cookie for each
validator as JSON, with a token of an administrator."""

import json
import sys
import tempfile
from pathlib import Path

import django


def main(people: int, pairs: int, votes: int, protocol: str = "") -> None:
    """Make the world; the pairs come in by the import, and are opened by the ordinary decision."""
    from django.core.management import call_command
    from django.test import Client

    from annotation.api.tokens import token_create
    from annotation.core.models.project import Project
    from tests import factory
    from validation.consensus.protocol import PRESETS, Protocol
    from validation.voting.actions.decide import decide_due

    rules = PRESETS.get(protocol) or Protocol(
        name="faults", rounds=(votes,), quorum=1, author="none", plurality=True, tie="lowest-pseudonym"
    )
    slug = f"faults-{Project.objects.count() + 1}"
    project = factory.project(slug, protocol=rules, settings={"per_document": pairs})
    sessions = []
    for n in range(people):
        account = factory.user(f"{slug}-{n}@example.org")
        factory.member(project, "validator", account=account)
        client = Client()
        client.force_login(account)
        sessions.append(client.cookies["sessionid"].value)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pairs.jsonl"
        rows = (
            {
                "pair_id": f"{slug}-{n}",
                "premise_id": f"p{n}",
                "premise": f"Pedagang nomor {n} menjual mangga di pasar pagi.",
                "hypothesis": f"Ada mangga di pasar nomor {n}.",
                "author_label": "n",
            }
            for n in range(pairs)
        )
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        call_command("import_items", slug, str(path), stdout=sys.stderr)
    while decide_due():
        pass
    boss = factory.user(f"{slug}-boss@example.org", administrator=True)
    token = token_create(user=boss, name="faults", scopes=("read", "manage")).text
    print(json.dumps({"slug": slug, "sessions": sessions, "token": token}))


if __name__ == "__main__":
    django.setup()
    numbers = [int(word) for word in sys.argv[1:4]]
    main(numbers[0], numbers[1], numbers[2], *sys.argv[4:])
