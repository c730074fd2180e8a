"""Accounts: made by somebody who may, switched on and off, given a log-in address."""

from allauth.account.models import EmailAddress
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import IntegrityError, transaction

from annotation.core.database import locked
from annotation.core.errors import Conflict, Forbidden, Invalid, first_or_not_found
from annotation.core.models.member import Event
from annotation.core.models.user import User, canonical_email
from annotation.core.rules.languages import INTERFACE_LANGUAGES

LONGEST_ADDRESS = 254


def check_address(email: str) -> str:
    """The address in its one spelling. Raises Invalid where it cannot be one."""
    email = canonical_email(email)
    try:
        validate_email(email)
    except ValidationError as error:
        raise Invalid(error.messages[0], field="email", code="email_wrong") from error
    if len(email) > LONGEST_ADDRESS:
        raise Invalid(field="email", code="email_wrong")
    return email


def user_create(
    *, email: str, password: str | None, name: str = "", administrator: bool = False, by: User | None = None
) -> User:
    """An account whose address somebody vouches for (a person at the machine, a demo): it is verified at once.

    Raises Invalid for an address or a password that cannot be, Conflict where the address has an account.
    """
    email = check_address(email)
    user = User(email=email, name=name, is_administrator=administrator)
    try:
        if password is not None:
            validate_password(password, user)
    except ValidationError as error:
        raise Invalid(" ".join(error.messages), field="password", code="password_weak") from error
    user.set_password(password)
    try:
        with transaction.atomic():
            user.save()
            EmailAddress.objects.create(user=user, email=email, verified=True, primary=True)
            data = {"administrator": administrator, "user": user.pk}
            Event.objects.create(actor=by, verb="user_created", data=data)
    except IntegrityError as error:
        raise Conflict(field="email", code="email_taken") from error
    return user


def user_activate(*, user_id: int, active: bool, by: User) -> User:
    """Let somebody in, or shut them out: every session of theirs ends at once. Never oneself."""
    if not by.is_administrator or by.pk == user_id:
        raise Forbidden
    with transaction.atomic():
        user = first_or_not_found(locked(User.objects.filter(pk=user_id)))
        if user.deleted_at is not None:
            raise Conflict(code="account_deleted")
        if user.is_active != active:
            user.is_active = active
            user.save(update_fields=["is_active"])
            verb = "user_activated" if active else "user_deactivated"
            Event.objects.create(actor=by, verb=verb, data={"user": user.pk})
    return user


THEMES = ("", "light", "dark")


def user_settings(
    *, user: User, name: str, single_keys: bool, theme: str, tap_sends: bool = False, language: str = ""
) -> None:
    """What somebody sets about themselves; nothing else of the account is touched."""
    if theme not in THEMES:
        raise Invalid(field="theme", code="theme_unknown")
    if language and language not in INTERFACE_LANGUAGES:
        raise Invalid(field="language", code="interface_unknown")
    if len(name) > 120 or "\0" in name:
        raise Invalid(field="name", code="text_not_storable")
    user.name, user.theme, user.language = name.strip(), theme, language
    user.single_keys, user.tap_sends = single_keys, tap_sends
    user.save(update_fields=["name", "single_keys", "tap_sends", "theme", "language"])


def user_language(*, user: User, language: str) -> None:
    """The language in which somebody reads pages and messages, from the switch at the end of each page."""
    if language not in INTERFACE_LANGUAGES:
        raise Invalid(field="language", code="interface_unknown")
    user.language = language
    user.save(update_fields=["language"])
