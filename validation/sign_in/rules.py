"""An institution that people sign in through (OpenID Connect), and the roles that its groups give here."""

import hashlib
import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

ADMINISTRATOR = "administrator"
ROLES = ("writer", "validator", "lead", "reviewer")
# Where a provider may be asked without TLS: on this machine, for trials and tests.
LOCAL = ("localhost", "127.0.0.1", "::1")


class InvalidSetting(ValueError):
    """A value that cannot be used; the message says which and how to correct it."""


@dataclass(frozen=True)
class Institution:
    """One OpenID provider, as the environment names it (docs/sign-in.md).

    `roles` maps a group to what it gives: `administrator`, or `SLUG:ROLE`. `hours`: how long a session lasts.
    `domains`: the provider's word is enough for addresses there. `has_second_factor`: it asks for one itself.
    """

    issuer: str
    client_id: str
    secret: str
    name: str
    scopes: tuple[str, ...] = ("openid", "profile", "email")
    groups_claim: str = "groups"
    roles: Mapping[str, Collection[str]] = field(default_factory=dict)
    only: bool = False
    hours: int = 12
    domains: tuple[str, ...] = ()
    has_second_factor: bool = False

    @property
    def provider_id(self) -> str:
        """Names the issuer in addresses and beside subjects: another issuer's subjects are other people."""
        host = urlsplit(self.issuer).hostname or ""
        return f"{host}-{hashlib.sha256(self.issuer.encode()).hexdigest()[:12]}"

    @property
    def origin(self) -> str:
        """Scheme, host and port, as a Content-Security-Policy names them."""
        parts = urlsplit(self.issuer)
        return f"{parts.scheme}://{parts.netloc}"

    def checked(self) -> "Institution":
        """Itself. Raises WrongError with the name of the variable that cannot be used."""
        parts = urlsplit(self.issuer)
        if not parts.hostname or parts.query or parts.fragment or parts.username:
            raise InvalidSetting("OIDC_ISSUER must be an address such as https://sso.example.org/realms/team.")
        if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in LOCAL):
            raise InvalidSetting("OIDC_ISSUER must begin with https://.")
        if not self.client_id:
            raise InvalidSetting("OIDC_CLIENT_ID is missing: the name under which the provider knows this site.")
        if not self.secret:
            raise InvalidSetting("OIDC_CLIENT_SECRET_FILE is missing: a file that holds the client's secret.")
        if "openid" not in self.scopes:
            raise InvalidSetting("OIDC_SCOPES must name openid.")
        if self.hours < 1:
            raise InvalidSetting("OIDC_SESSION_HOURS must be 1 or more.")
        return self

    def granted(self, groups: Collection[str]) -> list[str]:
        """What membership in these groups gives, each once, in alphabetical order."""
        return sorted({each for group in groups for each in self.roles.get(group, ())})


def roles_by_group(text: str) -> dict[str, list[str]]:
    """The value of OIDC_ROLES: a JSON object from groups to lists. Raises WrongError where it is none."""
    try:
        value = json.loads(text) if text.strip() else {}
    except ValueError as error:
        raise InvalidSetting(f"OIDC_ROLES is not JSON: {error}.") from error
    if not isinstance(value, dict) or not all(isinstance(given, list) for given in value.values()):
        raise InvalidSetting('OIDC_ROLES must map groups to lists: {"nlp-leads": ["kuis:lead"]}.')
    for group, given in value.items():
        for each in given:
            if not is_grant(each):
                raise InvalidSetting(
                    f"OIDC_ROLES gives the group {group!r} {each!r}: it must be {ADMINISTRATOR!r} or a project's "
                    f"short name, a colon and one of {', '.join(ROLES)}."
                )
    return value


def is_grant(given: object) -> bool:
    """Whether it is `administrator` or `SLUG:ROLE`."""
    if given == ADMINISTRATOR:
        return True
    slug, _, role = given.partition(":") if isinstance(given, str) else ("", "", "")
    return bool(slug) and role in ROLES


def groups_of(claims: Mapping[str, Any], claim: str) -> list[str]:
    """The groups that claims name below `claim`, a name or a path with dots (`realm_access.roles`).

    A claim of that whole name comes first. One group may stand as a string; what is no string is no group.
    """
    value: Any = claims.get(claim)
    if value is None:
        value = claims
        for part in claim.split("."):
            value = value.get(part) if isinstance(value, Mapping) else None
    several = value if isinstance(value, list) else [value]
    return [each for each in several if isinstance(each, str)]


def by_project(grants: Collection[str]) -> Iterator[tuple[str, frozenset[str]]]:
    """The projects that grants name, with their roles, in alphabetical order."""
    found: dict[str, set[str]] = {}
    for slug, _, role in (each.partition(":") for each in grants):
        if role:
            found.setdefault(slug, set()).add(role)
    yield from ((slug, frozenset(found[slug])) for slug in sorted(found))
