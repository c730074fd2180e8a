"""Tokens: made, looked up and revoked."""

import hmac
from collections.abc import Collection, Sequence
from typing import NamedTuple

from django.conf import settings
from django.contrib.auth.hashers import UNUSABLE_PASSWORD_PREFIX
from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now
from django.utils import timezone

from annotation.api import rules
from annotation.api.models import ApiToken, ApiTokenQuerySet, IdempotentAnswer
from annotation.core import access
from annotation.core.database import locked, seconds_from_now
from annotation.core.errors import Conflict, Invalid, clean_typed, first_or_not_found
from annotation.core.models.member import Event
from annotation.core.models.user import User

MINUTE, DAY = 60, 24 * 3600


class NewToken(NamedTuple):
    """A new token, and its text, which nobody can read again."""

    token: ApiToken
    text: str


def token_create(
    *,
    user: User,
    name: str,
    scopes: Collection[str],
    projects: Collection[str] | None = None,
    days: int = rules.DEFAULT_DAYS,
) -> NewToken:
    """A token for scripts of this person, for these projects by slug (None: all of theirs, also later ones).

    Raises Invalid for a name, scope, project or time that cannot be, Conflict where ten of theirs still work.
    """
    called = clean_typed(name, "name", rules.LONGEST_NAME, missing="token_name_missing")
    chosen = [scope for scope in rules.SCOPES if scope in scopes]
    if not chosen or len(chosen) != len(set(scopes)):
        raise Invalid(field="scopes", code="token_scopes_wrong")
    if not 1 <= days <= rules.MOST_DAYS:
        raise Invalid(field="days", code="token_days_wrong")
    if projects is not None:
        own = {place.project.slug for place in access.memberships(user)}
        if not projects or set(projects) - own:
            raise Invalid(field="projects", code="token_projects_wrong")
    secret = rules.new_secret()
    with transaction.atomic():
        # One after the other for one person: two at once could both be the tenth.
        locked(User.objects.filter(pk=user.pk)).get()
        if ApiToken.objects.live().filter(user=user).count() >= rules.MOST_TOKENS:
            raise Conflict(code="tokens_too_many")
        token = ApiToken.objects.create(
            user=user,
            name=called,
            secret_hash=rules.secret_digest(secret),
            scopes=chosen,
            projects=None if projects is None else sorted(projects),
            expires_at=seconds_from_now(days * DAY),
        )
        Event.objects.create(actor=user, verb="token_created", data={"token": token.pk, "scopes": chosen})
    token.refresh_from_db()
    return NewToken(token, str(rules.TokenText(token.pk, secret)))


def token_revoke(*, user: User, token_id: int) -> None:
    """One's own token stops working at once; revoking it twice is the same as once."""
    with transaction.atomic():
        token = first_or_not_found(locked(tokens_of(user).filter(pk=token_id)))
        if token.revoked_at is None:
            ApiToken.objects.filter(pk=token.pk).update(revoked_at=Now())
            Event.objects.create(actor=user, verb="token_revoked", data={"token": token.pk})


class TokensEndWithPassword:
    """A check of passwords that refuses none: Django reports every changed password to it, however it was changed."""

    def validate(self, password: str, user: User | None = None) -> None:
        """Accept every password."""

    def password_changed(self, password: str, user: User) -> None:
        """Revoke all tokens of this person: whoever knew the old password may have made some."""
        revoked = list(tokens_of(user).live().values_list("pk", flat=True))
        if revoked:
            ApiToken.objects.filter(pk__in=revoked).update(revoked_at=Now())
            Event.objects.create(actor=user, verb="token_revoked", data={"tokens": revoked})

    def get_help_text(self) -> str:
        """Nothing to know beforehand."""
        return ""


def tokens_forget(user: User) -> None:
    """An account is deleted: its tokens, whose names its owner typed, and its kept answers go with it."""
    ApiToken.objects.filter(user=user).delete()
    IdempotentAnswer.objects.filter(user=user).delete()


def tokens_of(user: User) -> ApiTokenQuerySet:
    """Somebody's own tokens, those that stopped working too."""
    return ApiToken.objects.filter(user=user)


def live_tokens(user: User) -> Sequence[ApiToken]:
    """Somebody's own tokens that still work, the newest first."""
    return list(tokens_of(user).live().order_by("-pk"))


def token_by_text(text: str) -> ApiToken | None:
    """The token of this text with its owner, if it works; one statement. That it was used is noted once a minute."""
    given = rules.read_token(text)
    if given is None:
        return None
    owned = ApiToken.objects.live().select_related("user").filter(pk=given.id, user__is_active=True)
    found = owned.filter(_signed_in_recently()).first()
    if found is None or not hmac.compare_digest(found.secret_hash, rules.secret_digest(given.secret)):
        return None
    unseen = Q(used_at=None) | Q(used_at__lt=seconds_from_now(-MINUTE))
    if found.used_at is None or not _was_just_used(found):
        ApiToken.objects.filter(unseen, pk=found.pk).update(used_at=Now())
    return found


def _signed_in_recently() -> Q:
    """Whom an institution signs in is known to be a member of it only when they sign in there."""
    institution = settings.MUFAKAT_INSTITUTION
    if institution is None:
        return Q()
    recent = Q(user__last_login__gt=seconds_from_now(-rules.MOST_DAYS_SINCE_SIGN_IN * DAY))
    return recent if institution.only else recent | ~Q(user__password__startswith=UNUSABLE_PASSWORD_PREFIX)


def _was_just_used(token: ApiToken) -> bool:
    """Whether its use was noted within a minute, as far as this machine's clock knows; the database decides."""
    return token.used_at is not None and (timezone.now() - token.used_at).total_seconds() < MINUTE
