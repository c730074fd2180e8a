"""The commands of docs/api.md, run as they stand there against the running server."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache

from annotation.api.tokens import token_create
from annotation.content.models.item import Item
from tests import factory, review
from tests.questions import a_question_project
from validation.voting.actions.flags import flag_raise

pytestmark = pytest.mark.django_db(transaction=True)
DOC = Path(__file__).parents[2] / "docs" / "api.md"
COMMANDS = [
    command
    for block in re.findall(r"```sh\n(.*?)```", DOC.read_text("utf-8"), re.S)
    for command in re.split(r"\n(?=curl )", block.strip())
]


def test_every_command_of_the_document_is_answered(live_server: Any, tmp_path: Path) -> None:
    assert shutil.which("curl"), "the commands of docs/api.md need curl"
    assert len(COMMANDS) >= 4
    cache.clear()
    at = review.world(slug="pasar")
    flag_raise(item=at.item("n"), code="too_fast", detail={})
    item = review.give_back(at, review.cast_votes(at, at.item(), "ee"))
    Item.objects.filter(pk=item.pk).update(key="pasar-1")
    boss = factory.user("boss@example.org", administrator=True)
    a_question_project("pasar-soal")
    assert at.writer.user is not None
    made = {
        person: token_create(user=user, name="docs", scopes=("read", "annotate", "manage")).text
        for person, user in (("boss", boss), ("writer", at.writer.user))
    }
    pair = {"pair_id": "baru-1", "premise": "Kios buka.", "hypothesis": "Kios tutup.", "label": "c"}
    (tmp_path / "pairs.jsonl").write_text(json.dumps(pair) + "\n")
    for command in COMMANDS:
        asked = command.replace("http://127.0.0.1:8000", live_server.url).replace("curl ", "curl -sS ")
        # The version is that of the reader's item.
        asked = re.sub(r'"version": \d+', f'"version": {item.version}', asked)
        token = made["writer" if "/my-items/" in asked else "boss"]
        done = subprocess.run(
            ["bash", "-c", asked],
            cwd=tmp_path,
            env={**os.environ, "MUFAKAT_TOKEN": token},
            capture_output=True,
            text=True,
            check=True,
        )
        for line in done.stdout.splitlines():
            assert "code" not in json.loads(line), (command, line)
        assert done.stdout, command
    item.refresh_from_db()
    assert item.stage == "corrected"
    assert Item.objects.filter(project=at.project, key="baru-1").exists()
