"""An account: an e-mail address and a password; its roles in projects are in its Annotator rows."""

import unicodedata
from typing import Any, ClassVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.db import models
from django.db.models.functions import Lower, Now
from django.utils.translation import gettext_lazy as _


def canonical_email(email: str) -> str:
    """One spelling for one mailbox: NFKC and lower case, so that a second account cannot look like the first."""
    return unicodedata.normalize("NFKC", email).strip().lower()


class UserManager(BaseUserManager["User"]):
    """Creates accounts under the canonical spelling of their address."""

    def create_user(self, email: str, password: str | None = None, **fields: Any) -> "User":
        user = self.model(email=canonical_email(email), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> "User":
        return self.create_user(email, password, **{**fields, "is_administrator": True})

    def get_by_natural_key(self, username: str | None) -> "User":
        return self.get(email=canonical_email(username or ""))


class User(AbstractBaseUser):
    """A person who logs in. There are no groups and no permission tables: roles are rows of Annotator."""

    email = models.EmailField(_("e-mail address"), unique=True)
    name = models.CharField(_("name"), max_length=120, blank=True)
    is_active = models.BooleanField(_("active"), default=True)
    is_administrator = models.BooleanField(_("administrator"), default=False)
    single_keys = models.BooleanField(_("single-key shortcuts"), default=True)
    tap_sends = models.BooleanField(_("a tap on a choice sends it"), default=False)
    theme = models.CharField(max_length=5, default="", blank=True)
    language = models.CharField(max_length=10, default="", blank=True)  # of the interface; empty: not chosen
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    deleted_at = models.DateTimeField(null=True, blank=True, editable=False)

    objects: ClassVar[UserManager] = UserManager()
    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS: list[str] = []  # type: ignore[misc]

    class Meta:
        constraints = [models.UniqueConstraint(Lower("email"), name="user_email_any_case")]

    def __str__(self) -> str:
        return self.name or self.email

    @property
    def is_staff(self) -> bool:
        """Django's admin (read-only but for activating users) is for administrators."""
        return self.is_administrator

    @property
    def is_superuser(self) -> bool:
        return self.is_administrator

    def has_perm(self, perm: str, obj: object = None) -> bool:
        return self.is_active and self.is_administrator

    def has_perms(self, perm_list: Any, obj: object = None) -> bool:
        return self.is_active and self.is_administrator

    def has_module_perms(self, app_label: str) -> bool:
        return self.is_active and self.is_administrator
