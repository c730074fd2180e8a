"""What a file does not say of a vote is unknown from the import to the release (domain.md, ruling 22)."""

import json
from hashlib import sha256
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from annotation.core.models.project import Project
from annotation.projects.actions.projects import project_create
from exports.releases.models import Release
from tests import factory
from tests.exports.world import rows
from tests.validation.imports_run import import_items
from validation.voting.actions.decide import decide_due
from validation.voting.models.review import Flag
from validation.voting.models.vote import Vote

pytestmark = pytest.mark.django_db(transaction=True)
ROWS, PEOPLE = 30, [f"W{n}" for n in range(1, 7)]
MARKS = ("answers_uncertainty", "question_ambiguity", "option_ambiguity")


@pytest.fixture(autouse=True)
def _apart(tmp_path: Path, settings: Any) -> None:
    settings.MUFAKAT_DATA_DIR = tmp_path
    settings.REDIS_URL = ""


def a_row(n: int) -> dict[str, Any]:
    """A question in id-csqa's form, answered by all but its creator; the texts end in blanks."""
    voters = [name for name in PEOPLE if name != PEOPLE[n % len(PEOPLE)]]
    return {
        "id": f"sun-{n}",
        "category": "culture",
        "question_concept": f"samak {n} ",
        "question": f"Samak {n} dipaké pikeun naon? ",
        "choices": {"label": list("ABCDE"), "text": [f"pikeun {what} {n} " for what in "abcde"]},
        "answer_creator": "A",
        "answer_majority": "A",
        "answers": dict.fromkeys(voters, "A"),
        "answers_uncertainty": dict.fromkeys(voters, "certain"),
        "question_ambiguity": dict.fromkeys(voters, "clear"),
        "option_ambiguity": {name: ["clear"] * 5 for name in voters},
        "reason": dict.fromkeys(voters, " Sabab kitu. "),
    }


def shifted() -> list[dict[str, Any]]:
    """One annotator's cells stand a column further left: words of ambiguity where certainty was asked for."""
    found = [a_row(n) for n in range(ROWS)]
    for n, row in enumerate(found):
        if "W5" in row["answers"]:
            row["answers_uncertainty"]["W5"] = "ambiguous" if n % 10 == 0 else "clear"
            row["question_ambiguity"]["W5"] = None
            row["option_ambiguity"]["W5"] = []
    return found


def taken(path: Path, given: list[dict[str, Any]], slug: str = "soal", *more: str) -> dict[str, Any]:
    path.write_text(json.dumps(given), encoding="utf-8")
    project_create(slug=slug, name=slug, preset="idcsqa", seed="s")
    return import_items(slug, path, *more)[1]


def released(slug: str, tmp_path: Path) -> tuple[Release, str]:
    while decide_due():
        pass
    out = tmp_path / "release"
    call_command("build_release", slug, "--out", str(out), "--no-licence", stdout=StringIO())
    call_command("verify_release", str(out), stdout=StringIO())
    return Release.objects.get(), (out / "README.md").read_text()


def test_a_file_whose_marks_are_shifted_imports_whole(tmp_path: Path) -> None:
    """Every row is stored and flagged, one line a person and column tells of the rest, and null is released."""
    given = shifted()
    report = taken(tmp_path / "sun.json", given)
    assert (report["accepted"], report["refused"], report["flagged"]) == (30, 0, 25)
    assert report["unread"] == [
        {"column": "answers_uncertainty", "person": "W5", "value": value, "count": count}
        for value, count in (("ambiguous", 2), ("clear", 23))
    ] + [{"column": "option_ambiguity", "person": "W5", "value": "", "count": 25}]
    assert report["columns_left"] == []
    found = Flag.objects.filter(code="failed_check", detail__checks__contains="marks_unread")
    assert found.count() == 25
    strange = Vote.objects.filter(annotator__pseudonym="W5")
    assert set(strange.values_list("unsure", "ambiguous")) == {(None, None)}
    assert set(Vote.objects.exclude(pk__in=strange).values_list("unsure", "ambiguous")) == {(False, False)}

    _, card = released("soal", tmp_path)
    out = {row["id"]: row for row in rows(Release.objects.get(), "test")}
    for row in given:
        mine = out[row["id"]]
        assert [mine[name] for name in ("question", "choices", "reason")] == [
            row[name] for name in ("question", "choices", "reason")
        ]
        for name in MARKS:
            want = dict(row[name])
            if "W5" in want:
                want["W5"] = [None] * 5 if name == "option_ambiguity" else None
            assert mine[name] == want
        assert mine["question_concept"] == row["question_concept"]
    votes = rows(Release.objects.get(), "votes")
    assert {vote["unsure"] for vote in votes if vote["annotator"] == "W5"} == {None}
    assert "What the voters had seen before they voted: imported; not known." in card
    assert "imported; released with Mufakat" in card


