"""Django's admin, read-only but for letting people in and shutting them out; for administrators only."""

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from annotation.core.actions.accounts import user_activate
from annotation.core.admin_site import ReadOnlyAdmin
from annotation.core.errors import Refusal
from annotation.core.models.member import Annotator, Event
from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.jobs.models import Job


@admin.register(User)
class UserAdmin(ReadOnlyAdmin):
    list_display = ("email", "name", "is_active", "is_administrator", "last_login", "created_at")
    list_filter = ("is_active", "is_administrator")
    search_fields = ("email", "name")
    ordering = ("email",)
    fields = ("email", "name", "is_active", "is_administrator", "created_at", "last_login", "deleted_at")
    actions = ("activate", "deactivate")

    @admin.action(description=_("Activate"))
    def activate(self, request: HttpRequest, chosen: QuerySet[User]) -> None:
        self._switch(request, chosen, active=True)

    @admin.action(description=_("Deactivate"))
    def deactivate(self, request: HttpRequest, chosen: QuerySet[User]) -> None:
        self._switch(request, chosen, active=False)

    def _switch(self, request: HttpRequest, chosen: QuerySet[User], *, active: bool) -> None:
        done = 0
        for user in chosen:
            try:
                user_activate(user_id=user.pk, active=active, by=request.user)  # type: ignore[arg-type]
                done += 1
            except Refusal:
                message = gettext("%(email)s was left as it is.") % {"email": user.email}
                self.message_user(request, message, messages.WARNING)
        message = ngettext("%(n)d account changed.", "%(n)d accounts changed.", done) % {"n": done}
        self.message_user(request, message)


@admin.register(Project)
class ProjectAdmin(ReadOnlyAdmin):
    list_display = ("slug", "name", "kind", "language", "created_at", "closed_at")
    list_filter = ("kind",)
    ordering = ("slug",)
    exclude = ("secret",)


@admin.register(Annotator)
class AnnotatorAdmin(ReadOnlyAdmin):
    list_display = (
        "project",
        "pseudonym",
        "is_writer",
        "is_validator",
        "is_lead",
        "is_reviewer",
        "joined_at",
        "left_at",
    )
    list_filter = ("is_writer", "is_validator", "is_lead", "is_reviewer")
    list_select_related = ("project",)
    exclude = ("user",)
    ordering = ("project", "pseudonym")


@admin.register(Event)
class EventAdmin(ReadOnlyAdmin):
    list_display = ("at", "verb", "project", "actor")
    list_filter = ("verb",)
    list_select_related = ("project", "actor")
    ordering = ("-id",)


@admin.register(Job)
class JobAdmin(ReadOnlyAdmin):
    list_display = ("id", "kind", "project", "state", "done", "total", "at", "finished_at")
    list_filter = ("kind", "state")
    list_select_related = ("project",)
    ordering = ("-id",)
