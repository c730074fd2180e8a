"""Whose a page and an answer are, for a browser that keeps them: a name that says nothing else."""

from functools import lru_cache

from django.utils.crypto import salted_hmac

from annotation.core.models.user import User


def person_mark(user: object) -> str:
    """What a browser calls whoever is signed in; empty for nobody."""
    return _mark(user.pk) if isinstance(user, User) else ""


@lru_cache(maxsize=4096)
def _mark(pk: int) -> str:
    return salted_hmac("mufakat.person", str(pk)).hexdigest()[:16]
