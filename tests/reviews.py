"""A translation on its way through review, for tests: a translator, reviewers, a lead, and what each does."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from annotation.content.models.item import Item
from annotation.content.models.units import SourceUnit
from annotation.core.errors import Refusal
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project, Target
from tests import factory, translations
from tests.review import assign, cast_vote, decide
from validation import integrity
from validation.review.actions.answers import correction_accept, correction_dispute
from validation.review.actions.writers import resubmit as review_resubmit

WORDS = "The number is another one than in the source."
CORRECTED_TEXT = "Wong dodol pelem ing pasar esuk."


@contextmanager
def refused(kind: type[Refusal], code: str) -> Iterator[None]:
    """What is done here is refused, for this reason."""
    with pytest.raises(kind) as caught:
        yield
    assert caught.value.code == code


@dataclass
class TranslationReviewWorld:
    """A project into one target under review, with who works there."""

    project: Project
    target: Target
    units: list[SourceUnit]
    translator: Annotator
    reviewers: list[Annotator]
    lead: Annotator
    items: list[Item]

    @property
    def item(self) -> Item:
        """The first translation as it stands now."""
        return Item.objects.select_related("project", "target", "author").get(pk=self.items[0].pk)

    def vote(self, label: str, by: int = 0, **more: Any) -> Item:
        """One reviewer votes on the first translation, and the system decides."""
        cast_vote(assign(self.item, self.reviewers[by]), label, **more)
        decide()
        return self.item

    def correct(self, by: int = 0, text: str = CORRECTED_TEXT, comment: str = "") -> Item:
        return self.vote("correct", by, proposals={"field-premise": text}, comment=comment)

    def send_back(self, by: int = 0, words: str = WORDS, error: str = "number") -> Item:
        return self.vote("return", by, comment=words, answers={"error": error})

    def resubmit(self, text: str = CORRECTED_TEXT, words: str = "") -> Item:
        """The translator hands in again; an empty text leaves it as it is."""
        item = self.item
        written = translations.translated_slots(self.units[0], self.target)
        if text:
            written = translations.translated_slots(
                self.units[0],
                self.target,
                {key.removeprefix("field-"): said for key, said in {**written.more, "field-premise": text}.items()},
            )
        done = review_resubmit(
            writer=self.translator, item_id=item.pk, version=item.version, content=written, words=words
        )
        decide()
        return done

    def accept(self) -> Item:
        item = self.item
        return correction_accept(writer=self.translator, item_id=item.pk, revision=item.revision_n)

    def dispute(self, words: str = "That is another word.") -> Item:
        item = self.item
        return correction_dispute(writer=self.translator, item_id=item.pk, revision=item.revision_n, words=words)

    def sound(self) -> None:
        """Nothing about the project is other than it must be."""
        decide()
        assert list(integrity.run(project=self.project)) == []


def translation_review_world(
    pairs: int = 2, *, reviewers: int = 4, opened: bool = True, **project: Any
) -> TranslationReviewWorld:
    """A project whose first premise was translated by one person into one target, offered to reviewers."""
    made = translations.a_translation_project(**project)
    target = translations.target_of(made)
    units = list(translations.a_source_set(made, translations.pair_rows(pairs)).units.order_by("position"))
    translator = translations.member(made, "writer", "validator")
    items = [translations.a_translation(unit, target, translator) for unit in units]
    if opened:
        decide()
    return TranslationReviewWorld(
        made,
        target,
        units,
        translator,
        [translations.member(made, "validator") for _ in range(reviewers)],
        factory.member(made, "lead"),
        items,
    )
