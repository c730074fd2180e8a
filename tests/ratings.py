"""Ratings for tests: a cultural project with prompts, models' outputs for them, and people who rate."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import pytest

from annotation.content.models.item import Item
from annotation.core.access import targets_of
from annotation.core.errors import Refusal
from annotation.core.models.member import Annotator
from annotation.core.models.project import Project
from annotation.core.models.user import User
from tests import factory
from tests.prompts import a_prompt, a_prompt_project
from validation.imports.rules.outputs import OutputRow
from validation.studies.actions.studies import study_create
from validation.studies.models import Study
from validation.studies.types.rating import QUESTION, TYPE
from validation.voting.actions.assignments import assignment_claim_among
from validation.voting.actions.ballots import Ballot
from validation.voting.actions.decide import decide_due
from validation.voting.actions.votes import vote_cast
from validation.voting.models.assignment import Assignment

MODELS = ("canary-model-ant", "canary-model-bee")
YES_TO_ALL = dict.fromkeys(
    ("factuality", "grammaticality", "spelling", "coherence", "actionability", "sensitivity", "legality"),
    "yes",
)


@contextmanager
def refused(code: str) -> Iterator[None]:
    """What stands in this block is refused for this reason."""
    with pytest.raises(Refusal) as found:
        yield
    assert found.value.code == code


@dataclass
class RatedWorld:
    """A project with its prompts, raters (members of it), and a lead."""

    project: Project
    prompts: list[Item]
    raters: list[Annotator]
    lead: Annotator

    @property
    def by(self) -> User:
        assert self.lead.user is not None
        return self.lead.user

    def rows(self) -> list[OutputRow]:
        """An output of every model for every prompt."""
        return [
            OutputRow(n, item.key, model, f"Jawaban {number}.{place}: salami tuan rumah dan tunggu dipersilakan.")
            for n, (number, item, place, model) in enumerate(
                (
                    (number, item, place, model)
                    for number, item in enumerate(self.prompts)
                    for place, model in enumerate(MODELS)
                ),
                start=1,
            )
        ]

    def draw(
        self,
        slug: str = "",
        *,
        sample: int = 2,
        criteria: str = "",
        outputs: Sequence[OutputRow] | None = None,
        raters: Sequence[Annotator] | None = None,
        by: User | None = None,
    ) -> Study:
        """Draw a rating; of every output, by all raters, where nothing else is said."""
        rows = self.rows() if outputs is None else outputs
        return study_create(
            kind=TYPE,
            project=self.project,
            slug=slug or f"{self.project.slug}-rated",
            by=by or self.by,
            sent={"outputs": rows, "sample": sample, "criteria": criteria},
            members=[one.pk for one in (self.raters if raters is None else raters)],
        )


def a_rated_world(slug: str = "", *, prompts: int = 3, raters: int = 3) -> RatedWorld:
    """Prompts and people, without outputs yet."""
    project = a_prompt_project(slug)
    writer, lead = factory.member(project, "writer"), factory.member(project, "lead")
    made = [a_prompt(project, writer) for _ in range(prompts)]
    people = [factory.member(project, "validator") for _ in range(raters)]
    return RatedWorld(project, made, people, lead)


def study_members(study: Study) -> list[Annotator]:
    """Who answers a study, by their names there."""
    there = Annotator.objects.filter(project=study.project, is_validator=True)
    return list(there.select_related("project", "user").order_by("pseudonym"))


def next_assignment(place: Annotator) -> Assignment | None:
    """What somebody is asked next."""
    return assignment_claim_among(annotator=place, targets=targets_of(place), spacing=0)


def rate_all(
    study: Study, says: Callable[[str, str, int], dict[str, str]] = lambda *_: {}, yes: Mapping[str, str] = YES_TO_ALL
) -> None:
    """Everybody rates all that is theirs: yes, but for what `says` gives of the prompt, the model and the rater."""
    decide_due()
    data = dict(study.rows.values_list("item", "data"))
    for number, place in enumerate(study_members(study)):
        while (held := next_assignment(place)) is not None:
            of = data[held.item_id]
            given = {**yes, **says(of["prompt"], of["model"], number)}
            answers = {f"{QUESTION}_{key}": said for key, said in given.items()}
            assert place.user_id is not None
            ballot = Ballot("", answers=answers)
            vote_cast(user_id=place.user_id, slug=study.project.slug, token=held.token, ballot=ballot)
    decide_due()
