"""`manage.py load_demo`: both projects with something in every state, the log-ins once, and only once."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Concept, Draft, Item, Project, User
from exports.demo import questions, story
from exports.models import Release
from validation.models import Flag, Vote

pytestmark = pytest.mark.django_db


def stages(project: Project) -> set[str]:
    return set(Item.objects.filter(project=project).values_list("stage", flat=True))


def test_both_projects_are_loaded_once_with_something_to_see_everywhere() -> None:
    said = StringIO()
    call_command("load_demo", stdout=said)
    lines = said.getvalue().splitlines()
    assert [line.split()[-2] for line in lines[1:]] == [
        "admin@demo.example",
        "lead@demo.example",
        "writer@demo.example",
        "validator@demo.example",
    ]
    assert all(
        User.objects.get(email=line.split()[-2]).check_password(line.split()[-1]) for line in lines[1:]
    )
    pairs, asked = Project.objects.get(slug=story.SLUG), Project.objects.get(slug=questions.SLUG)
    assert stages(pairs) >= {"written", "voting", "settled", "no_consensus", "returned", "corrected"}
    assert stages(asked) == {"submitted", "voting", "settled", "returned", "corrected", "excluded"}
    assert set(Concept.objects.values_list("state", flat=True)) == set(Concept.State.values)
    assert Draft.objects.filter(project=asked, share__state="open").count() == questions.DRAFTS
    assert {"ambiguous", "unsure", "returned_twice"} <= set(
        Flag.objects.filter(project=asked, closed_at=None).values_list("code", flat=True)
    )
    # The log-in that is shown finds something that came back, and something to write.
    writer = asked.annotators.get(user__email="writer@demo.example")
    assert writer.items.filter(stage="returned").exists()
    assert writer.shares.filter(state="open").exists()
    assert Vote.objects.filter(project=asked, label="").count() == 0
    assert [release.job.state for release in Release.objects.all() if release.job] == ["done", "done"]
    call_command("check_integrity", questions.SLUG, stdout=StringIO())
    with pytest.raises(CommandError, match="already"):
        call_command("load_demo", stdout=said)
