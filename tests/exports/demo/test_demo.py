"""`manage.py load_demo`: all six projects with something in every state, the log-ins once, and only once."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from annotation.content.models.item import Item, Revision
from annotation.content.models.source import Concept, Draft
from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.elicitation.models import ElicitationAnswer, SecondLook, Session, Suggestion
from annotation.generation.actions.runs import run_go_on
from annotation.generation.models import Call, GenerationRun
from annotation.translation.models import CleanUp
from exports.demo import machine, models, prompts, questions, story, translations
from exports.releases.models import Release
from exports.releases.verify import verify
from tests.exports import offers
from tests.exports.world import folder
from tests.pay import ledger_rows
from validation.review.models.assessment import Assessment
from validation.studies.models import Study
from validation.studies.types.rating import tally_of
from validation.voting.models.assignment import Assignment
from validation.voting.models.review import Flag
from validation.voting.models.vote import Vote
from validation.voting.rules.flags import MISSED_BY_MODELS

pytestmark = pytest.mark.django_db


def stages(project: Project) -> set[str]:
    return set(Item.objects.filter(project=project).values_list("stage", flat=True))


@pytest.mark.timeout(600)  # two minutes and a half where four others are at work on two cores
def test_the_projects_are_loaded_once_with_something_to_see_everywhere() -> None:
    said = StringIO()
    call_command("load_demo", stdout=said)
    lines = said.getvalue().splitlines()
    assert [line.split()[-2] for line in lines[1:]] == [
        "admin@demo.example",
        "lead@demo.example",
        "writer@demo.example",
        "validator@demo.example",
    ]
    assert all(User.objects.get(email=line.split()[-2]).check_password(line.split()[-1]) for line in lines[1:])
    pairs, asked = Project.objects.get(slug=story.SLUG), Project.objects.get(slug=questions.SLUG)
    assert stages(pairs) >= {"written", "voting", "settled", "no_consensus", "returned", "corrected"}
    assert stages(asked) == {"submitted", "voting", "settled", "returned", "corrected", "excluded"}
    assert set(Concept.objects.values_list("state", flat=True)) == set(Concept.State.values)
    assert Draft.objects.filter(project=asked, allocation__state="open").count() == questions.DRAFTS
    assert {"ambiguous", "unsure", "returned_twice"} <= set(
        Flag.objects.filter(project=asked, closed_at=None).values_list("code", flat=True)
    )
    # The log-in that is shown finds something that came back, and something to write.
    writer = asked.annotators.get(user__email="writer@demo.example")
    assert writer.items.filter(stage="returned").exists()
    assert writer.allocations.filter(state="open").exists()
    assert Vote.objects.filter(project=asked, label="").count() == 0
    assert [release.job.state for release in Release.objects.all() if release.job] == ["done"] * 6
    for release in Release.objects.all():
        verified = verify(folder(release))
        assert verified.right, [fault for check in verified.checks for fault in check.faults]
        assert verified.rebuilt is not None
    _prompts_have_something_everywhere(Project.objects.get(slug=prompts.SLUG))
    _translations_have_something_everywhere(Project.objects.get(slug=translations.SLUG))
    _releases_are_shown()
    _a_broken_gold_is_suspected()
    assert offers.broken_offers() == []
    _machines_have_something_everywhere()
    # Once somebody has passed all that the queue had for them, no page promises them more of it.
    offers.pass_everything()
    assert offers.broken_offers() == []
    for slug in (questions.SLUG, prompts.SLUG, translations.SLUG, machine.SETS_SLUG, machine.REVIEW_SLUG):
        call_command("check_integrity", slug, stdout=StringIO())
    with pytest.raises(CommandError, match="already"):
        call_command("load_demo", stdout=said)


def _machines_have_something_everywhere() -> None:
    """One run is through, with easy and hard questions and some dropped; one waits to be replayed; one is checked."""
    through, replay, checked = GenerationRun.objects.order_by("project__slug", "n")
    assert (through.state, replay.state, replay.until, checked.state) == (
        "done",
        "paused",
        "question",
        "done",
    )
    assert set(through.candidates.values_list("state", flat=True)) == {"kept", "dropped"}
    assert set(through.candidates.filter(state="kept").values_list("content__made__level", flat=True)) == {
        "easy",
        "hard",
    }
    assert stages(through.project) == {"written", "voting", "settled", "no_consensus"}
    assert stages(checked.project) == {"submitted", "written"}
    assert Assessment.objects.exclude(error="").exists()
    # Nothing was asked of anybody, and the replay finds every answer.
    for step in ("refinement", "distractors", "answering"):
        run_go_on(run=replay, by=None, step=step)
        machine.finish(replay)
        replay.refresh_from_db()
    assert (replay.state, replay.candidates.filter(state="making").count()) == ("done", 0)
    assert not Call.objects.exclude(endpoint__address="", state="answered").exists()


def _prompts_have_something_everywhere(asked: Project) -> None:
    """Answers at hand, proposals in every state, looks that miss something, votes of three, one rated set."""
    assert {"submitted", "voting", "settled"} <= stages(asked)
    assert ElicitationAnswer.objects.filter(project=asked).exclude(topic=None).exists()
    assert set(Concept.objects.filter(project=asked).values_list("extra__source", flat=True)) == {
        "searches",
        "brainstorming",
        "group",
    }
    purposes = Session.objects.filter(project=asked).values_list("purpose", flat=True)
    assert sorted(purposes) == ["elicitation", "review", "review"]
    proposed = set(Suggestion.objects.filter(project=asked).values_list("state", flat=True))
    assert proposed == {"accepted", "declined", "open"}
    looks = SecondLook.objects.filter(project=asked)
    assert looks.filter(natural=False).exclude(words="").exists()
    makers = asked.annotators.filter(is_writer=True) | asked.annotators.filter(is_reviewer=True)
    assert Vote.objects.filter(project=asked).exists()
    assert not Vote.objects.filter(annotator__in=makers).exists()
    settled = Item.objects.filter(project=asked, stage="settled")
    assert {item.votes.count() for item in settled} == {3}
    rating = Study.objects.get(derived_from=asked)
    assert rating.project.closed_at is not None
    assert set(rating.project.items.values_list("votes_n", flat=True)) == {3}
    assert tally_of(rating).waiting == 0
    assert rating.rows.count() == 7 * 2
    # The log-in of the validator finds a prompt, that of the writer one to go on with.
    validator = asked.annotators.get(user__email="validator@demo.example")
    waiting = Item.objects.filter(project=asked, stage="voting")
    assert waiting.exclude(pk__in=Assignment.objects.filter(annotator=validator).values("item")).exists()
    assert asked.annotators.get(user__email="writer@demo.example").allocations.filter(state="open").exists()


def _releases_are_shown() -> None:
    """Each project's release and the preview of its next; its card tells of its people what gives none away."""
    client = Client()
    client.force_login(User.objects.get(email="admin@demo.example"))
    for slug in (story.SLUG, questions.SLUG, prompts.SLUG, translations.SLUG):
        for page in ("1", "new"):
            assert client.get(f"/p/{slug}/releases/{page}/").status_code == 200, (slug, page)
    card = client.get(f"/p/{story.SLUG}/releases/1/files/README.md")
    said = b"".join(card.streaming_content).decode()  # type: ignore[attr-defined]
    assert "CC0-1.0" in said
    assert "They are no test set" in said
    assert "Native language" in said


