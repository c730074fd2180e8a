"""What a kind is: a few parts that forms, pages, jobs and exports read; none of them names a kind."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from annotation.answers import ShownItem, marks_places, type_of
from annotation.kinds.forms import TextField
from annotation.kinds.partial_input import PartialInput
from annotation.kinds.parts import Authoring, Export, Presentation, QuestionPart, SourcePart
from annotation.kinds.shapes import Shape
from annotation.kinds.texts import option_field, text_at
from annotation.text.tokens import word_count


@dataclass(frozen=True)
class Kind:
    """The sort of item: what its writers fill in, its voters are asked and its releases hold (domain.md §1).

    `shape` is how contents are stored, `source` what writers start from, `authoring` what they hand in, `question` what
    voters are asked, `presentation` what is shown, `export` what files hold. `features` are parts of the platform that
    its projects have, `settings` those project settings that mean something for it and not for every kind.
    `partial_input` is what of an item is read alone; None: nothing can be told from a part.
    """

    slug: str
    name: str
    shape: Shape
    source: SourcePart
    authoring: Authoring
    question: QuestionPart
    presentation: Presentation
    export: Export
    features: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    partial_input: PartialInput | None = None

    @property
    def file_format(self) -> str:
        """How files hold its items: the columns that imports read, the forms that dumps are written in."""
        return self.export.file_format or self.shape.file_format

    @property
    def excludes_family_contributors(self) -> bool:
        """Whether nobody votes on an item who took part in making or reviewing one of its family."""
        return "group_review" in self.features

    @property
    def has_writers(self) -> bool:
        """Whether people write its items, who are then spoken of; elsewhere they are imported ready."""
        return "ready" not in self.features

    @property
    def has_author_labels(self) -> bool:
        """Whether whoever writes an item may say its label too, which votes are then compared with."""
        return self.has_writers and "unlabelled" not in self.features

    @property
    def can_ask_gold(self) -> bool:
        """Whether gold questions and a quiz can be asked: an answer can be known, and is no taste and no review."""
        asked = self.question.leaf_questions()
        known = not asked or any(type_of(question).known_answer_form for question in asked)
        return known and not (self.excludes_family_contributors or "review" in self.features)

    @property
    def asks_for_places(self) -> bool:
        """Whether voters mark places in a text, which a correction can take away."""
        return marks_places(self.question.questions)

    def card_view(self, content: Mapping[str, Any], order: Sequence[str] = ()) -> ShownItem:
        """What answer types read of one item; `order`: the keys of what is shuffled, as they are shown."""
        asked, names = self.question, {text.key: text.name for text in self.presentation.texts_in(content)}
        own = {label.key: label for label in asked.votable_labels(content)} if asked.own_options else {}
        keys = [key for key in order if key in own] or list(own)
        options = tuple(replace(own[key], letter=place.letter) for key, place in zip(keys, asked.labels, strict=False))
        swapped = asked.compared_texts if order and tuple(order) == asked.shuffled_sides[::-1] else ()
        return ShownItem({key: text_at(content, key) for key in names}, options, tuple(order), names, swapped)

    def correctable_texts(self, content: Mapping[str, Any]) -> tuple[TextField, ...]:
        """Every text of one item that can be corrected: the kind's, and the item's own options."""
        texts = self.presentation.texts_in(content)
        if not self.question.own_options:
            return texts
        keys = (str(option["key"]) for option in content.get("options", ()))
        return (*texts, *(TextField(option_field(key), key) for key in keys))

    def count_shown_words(self, content: Mapping[str, Any]) -> int:
        """How many words a validator is shown (ruling 18)."""
        shown = [text.key for text in self.presentation.texts_in(content) if text.shown]
        texts = [text_at(content, key) for key in shown]
        texts += [self.presentation.source_text(content, key) for key in shown]
        asked = self.question
        options = [label.name for label in asked.votable_labels(content)] if asked.own_options else []
        return sum(map(word_count, (*texts, *options)))
