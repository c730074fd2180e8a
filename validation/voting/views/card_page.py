"""Pages of one card: complete, or only the card for the script that sends a vote and gets the next."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from annotation.core.access import Membership
from annotation.core.models.project import Project
from annotation.ui.navigation import navigation_links
from annotation.ui.pages import with_media


class ShownCard(Protocol):
    """What somebody sees of the one thing that they are asked about."""

    @property
    def token(self) -> str:
        """What it is called where it is sent."""


@dataclass(frozen=True)
class CardPage:
    """One such page: its room, its templates, where its card is sent and taken back, what it always takes."""

    room: str
    page_template: str
    card_template: str
    send_route: str
    take_back_route: str = ""
    extra_context: Mapping[str, Any] = field(default_factory=dict)

    def render_page(
        self,
        request: HttpRequest,
        membership: Membership,
        card: ShownCard | None,
        *,
        status: int = 200,
        **more: Any,
    ) -> HttpResponse:
        """The whole page, or the card alone where the page's script asks."""
        if is_script_request(request):
            return self.render_card(request, membership.project, card, status=status, **more)
        whole = {
            **self._of(membership.project, card),
            "nav": navigation_links(membership, self.room),
            "keys_off": not membership.user.single_keys,
            "card_template": self.card_template,
            **more,
        }
        return with_media(render(request, self.page_template, whole, status=status), membership.project.kind_spec)

    def render_card(
        self,
        request: HttpRequest,
        project: Project,
        card: ShownCard | None,
        *,
        status: int = 200,
        **more: Any,
    ) -> HttpResponse:
        """The card alone."""
        return render(request, self.card_template, {**self._of(project, card), **more}, status=status)

    def _of(self, project: Project, card: ShownCard | None) -> dict[str, Any]:
        return {"project": project, **self.context(project.slug, card, closed=project.closed_at is not None)}

    def context(self, slug: str, card: ShownCard | None, *, closed: bool) -> dict[str, Any]:
        """What the template of the card takes besides the project."""
        return {
            "card": card,
            "closed": closed,
            "send_url": reverse(self.send_route, args=[slug, card.token]) if card else "",
            "back_url": reverse(self.take_back_route, args=[slug]) if self.take_back_route else "",
            "take_back_minutes": settings.TAKE_BACK_SECONDS // 60,
            **self.extra_context,
        }


def is_script_request(request: HttpRequest) -> bool:
    """Whether the page's script asks, for the card alone."""
    return bool(getattr(request, "htmx", False))
