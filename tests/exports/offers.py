"""What each person's first page offers, and whether it is there on the page behind each offer."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from django.test import Client
from django.urls import reverse

from annotation.core.access import targets_of
from annotation.core.models.member import Annotator
from annotation.core.models.user import User
from tests.conventions.visits import rolled_back
from validation.overview.views.home import ProjectWork, work_of_projects
from validation.voting.actions.assignments import assignment_claim_among, assignment_pass


def broken_offers() -> list[str]:
    """What home offers to any account of the site and the next page does not have."""
    return [said for user in User.objects.filter(is_active=True).order_by("pk") for said in _offers_to(user)]


def _offers_to(user: User) -> Iterator[str]:
    client = Client()
    client.force_login(user)
    for work in work_of_projects(user):
        slug = work.membership.project.slug
        for fact in work.facts:
            if fact.url:
                answer: Any = rolled_back(partial(client.get, fact.url, follow=True))
                if wrong := _wrong(answer, fact.count):
                    yield f"{user.email}, {slug}: {fact.count or ''} {fact.words}: {wrong}"
        for each in work.takeable_targets:
            taken = rolled_back(partial(_take, client, work, each.target.key))
            if taken.status_code != 200 or "form" not in taken.context:
                yield f"{user.email}, {slug}: nothing to take for {each.target.key}"


def _take(client: Client, work: ProjectWork, target: str) -> Any:
    return client.post(reverse("write_take", args=[work.membership.project.slug, target]), follow=True)


def _wrong(answer: Any, count: int | None) -> str:
    if answer.status_code != 200:
        return f"status {answer.status_code}"
    context = answer.context
    listed = context["page"].paginator.count if "page" in context and hasattr(context["page"], "paginator") else None
    if listed is not None and listed < (count or 1):
        return f"{listed} there"
    if "card" in context and context["card"] is None:
        return "nothing to judge"
    shown = {template.name for template in answer.templates}
    return "an empty page" if "partials/empty.html" in shown else ""


def pass_everything() -> None:
    """Every validator passes what waits for them, until the queue has nothing for them."""
    for person in Annotator.objects.filter(is_validator=True, left_at=None).order_by("pk"):
        targets = targets_of(person)
        while (
            targets and (assignment := assignment_claim_among(annotator=person, targets=targets, spacing=0)) is not None
        ):
            assignment_pass(annotator=person, token=assignment.token, reason="not my field")
