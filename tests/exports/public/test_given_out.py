"""Gold questions, quiz items and training items against what everybody may have: pages, DOIs, hubs; from both sides."""

import json
from collections.abc import Callable
from functools import partial
from io import StringIO
from typing import Any

import pytest
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from annotation.content.models.item import Item, Revision
from annotation.content.models.units import SourceSet, SourceUnit
from annotation.core.errors import Conflict
from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.translation.models import SourceEntry
from exports.public.actions import publication_set
from exports.public.given_out import given_out
from exports.public.queries import reveals_open_votes
from exports.releases.models import Release, ReleaseSource
from tests import factory, review
from tests.exports.releases.test_pages import client
from tests.exports.world import build, freeze
from tests.hub_server import TOKEN, hub_server
from tests.quality import lead_of
from validation.qualification.actions import quiz_item_add, quiz_items_draw, quiz_watch
from validation.qualification.models import QuizItem
from validation.quality.actions.gold import gold_add, gold_add_unanimous, gold_watch
from validation.quality.models import GoldQuestion
from validation.studies.models import Study, StudyRow

pytestmark = pytest.mark.django_db
SAID = {"title": "Pasar", "creators": "Tim", "publisher": "Lembaga", "year": "2026", "public": "yes"}
TOLD = {"title": "Pasar", "creators": [["Tim", "", ""]], "publisher": "Lembaga", "year": 2026}


@pytest.fixture
def boss() -> User:
    cache.clear()
    return factory.user(administrator=True)


def settled_world(sets: int = 4, each: int = 3, **project: Any) -> review.World:
    """So many premises; of each three pairs are settled, three wait, on which nobody has voted."""
    at = review.world(sets, settings={"spacing": 0, "gold_questions": True}, slug="own", seed="s1", **project)
    settle(at, at.items, each)
    return at


def settle(at: review.World, items: list[Item], each: int) -> None:
    for item in [item for item in items if item.slot in ("e1", "n1", "c1", "e2", "n2")[:each]]:
        review.cast_votes(at, item, item.author_label * 2)


def frozen(at: review.World) -> Release:
    return build(freeze(at, dev_percent="0"))


def published(release: Release, **more: Any) -> Release:
    publication_set(release=release, by=None, public=True, told=TOLD, **more)
    return release


def read_by_everybody(release: Release) -> set[tuple[str, str]]:
    """What an attacker without an account has: premise and hypothesis of every row with a label."""
    known = set()
    for name in release.manifest["files"]:
        if name.endswith(".jsonl") and not name.startswith("hidden/"):
            answer: Any = Client().get(reverse("public_file", args=["own", release.n, name]))
            for line in b"".join(answer.streaming_content).splitlines():
                row = json.loads(line)
                if "hypothesis" in row and "label" in row:
                    known.add((row["premise"], row["hypothesis"]))
    assert known
    return known


def open_gold() -> list[Item]:
    """The copies that people can be asked."""
    return list(Item.objects.filter(gold_question__retired_at=None, gold_question__isnull=False, slots_free__gt=0))


def recognised(known: set[tuple[str, str]]) -> int:
    contents = Revision.objects.filter(item__in=open_gold()).values_list("content", flat=True)
    premises = {premise for premise, _ in known}
    return sum((texts["premise"], texts["hypothesis"]) in known or texts["premise"] in premises for texts in contents)


def refused(act: Callable[[], object]) -> str:
    with pytest.raises(Conflict) as found:
        act()
    return found.value.code


def test_a_release_that_would_tell_twelve_gold_questions_is_refused_until_they_are_taken_out(boss: User) -> None:
    at = settled_world()
    assert gold_add_unanimous(project=at.project, count=12, by=lead_of(at)) == 12
    release = frozen(at)
    assert reveals_open_votes(release)
    change = reverse("publication", args=["own", release.n])
    form = client(boss).get(change).content.decode()
    assert "Gold questions: 12. Quiz items: 0." in form
    answer = client(boss).post(change, SAID)
    assert answer.status_code == 409
    assert "hold the answers to gold questions or quiz items" in answer.content.decode()
    assert len(open_gold()) == 12
    assert not Release.objects.filter(published_at__isnull=False).exists()
    assert client(boss).post(change, {**SAID, "take_out": "yes"}).status_code == 302
    known = read_by_everybody(release)
    assert (len(known) >= 12, recognised(known), len(open_gold())) == (True, 0, 0)
    assert set(GoldQuestion.objects.values_list("retired_why", flat=True)) == {"public"}
    assert not reveals_open_votes(release)
    page = client(at.lead.user).get(reverse("quality_gold", args=["own"])).content.decode()
    assert "its source stands in a published release" in page
    assert "No gold question can be asked now" in page


def test_what_was_published_is_asked_in_nothing(boss: User) -> None:
    """Not as gold, in no quiz, in no training round; of its source nothing that is settled later; and not after the
    page was closed."""
    at = settled_world()
    release = published(frozen(at))
    publication_set(release=release, by=None, public=False, told=TOLD)
    project, by = at.project, lead_of(at)
    first = at.items[0]
    review.cast_votes(at, at.items[1], at.items[1].author_label * 2)
    question: dict[str, Any] = {"project": project, "accepted": ["e"], "by": by}
    ways: list[dict[str, Any]] = [{}, {"training": True}, {"role": "writer"}]
    acts: list[Callable[..., object]] = [partial(gold_add, **question)]
    acts += [partial(quiz_item_add, **question, **more) for more in ways]
    for item in (first, at.items[1]):
        for act in acts:
            assert refused(partial(act, item_id=item.pk)) == "gold_given_out"
    assert gold_add_unanimous(project=project, count=12, by=by) == 0
    assert quiz_items_draw(project=project, count=12, training=False, by=by) == 0
    # Items of sources that no file has are drawn, and nobody recognises them.
    later = factory.written_pairs(project, at.writer, 4)
    review.decide()
    settle(at, later, 3)
    assert gold_add_unanimous(project=project, count=12, by=by) == 12
    assert recognised(read_again(release, boss)) == 0