def _a_broken_gold_is_suspected() -> None:
    """All three made-up models miss the one pair on whose wrong label people agreed; the baseline is no model."""
    (flag,) = Flag.objects.filter(code=MISSED_BY_MODELS).select_related("item__hypothesis")
    assert (flag.item.key, flag.item.gold, bool(flag.item.doubt)) == ("kereta-01-e1", "e", True)
    # It stands there since the second of them.
    assert flag.detail["models"] == 2
    client = Client()
    client.force_login(User.objects.get(email="lead@demo.example"))
    desk = client.get(f"/p/{story.SLUG}/desk/", {"flag": MISSED_BY_MODELS}).content.decode()
    assert "pukul 09.15" in desk
    results = client.get(f"/p/{story.SLUG}/releases/1/predictions/").content.decode()
    assert all(name in results for name in (*models.MODELS, "(baseline)"))


def _translations_have_something_everywhere(project: Project) -> None:
    for target in project.targets.all():
        assert {"voting", "settled"} <= set(Item.objects.filter(target=target).values_list("stage", flat=True))
        assert target.words
    assert "returned" in stages(project)
    corrected = Revision.objects.filter(project=project, event="take_correction")
    assert corrected.count() == 2
    assert set(CleanUp.objects.filter(project=project).values_list("what", flat=True)) == {
        "removed",
        "distractor",
        "unanswerable",
    }
    assert Draft.objects.filter(project=project, allocation__state="open").count() == 2
    writer = project.annotators.get(user__email="writer@demo.example")
    assert writer.allocations.filter(state="open").exists()
    assert ledger_rows(project, writer)
    release = Release.objects.get(project=project)
    assert {"nli/en.jsonl", "nli/id-resmi.jsonl", "open-qa/test/id-santai.jsonl"} <= set(release.manifest["files"])
