"""The set-up of the flow, as a program: `python -m tests.flows.line` prints the people that it made as JSON.

It runs beside the servers that are tested, on whatever database the environment names.
"""

import json
from dataclasses import asdict, dataclass, field

SLUG = "garis"
WRITERS, VALIDATORS, SETS_EACH = 2, 5, 2
# What voters say of each slot, in the order in which votes come in, and what has to come out of it.
PLAN: dict[str, str] = {"e1": "ee", "e2": "ene", "n1": "ecnn", "n2": "ccc", "c1": "enen", "c2": "cc"}
GOLD: dict[str, tuple[str, int]] = {
    "e1": ("entailment", 1),
    "e2": ("entailment", 2),
    "n1": ("neutral", 3),
    "n2": ("contradiction", 2),
    "c2": ("contradiction", 1),
}
PAIRS = WRITERS * SETS_EACH * len(PLAN)
VOTES = WRITERS * SETS_EACH * sum(map(len, PLAN.values()))


@dataclass
class Team:
    """The addresses that people sign in with."""

    lead: str = ""
    writers: list[str] = field(default_factory=list)
    validators: list[str] = field(default_factory=list)


def set_up() -> Team:
    """A project by command; its people and premises by actions."""
    from django.core.management import call_command

    from annotation.core.models.member import Annotator
    from annotation.core.models.project import Project
    from annotation.writing.actions.allocation import allocations_assign
    from tests import factory

    call_command("create_project", SLUG, preset="indonli-expert", language="id", seed="line", verbosity=0)
    project = Project.objects.get(slug=SLUG)
    project.settings = {**project.settings, "offer_minutes": 0, "tags": "off"}
    project.save()

    def people(role: str, count: int) -> list[Annotator]:
        return [factory.member(project, role, account=factory.user(f"{role}{n}@example.org")) for n in range(count)]

    writers, validators = people("writer", WRITERS), people("validator", VALIDATORS)
    factory.premises(project, WRITERS * SETS_EACH)
    allocations_assign(target=project.targets.get(), writers=writers, size=SETS_EACH)
    (lead,) = people("lead", 1)

    def address(person: Annotator) -> str:
        assert person.user is not None
        return person.user.email

    return Team(address(lead), [address(one) for one in writers], [address(one) for one in validators])


if __name__ == "__main__":
    import django

    django.setup()
    print(json.dumps(asdict(set_up())))
