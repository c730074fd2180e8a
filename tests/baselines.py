"""Projects with gold for diagnostic sets and human baselines: tables filled, or brought there by votes."""

from collections.abc import Sequence
from typing import Any

from annotation.content.models.item import Item, Revision
from annotation.core.actions.members import annotator_add
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.core.models.user import User
from exports.baselines import study as baselines
from tests import factory, review
from validation.studies.actions.studies import study_create
from validation.studies.models import Study, StudyRow
from validation.studies.rules.phenomena_task import QUESTION
from validation.studies.types import diagnostic
from validation.voting.actions.assignments import assignment_claim
from validation.voting.models.vote import Vote

TAGS = (["NUM"], ["NEG", "CS"], ["SEMLEX"])


def a_gold_project(slug: str = "", *, sets: int = 2, writers: int = 2, **fields: Any) -> Project:
    """Sets of six pairs by each of these writers, all with the author's label as gold; tags stand in their content."""
    project = factory.project(slug, **fields)
    for _ in range(writers):
        factory.written_pairs(project, factory.member(project, "writer"), sets)
    make_gold(project)
    return project


def make_gold(project: Project) -> None:
    """Every pair is settled, as far as its row says; straight into the tables."""
    items = list(Item.objects.filter(project=project).order_by("pk"))
    for n, item in enumerate(items):
        Item.objects.filter(pk=item.pk).update(
            stage="settled",
            gold=item.author_label,
            gold_from="votes",
            round=1,
            due_at=None,
            slots_free=0,
            pending=0,
        )
        revision = Revision.objects.get(item=item, n=item.revision_n)
        revision.content = {**revision.content, "tags": TAGS[n % 3]}
        revision.save()


def _slug(project: Project) -> str:
    return f"{project.slug}-s{Study.objects.filter(derived_from=project).count() + 1}"


def a_set(project: Project, experts: Sequence[Annotator], *, size: int = 650, by: User | None = None) -> Study:
    """A diagnostic set, which these experts go through; its items are open to them."""
    made = study_create(
        kind=diagnostic.TYPE,
        project=project,
        slug=_slug(project),
        sent={"size": size},
        members=[each.pk for each in experts],
        by=by or factory.user(administrator=True),
    )
    review.decide()
    return made


def member_in_study(study: Study, person: Annotator) -> Annotator:
    """The same person in the project of a study."""
    return Annotator.objects.get(project=study.project, user=person.user)


def confirm_tags(study: Study, person: Annotator, tags: Sequence[str], row: StudyRow | None = None) -> StudyRow:
    """Have an expert say these tags of a row, or of what they are given next; decided."""
    expert = member_in_study(study, person)
    if row is None:
        target = study.project.targets.get()
        assignment = assignment_claim(annotator=expert, target=target, spacing=0)
        assert assignment is not None
    else:
        assignment = review.assign(row.item, expert)
    review.cast_vote(assignment, "", answers={QUESTION: [tag.lower() for tag in tags]})
    review.decide()
    return StudyRow.objects.select_related("item", "of_item").get(item=assignment.item_id)


def a_baseline(project: Project, of: Any, *, size: int = 6, by: User | None = None, **more: Any) -> Study:
    """A human baseline of one source, with three examples; its items are open."""
    sources = more.pop("sources", {of: size})
    named = {f"{'set' if isinstance(each, Study) else 'release'}-{each.pk}": n for each, n in sources.items()}
    made = study_create(
        kind=baselines.TYPE,
        project=project,
        slug=_slug(project),
        by=by or factory.user(administrator=True),
        sent={
            **{baselines.SOURCE + name: n for name, n in named.items()},
            "people": 3,
            "examples": 3,
            "task": "Does it follow?",
            **more,
        },
    )
    review.decide()
    return made


def an_outsider(study: Study, account: User | None = None) -> Annotator:
    """Somebody who answers a human baseline."""
    return annotator_add(project=study.project, user=account or factory.user(), validator=True)


def answer_items(person: Annotator, label: str, n: int = 99) -> int:
    """Answer so many items with this label; how many there were."""
    target = person.project.targets.get()
    for done in range(n):
        assignment = assignment_claim(annotator=person, target=target, spacing=0)
        if assignment is None:
            return done
        review.cast_vote(assignment, label)
        review.decide()
    return n


def standing_answers(study: Study) -> dict[str, str]:
    """What stands of everybody's answers: pseudonym to labels, in the order of the items."""
    votes = Vote.objects.filter(project=study.project, withdrawn_at=None).order_by("item__key")
    found: dict[str, str] = {}
    for who, label in votes.values_list("annotator__pseudonym", "label"):
        found[who] = found.get(who, "") + label
    return found
