"""A project whose questions a machine wrote, for tests of its pages."""

from decimal import Decimal
from typing import Any

from django.urls import reverse

from tests import factory
from tests import machine as made
from tests.pay import browser_of


class MachineProject:
    """A project of ConceptNet questions: a lead, an administrator, a priced endpoint, a run that is done."""

    def __init__(self, count: int = 3, **more: Any) -> None:
        self.boss = factory.user(administrator=True)
        self.project = made.a_machine_project()
        self.lead = factory.member(self.project, "lead")
        self.endpoint = made.an_endpoint(price_in=Decimal("0.5"), price_out=Decimal("1.5"))
        self.run = made.a_run(self.project, count, endpoint=self.endpoint, **more)

    def url(self, name: str, *args: object) -> str:
        return reverse(name, args=[self.project.slug, *args])

    def get(self, name: str, *args: object, who: Any = None, **query: str) -> str:
        answer = browser_of(who or self.lead).get(self.url(name, *args), query)
        assert answer.status_code == 200
        return answer.content.decode()

    def post(self, route: str, /, *args: object, who: Any = None, **sent: Any) -> Any:
        return browser_of(who or self.boss).post(self.url(route, *args), sent)
