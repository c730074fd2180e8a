"""The convention tests' project of translations: the same people in the same roles, for two of three targets.

The second writer's target is another one than the writer's: what is theirs alone is not the writer's to reach.
"""

from collections.abc import Mapping
from dataclasses import replace

from annotation.content.models.item import Item
from annotation.content.models.source import Allocation
from annotation.content.models.units import SourceUnit
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project, Target
from annotation.core.models.user import User
from annotation.jobs.models import Import
from annotation.translation.actions.clean_up import StepIn, texts_change
from annotation.translation.actions.targets import target_create
from tests import translations
from tests.conventions.named_objects import Things, mark
from tests.review import assign, cast_vote
from validation.studies.actions.studies import study_create
from validation.studies.types.label_check import TYPE
from validation.voting.actions.assignments import assignment_claim
from validation.voting.actions.decide import decide_due

OWN_TARGET, OTHER_TARGET = "jv-ngoko", "su"


def with_translations(things: Things, crowd: Mapping[str, Annotator], administrator: User) -> Things:
    """A source set of pairs in three targets, with an approved, a waiting and an open translation of the writer."""
    project = translations.a_translation_project(f"{things.slug}-translated")
    rows = translations.pair_rows(12)
    rows[0] = replace(rows[0], texts={**rows[0].texts, "hypothesis": mark("source-text")})
    source = translations.a_source_set(project, rows)
    loose = translations.a_source_set(
        project, translations.sentence_rows(3), shape="sentence", key=f"loose-{things.slug}", frozen=False
    )
    target, units = translations.target_of(project, OWN_TARGET), list(source.units.order_by("position"))
    third = _third(project, things.slug)
    places = {
        name: translations.member(
            project,
            name.rpartition("-")[2],
            targets=(OTHER_TARGET,) if name == "second-writer" else (OWN_TARGET, third),
            account=crowd[name].user,
        )
        for name in ("writer", "second-writer", "validator", "lead")
        if name in crowd and not (name == "second-writer" and crowd[name] == crowd["writer"])
    }
    approved = translations.a_translation(units[0], target, places["writer"])
    Item.objects.filter(pk=approved.pk).update(stage="settled", gold="approve", gold_from="votes", due_at=None)
    translations.a_translation(units[1], target, places["writer"])
    allocation = translations.a_share(units[2], target, places["writer"])
    others = places.get("second-writer", places["writer"])
    hidden = translations.a_share(
        units[3],
        translations.target_of(project, OTHER_TARGET if others != places["writer"] else OWN_TARGET),
        others,
    )
    decide_due()
    validator = places.get("validator") or translations.member(project, "validator", targets=(OWN_TARGET,))
    assignment = assignment_claim(annotator=validator, target=target, spacing=0)
    assert assignment is not None
    sent = {"target": target.key, "source_set": source.key, "size": 2, "people": 1}
    slug = f"{project.slug}-labels"
    study_create(kind=TYPE, project=project, slug=slug, by=administrator, sent=sent)
    corrected = _corrected(units[5], target, places["writer"])
    return replace(
        things,
        translated=project.slug,
        target=third,
        translator=str(places["writer"].pk),
        source_set=source.key,
        loose_set=loose.key,
        unit=str(units[4].pk),
        **_cleaned(units[4]),
        source_import=str(_sent(project).pk),
        unit_share=allocation.token,
        others_unit_share=hidden.token,
        translation=str(approved.pk),
        review_assignment=assignment.token,
        corrected=str(corrected.pk),
        corrected_key=corrected.key,
    )


def _corrected(unit: SourceUnit, target: Target, translator: Annotator) -> Item:
    """A translation that a reviewer corrected, with words that only its translator and leads read."""
    item = translations.a_translation(unit, target, translator)
    decide_due()
    item.refresh_from_db()
    reviewer = translations.member(target.project, "validator", targets=(target.key,))
    better = {"field-premise": "Wong dodol pelem ing pasar esuk."}
    cast_vote(assign(item, reviewer), "correct", proposals=better, comment=mark("reviewers-words"))
    decide_due()
    item.key = f"{target.project.slug}-corrected"
    Item.objects.filter(pk=item.pk).update(key=item.key)
    return item


def _third(project: Project, of: str) -> str:
    """A target that the other project has not: its key. What leads wrote about it is marked."""
    words = [(mark("target-word").replace("=", "")[:80], "x")]
    made = target_create(
        project=project,
        language="qaa",
        name="Basa",
        register=of,
        description=mark("target-description"),
        words=words,
    )
    return made.key


def _cleaned(unit: SourceUnit) -> dict[str, str]:
    """A unit in which somebody fixed a typo: its row, and that step."""
    entry = unit.entries.order_by("position")[0]
    given = StepIn(entry.pk, unit.revision, None, words=mark("clean-up"))
    texts = {entry.fields["hypothesis"]: mark("cleaned")}
    done = texts_change(project=unit.project, unit_id=unit.pk, what="typo", texts=texts, given=given)
    return {"row": str(entry.pk), "step": str(done.steps[0].pk)}


def _sent(project: Project) -> Import:
    """A file of rows that was sent and not made a set of; the file itself is gone."""
    columns = [mark("source-column"), "id", "text"]
    mapping = {
        "set": {"key": "one-more", "name": mark("set-name"), "shape": "sentence", "task": "sentences"},
        "where": [],
        "fields": {"id": "id", "text": "text"},
        "columns": columns,
        "format": "csv",
        "lines": 2,
    }
    return Import.objects.create(
        project=project, name=mark("source-file"), path="0" * 32, what="source_set", mapping=mapping
    )


def colleagues_objects(own: Things) -> dict[str, str]:
    """What is a colleague's there, under the names that `own` has for the writer's."""
    allocation = Allocation.objects.get(token=own.others_unit_share)
    return {"unit_share": allocation.token, "target": OTHER_TARGET}
