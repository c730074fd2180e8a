"""Teams' own tasks over the API: made, filled, voted on, read and changed without a page."""

from collections.abc import Callable
from typing import Any

import orjson
import pytest
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from annotation.core.models.project import Project
from annotation.jobs import queue as jobs
from annotation.jobs.models import Job
from annotation.tasks.rules.question import localised_text
from annotation.tasks.rules.reading import read
from annotation.tasks.rules.templates import template, templates
from tests import factory
from tests.annotation.tasks.answers import GOLD
from tests.annotation.tasks.items import ITEMS, make_task_project
from tests.api import Script, assert_refused, script
from validation.voting.actions.decide import decide_due
from validation.voting.models.vote import Vote

pytestmark = pytest.mark.django_db
LINES = "application/x-ndjson"
Answers = dict[str, Any]


@pytest.fixture(autouse=True)
def _files_and_limits(settings: Any, tmp_path: Any) -> None:
    cache.clear()
    settings.MUFAKAT_DATA_DIR = tmp_path


@pytest.fixture
def boss() -> Script:
    return script(factory.user(administrator=True))


def passage(text: str, words: str) -> list[Answers]:
    return [{"start": text.index(words), "end": text.index(words) + len(words)}] if words else []


# What a script sends for an item: its key, the person's number, the texts of the card by key.
SENT: dict[str, Callable[[str, int, dict[str, str]], Answers]] = {
    "sentiment": lambda key, place, texts: {"label": "neutral" if key == "s2" else "positive"},
    "toxicity": lambda key, place, texts: {
        "answers": {
            "toxicity": 5 if key == "t2" and place else "1",
            "reasons": ["group", "insult"] if key == "t2" else [],
            "why": "Merendahkan orang." if key == "t2" else None,
        }
    },
    "preference": lambda key, place, texts: {
        "answers": {
            # The same text, wherever it stands on this person's card.
            "better": "tie" if key == "p1" else "AB"["a-b" in texts["response_b"]],
            "criteria": {"criteria_correct": "yes", "criteria_clear": "no"},
        }
    },
    "extractive-qa": lambda key, place, texts: {
        "answers": {"answer": passage(texts["passage"], "2000" if key == "q1" else "")}
    },
    "claims": lambda key, place, texts: {
        "answers": {
            "verdict": "supported" if key == "c1" else "open",
            "passages": passage(texts["evidence"], "ditutup sejak Senin" if key == "c1" else ""),
        }
    },
    "emotions": lambda key, place, texts: {"answers": {"emotions": ["sadness", "joy"] if key == "e1" else ["none"]}},
}
# What the votes settled on beside the key of the gold answer.
SETTLED: dict[str, tuple[str, Answers | None]] = {
    "sentiment": ("s1", None),
    "toxicity": ("t2", {"toxicity": "5", "reasons": ["insult", "group"], "why": "Merendahkan orang."}),
    "preference": (
        "p2",
        {"better": "B", "criteria_correct": "yes", "criteria_complete": None, "criteria_clear": "no"},
    ),
    "extractive-qa": (
        "q1",
        {"answer": [{"of": "passage", "start": 68, "end": 72, "text": "2000", "label": ""}]},
    ),
    "claims": ("c2", {"verdict": "open", "passages": []}),
    "emotions": ("e1", {"emotions": ["joy", "sadness"]}),
}


def item_on(card: Answers, slug: str) -> str:
    """Which of the items a card shows, whatever the order of its texts."""
    shown = {text["text"] for text in card["texts"]}
    found = [row["id"] for row in ITEMS[slug] if shown == {text for key, text in row.items() if key != "id"}]
    assert len(found) == 1, shown
    return str(found[0])


@pytest.mark.parametrize("slug", sorted(templates()))
def test_from_a_description_to_gold(slug: str, boss: Script) -> None:
    sent = template(slug).plain() if slug < "f" else templates()[slug]
    made = boss.post("projects", {"slug": slug, "task": sent})
    assert (made.status_code, made.json()["kind"][:5]) == (201, "task-"), made.content
    path = f"projects/{slug}"
    assert read(boss.get(f"{path}/task").json()["yaml"]) == template(slug)
    rows = b"".join(orjson.dumps(row) + b"\n" for row in ITEMS[slug])
    stored = b"".join(boss.post(f"{path}/items:batch", rows, kind=LINES).streaming_content).splitlines()
    assert orjson.loads(stored[-1]) == {
        "done": True,
        "stored": len(ITEMS[slug]),
        "unchanged": 0,
        "refused": 0,
    }
    project = Project.objects.get()
    for place, person in enumerate(factory.member(project, "validator") for _ in range(5)):
        decide_due()
        asking = script(person.user, "annotate")
        card = asking.post(f"{path}/work:next").json()["card"]
        while card is not None:
            texts = {text["key"]: text["text"] for text in card["texts"]}
            body = SENT[slug](item_on(card, slug), place, texts)
            answer = asking.post(f"{path}/assignments/{card['token']}/vote", body)
            assert answer.status_code == 200, answer.content
            card = answer.json()["card"]
    decide_due()
    items = {item["key"]: item for item in boss.pages(f"{path}/items")}
    assert {key: items[key]["gold"] for key, gold in GOLD[slug].items() if gold} == {
        key: gold for key, gold in GOLD[slug].items() if gold
    }
    key, settled = SETTLED[slug]
    assert items[key]["gold_answers"] == settled
    votes = boss.pages(f"{path}/items/{key}/votes")
    assert len(votes) >= 2
    asked = {leaf.key for question in project.kind_spec.question.card_questions() for leaf in question.leaf_questions()}
    assert all(asked.issuperset(vote["answers"].keys() - {"order"}) for vote in votes)


