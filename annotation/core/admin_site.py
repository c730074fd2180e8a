"""The site of Django's admin: it registers read-only admins and no others, whatever installed packages bring."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from allauth.account.decorators import secure_admin_login
from django.contrib import admin
from django.db import models
from django.http import HttpRequest, HttpResponse

from annotation.core import second_factor
from annotation.core.models.user import User

if TYPE_CHECKING:
    ModelAdmin = admin.ModelAdmin[Any]
else:
    ModelAdmin = admin.ModelAdmin


class ReadOnlyAdmin(ModelAdmin):
    """Shows rows; nothing is added, changed or deleted here, and no filter reaches a column that is not listed."""

    list_per_page = 50

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return False

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """Only the filters of the list: by default Django lets a query string ask for any local column."""
        return lookup.removesuffix("__exact") in self.list_filter


class ReadOnlySite(admin.AdminSite):
    """Leaves out what packages register: editable admins of e-mail addresses, secrets of the second factor, groups."""

    def register(
        self,
        model_or_iterable: type[Any] | Iterable[type[Any]],
        admin_class: type[ModelAdmin] | None = None,
        **options: Any,
    ) -> None:
        if admin_class is not None and issubclass(admin_class, ReadOnlyAdmin):
            super().register(model_or_iterable, admin_class, **options)

    def has_permission(self, request: HttpRequest) -> bool:
        """Administrators, with the second factor that the site asks of them."""
        allowed = super().has_permission(request)
        if allowed and isinstance(request.user, User):
            second_factor.require_second_factor(request.user)
        return allowed

    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Ask allauth: the admin's own log-in page knows neither rate limits nor the second factor."""
        answer: HttpResponse = secure_admin_login(super().login)(request, extra_context)
        return answer
