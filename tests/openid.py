"""An OpenID provider that runs beside the tests (oidc-provider-mock, on Authlib): it signs whoever is named in."""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from django.test import Client, override_settings
from django.urls import reverse

from config.settings.sign_in import settings_of
from tests import services
from validation.sign_in.rules import Institution

NAME = "University of Example"
ROLES = {"leads": ["kuis:lead"], "writers": ["kuis:writer", "kuis:reviewer"], "admins": ["administrator"]}


@dataclass(frozen=True)
class Provider:
    """Where it is; `knows` says what it tells of a subject."""

    issuer: str

    def knows(self, subject: str, **claims: Any) -> None:
        """From now on it tells these claims of a subject, whose address is confirmed unless they say otherwise."""
        told = {"email": f"{subject}@uni.example", "email_verified": True, "name": subject.title(), **claims}
        httpx.put(f"{self.issuer}/users/{subject}", json=told).raise_for_status()

    def institution(self, **more: Any) -> Institution:
        """It as the environment would name it."""
        named: dict[str, Any] = {
            "issuer": self.issuer,
            "client_id": "mufakat",
            "secret": "shh",
            "name": NAME,
            "roles": ROLES,
        }
        return Institution(**{**named, **more}).checked()

    def sign_in(self, client: Client, subject: str, process: str = "login") -> Any:
        """What a browser does: to the provider, its form, and back; the answer to the way back."""
        named = {"provider_id": self.institution().provider_id}
        sent = client.post(reverse("openid_connect_login", kwargs=named) + f"?process={process}")
        assert sent.status_code == 302, sent.content
        back = httpx.post(sent["Location"], data={"sub": subject}).headers["Location"]
        return client.get(back.removeprefix("http://testserver"))


@contextmanager
def provider(folder: Path) -> Iterator[Provider]:
    """One that runs, with its log in this folder; it takes any client, without TLS."""
    port = services.free_port()
    command = [sys.executable, "-m", "oidc_provider_mock", "--port", str(port)]
    process = services.Process(command, folder / "provider.log")
    process.wait_for(lambda: services.port_answers(port))
    yield Provider(f"http://localhost:{port}")
    process.stop()


@contextmanager
def with_institution(institution: Institution, **more: Any) -> Iterator[None]:
    """The site with this institution; `more` are other settings."""
    from django.conf import settings

    policy: Mapping[str, Any] = settings.CONTENT_SECURITY_POLICY["DIRECTIVES"]
    forms = {"DIRECTIVES": {**policy, "form-action": [*policy["form-action"], institution.origin]}}
    with override_settings(**settings_of(institution), CONTENT_SECURITY_POLICY=forms, **more):
        yield
