"""Who must have a second factor of sign-in before they may use the pages of leads and administrators."""

from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.conf import settings

from annotation.core.errors import SecondFactorOwed
from annotation.core.models.user import User


def require_second_factor(user: User, *, leads: bool = False) -> None:
    """Raise SecondFactorOwed where this site asks one of such people (SECOND_FACTOR_REQUIRED) and they have none.

    `leads`: they lead the project concerned. One statement for a person and request, none for anybody else.
    """
    asked = settings.MUFAKAT_SECOND_FACTOR
    if not asked or not (user.is_administrator or (leads and asked == "leads")):
        return
    if not getattr(user, "second_factor_seen", False):
        if not (_has_second_factor(user) or _institution_asks(user)):
            raise SecondFactorOwed
        user.second_factor_seen = True  # type: ignore[attr-defined]


def _has_second_factor(user: User) -> bool:
    """Recovery codes are for the day when it is not at hand: alone they are none."""
    return Authenticator.objects.filter(user=user).exclude(type=Authenticator.Type.RECOVERY_CODES).exists()


def _institution_asks(user: User) -> bool:
    """Whether their only way in is an institution that asks for one itself."""
    institution = settings.MUFAKAT_INSTITUTION
    if institution is None or not institution.has_second_factor:
        return False
    if user.has_usable_password() and not institution.only:
        return False
    return SocialAccount.objects.filter(user=user, provider=institution.provider_id).exists()