def test_what_a_shifted_column_means_can_be_said_and_is_released(tmp_path: Path) -> None:
    """A person's certainty holds words of ambiguity: they are said to be unknown, and the release says who and what."""
    said = [
        "--values",
        "answers_uncertainty:W5:clear=",
        "--values",
        "answers_uncertainty:W5:ambiguous=uncertain",
        "--values",
        "option_ambiguity:W5:=",
    ]
    report = taken(tmp_path / "sun.json", shifted(), "soal", *said)
    assert (report["accepted"], report["refused"], report["flagged"], report["unread"]) == (30, 0, 0, [])
    values = [
        {"column": "answers_uncertainty", "person": "W5", "value": value, "taken_for": to, "count": n}
        for value, to, n in (("ambiguous", "uncertain", 2), ("clear", "", 23))
    ]
    values.append({"column": "option_ambiguity", "person": "W5", "value": "", "taken_for": "", "count": 25})
    assert report["values"] == values
    strange = Vote.objects.filter(annotator__pseudonym="W5").values_list("unsure", flat=True)
    assert sorted(map(str, strange)) == ["None"] * 23 + ["True"] * 2

    release, card = released("soal", tmp_path)
    (told,) = release.manifest["imports"]
    assert told["values"] == [list(each.values()) for each in values]
    assert (told["name"], told["rows"]) == ("sun.json", {"accepted": 30, "unchanged": 0, "refused": 0})
    assert told["sha256"] == sha256((tmp_path / "sun.json").read_bytes()).hexdigest()
    assert "| answers\\_uncertainty | W5 | ambiguous | uncertain | 2 |" in card


def test_a_mark_that_is_missing_beside_others_is_flagged(tmp_path: Path) -> None:
    given = [a_row(n) for n in range(3)]
    name = next(iter(given[0]["answers"]))
    del given[0]["question_ambiguity"][name]
    report = taken(tmp_path / "few.json", given)
    assert (report["accepted"], report["flagged"]) == (3, 1)
    (told,) = report["unread"]
    assert told == {"column": "question_ambiguity", "person": name, "value": "", "count": 1}


@pytest.mark.parametrize("dry_run", [True, False])
def test_the_command_says_it_in_one_line(dry_run: bool, tmp_path: Path) -> None:
    path = tmp_path / "sun.json"
    path.write_text(json.dumps(shifted()), encoding="utf-8")
    project_create(slug="soal", name="soal", preset="idcsqa", seed="s")
    out = StringIO()
    call_command("import_items", "soal", str(path), *["--dry-run"] * dry_run, stdout=out, stderr=StringIO())
    told = out.getvalue().encode().decode("unicode_escape")
    assert "kept as unknown: answers_uncertainty, W5: “clear” 23×, “ambiguous” 2×, probably a shifted column\n" in told


@pytest.mark.parametrize("left", [MARKS[:1], MARKS[1:], MARKS])
def test_marks_without_a_column_are_released_as_null(left: tuple[str, ...], tmp_path: Path) -> None:
    given = [{name: value for name, value in a_row(n).items() if name not in left} for n in range(6)]
    report = taken(tmp_path / "few.json", given)
    assert (report["accepted"], report["flagged"], report["unread"]) == (6, 0, [])
    release, _ = released("soal", tmp_path)
    for row in rows(release, "test"):
        for name in MARKS:
            said = {json.dumps(value) for value in row[name].values()}
            known = {"answers_uncertainty": '"certain"', "question_ambiguity": '"clear"'}
            whole = known.get(name, json.dumps(["clear"] * 5))
            nothing = json.dumps([None] * 5) if name == "option_ambiguity" else "null"
            assert said == {nothing if name in left else whole}
    for vote in rows(release, "votes"):
        assert vote["unsure"] is (None if MARKS[0] in left else False)
        assert vote["ambiguous"] is (None if MARKS[1] in left else False)


def test_votes_without_names_are_nobodys(tmp_path: Path) -> None:
    """The card does not say that nobody wrote and four voted."""
    project = project_create(slug="pasar", name="pasar", preset="indonli-expert", seed="s")
    lines = [
        {"premise": f"Ibu membeli {n} mangga.", "hypothesis": f"Ibu membeli {n} buah.", "label": "e"}
        | {"votes": ["e", "e"]}
        for n in range(5)
    ]
    path = tmp_path / "pairs.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    assert import_items(project.slug, path)[1]["accepted"] == 5
    release, card = released("pasar", tmp_path)
    assert "Who wrote the items: imported; not known. Who gave the votes: imported; not known." in card
    assert "0 people" not in card
    assert "neither the author label" not in card
    assert {(vote["unsure"], vote["ambiguous"]) for vote in rows(release, "votes")} == {(None, None)}


def test_pages_say_unknown(tmp_path: Path, client: Client) -> None:
    """The report names the marks, the item's page says that its votes' marks are unknown."""
    taken(tmp_path / "sun.json", shifted())
    project = Project.objects.get()
    client.force_login(factory.user(administrator=True))
    at = f"/p/{project.slug}/"
    item = Vote.objects.filter(annotator__pseudonym="W5")[0].item
    page = client.get(f"{at}items/{item.pk}/").content.decode()
    assert page.count("certainty unknown") == page.count("ambiguity unknown") == 1
    assert "A mark cannot be read and is kept as unknown" in page
    report = client.get(f"{at}import/{project.imports.get().pk}/").content.decode()
    assert "answers_uncertainty, W5: “clear” 23×, “ambiguous” 2×" in report