def read_again(release: Release, boss: User) -> set[tuple[str, str]]:
    """The page opened again: what it gives away was given away before."""
    assert client(boss).post(reverse("publication", args=["own", release.n]), SAID).status_code == 302
    return read_by_everybody(release)


def test_quiz_and_training_are_looked_at_too_and_so_is_a_doi(boss: User) -> None:
    at = settled_world(sets=1)
    quiz_items_draw(project=at.project, count=1, training=False, by=lead_of(at))
    quiz_items_draw(project=at.project, count=1, training=True, by=lead_of(at))
    release = frozen(at)
    with_doi = {**TOLD, "doi": "10.5281/zenodo.1"}
    keep: dict[str, Any] = {"release": release, "by": None, "public": False}
    publication_set(**keep, told=TOLD)
    assert given_out([item.pk for item in at.items]) == set()
    assert refused(lambda: publication_set(**keep, told=with_doi)) == "publication_questions"
    publication_set(**keep, told=with_doi, take_out=True)
    assert QuizItem.objects.filter(retired_at=None).count() == 0
    assert given_out([item.pk for item in at.items]) == {item.pk for item in at.items}


def test_a_push_gives_out_what_a_page_does(boss: User, settings: Any) -> None:
    """Also into a private repository: whoever owns it can open it, and nobody here learns of that."""
    at = settled_world(sets=1)
    gold_add_unanimous(project=at.project, count=3, by=lead_of(at))
    release = frozen(at)
    pushed = ["push_release", "own", str(release.n), "team/pasar", "--private"]
    with hub_server() as hub:
        settings.MUFAKAT_HUB_URL, settings.MUFAKAT_HUB_TOKEN = hub.url, TOKEN
        with pytest.raises(CommandError, match="--take-out-questions"):
            call_command(*pushed)
        assert hub.repositories == {}
        call_command(*pushed, "--dry-run", stdout=StringIO())
        assert len(open_gold()) == 3
        call_command(*pushed, "--take-out-questions", stdout=StringIO())
        assert hub.repositories["team/pasar"]
        hub.private["team/pasar"], commits = False, len(hub.commits)
        with pytest.raises(CommandError, match="everybody can read it"):
            call_command(*pushed, stdout=StringIO())
        assert len(hub.commits) == commits
    assert open_gold() == []
    assert refused(lambda: gold_add(project=at.project, item_id=at.items[0].pk, accepted=["e"], by=lead_of(at)))


def another(first: int) -> tuple[Project, Item]:
    """Another project, with the text of the premise of this number."""
    made = factory.project()
    factory.premises(made, 1, start=first)
    return made, factory.written_pairs_of(made, factory.member(made, "writer"))[0]


def test_other_projects_with_the_same_source_give_it_out() -> None:
    """The same text, a study of an item, a set for translators: each way round, and one through the other."""
    at = settled_world(sets=2)
    one, other = at.items[0], at.items[6]
    (_, same), (twin, unlike), third = another(1), another(8), factory.project()
    items = [one.pk, other.pk, same.pk, unlike.pk]
    assert given_out(items) == set()
    release = published(frozen(at))
    assert given_out(items) == {one.pk, other.pk, same.pk}
    study = Study.objects.create(project=twin, derived_from=at.project, kind="label-check", n=1, seed="s")
    StudyRow.objects.create(study=study, item=unlike, of_item=other, revision_n=1, position=1)
    assert given_out(items) == {one.pk, other.pk, same.pk, unlike.pk}
    translated = source_set_of(third, unlike)
    Release.objects.filter(pk=release.pk).update(published_at=None)
    assert given_out(items) == set()
    # What is translated stands in the release of the translations, with its label.
    sources = Release.objects.create(project=third, n=1, state=Release.State.READY, published_at=release.at)
    row = {"task": "nli", "shape": "nli", "unit": "u1", "unit_revision": 1, "position": 1, "data": {}, "names": {}}
    texts = {"texts": {}, "unanswerable": False}
    ReleaseSource.objects.create(release=sources, source_set=translated.key, key="row", **row, **texts)
    assert given_out(items) == {other.pk, unlike.pk}


def source_set_of(project: Project, upstream: Item) -> SourceSet:
    made = SourceSet.objects.create(project=project, key="set", name="Set", task="nli", shape="nli")
    unit = SourceUnit.objects.create(
        project=project, source_set=made, key="u1", position=1, fields=[], sentences=1, words=1
    )
    SourceEntry.objects.create(source_set=made, unit=unit, key="row", position=1, fields={}, upstream=upstream)
    return made


def test_the_sweep_takes_out_what_was_published_at_the_same_moment() -> None:
    """Of another project with the same text, whose lock nobody waits for."""
    at = settled_world(sets=2)
    gold_add_unanimous(project=at.project, count=1, by=lead_of(at))
    quiz_items_draw(project=at.project, count=2, training=False, by=lead_of(at))
    release = frozen(at)
    Release.objects.filter(pk=release.pk).update(published_at=release.at)
    gold_watch()
    quiz_watch()
    assert set(GoldQuestion.objects.values_list("retired_why", flat=True)) == {"public"}
    assert not QuizItem.objects.filter(retired_at=None).exists()