def test_names_are_in_the_language_of_the_reader(boss: Script) -> None:
    project = make_task_project("toxicity")
    rows = b"".join(orjson.dumps(row) + b"\n" for row in ITEMS["toxicity"])
    b"".join(boss.post(f"projects/{project.slug}/items:batch", rows, kind=LINES).streaming_content)
    decide_due()
    asking = script(factory.member(project, "validator").user)
    seen = []
    for language in ("en", "id"):
        answer = asking.post(f"projects/{project.slug}/work:next", Accept_Language=language)
        scale, reasons, _ = answer.json()["card"]["questions"]
        asked = template("toxicity").questions
        assert scale["text"] == localised_text(asked[0].text, language)
        assert scale["low"] == localised_text(asked[0].scale.low if asked[0].scale else "", language)
        assert [label["key"] for label in scale["labels"]] == list("12345")
        assert [label["name"] for label in reasons["labels"]] == [
            localised_text(label.name, language) for label in asked[1].labels
        ]
        seen.append((scale["text"], scale["low"], reasons["labels"][0]["name"]))
    assert not set(seen[0]) & set(seen[1])


def test_a_file_of_a_task_is_taken_in_by_its_columns(boss: Script) -> None:
    project = make_task_project("claims")
    body = orjson.dumps({"id": "c1", "klaim": "Jembatan itu ditutup.", "evidence": "Jembatan lama ditutup."})
    web = Client(headers={"Authorization": f"Bearer {boss.text}"})
    sent = web.post(f"/api/v1/projects/{project.slug}/imports", {"file": SimpleUploadedFile("c.jsonl", body + b"\n")})
    assert sent.status_code == 201, sent.content
    taken = sent.json()
    mapping = {**taken["mapping"], "claim": "klaim"}
    path = f"projects/{project.slug}/imports/{taken['id']}"
    started = boss.post(f"{path}:start", {"mapping": mapping})
    assert started.status_code == 202, started.content
    jobs.run_here(Job.objects.get())
    done = boss.get(path).json()
    assert (done["accepted"], done["refused"]) == (1, 0), boss.pages(f"{path}/refused")


def test_a_row_that_cannot_be_shown_is_refused_by_its_column(boss: Script) -> None:
    project = make_task_project("claims")
    rows = orjson.dumps({"id": "c1", "claim": "Jembatan itu ditutup.", "evidence": ""}) + b"\n"
    answer = boss.post(f"projects/{project.slug}/items:batch", rows, kind=LINES)
    (line, _) = map(orjson.loads, b"".join(answer.streaming_content).splitlines())
    assert line["status"] == "refused"
    assert line["problems"][0]["field"] == "evidence"


def test_what_is_wrong_with_a_description_is_named_by_its_field(boss: Script) -> None:
    plain = template("emotions").plain()
    plain["questions"][0]["type"] = "severel"
    wrong = boss.post("projects", {"slug": "salah", "task": plain})
    assert_refused(wrong, 400, "field_task_wrong")
    assert wrong.json()["field"] == "task.questions.0.type"
    assert wrong.json()["detail"].startswith("must be one of single, several")
    for text in ("version: 1", "[", "- a", "", 7, [plain], None):
        answer = boss.post("projects", {"slug": "salah", "task": text})
        assert (answer.status_code, answer.json()["field"].split(".")[0]) in ((400, "task"), (400, "preset"))
    assert_refused(boss.post("projects", {"slug": "salah", "name": "Salah"}), 400, "task_or_preset")
    both = {"slug": "salah", "name": "Salah", "task": templates()["emotions"], "preset": "indonli-lay"}
    assert_refused(boss.post("projects", both), 400, "task_or_preset")
    assert_refused(boss.post("projects", {"slug": "salah", "preset": "indonli-lay"}), 400, "field_required")
    assert Project.objects.count() == 0


def test_a_task_has_versions_and_refuses_what_would_break_votes(boss: Script) -> None:
    project = make_task_project("emotions")
    path = f"projects/{project.slug}/task"
    there = boss.get(path).json()
    calmer, fewer = template("emotions").plain(), template("emotions").plain()
    calmer["questions"][0]["labels"][0]["colour"] = "pink"
    fewer["questions"][0]["labels"].pop()
    changed = boss.post(path, {"version": there["version"], "task": calmer}).json()
    assert [change["invalidates"] for change in changed["changes"]] == [False]
    assert changed["version"] == there["version"] + 1
    assert_refused(boss.post(path, {"version": there["version"], "task": fewer}), 409, "stale")
    rows = b"".join(orjson.dumps(row) + b"\n" for row in ITEMS["emotions"])
    b"".join(boss.post(f"projects/{project.slug}/items:batch", rows, kind=LINES).streaming_content)
    assert_refused(boss.post(path, {"version": changed["version"], "task": fewer}), 400, "task_breaks_votes")
    versions = boss.pages(f"projects/{project.slug}/task-versions")
    assert [one["n"] for one in versions] == [1, 2]
    assert versions[1]["task"] == boss.get(path).json()["task"] == changed["task"]
    lead, writer = (script(factory.member(project, role).user) for role in ("lead", "validator"))
    assert lead.get(path).status_code == 200
    assert_refused(lead.post(path, {"version": 1, "task": calmer}), 403, "forbidden")
    assert_refused(writer.get(path), 403, "forbidden")
    assert_refused(boss.get(f"projects/{factory.project().slug}/task"), 404, "not_found")
    assert not Vote.objects.exists()
