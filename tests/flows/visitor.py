"""Somebody who uses the site over HTTP with nothing but forms and cookies, as a browser without scripts does."""

import html
import re
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass
from http.cookiejar import CookieJar

from tests import factory


@dataclass(frozen=True)
class Answer:
    """A page that came back: its status, its address after redirects, its markup."""

    status: int
    url: str
    text: str

    def one(self, pattern: str) -> str:
        """What the first group of the pattern finds; it has to be there."""
        found = re.search(pattern, self.text)
        assert found, f"{pattern} is not on {self.url}:\n{self.text[:2000]}"
        return html.unescape(found[1])

    def all(self, pattern: str) -> list[str]:
        return [html.unescape(found) for found in re.findall(pattern, self.text)]

    @property
    def token(self) -> str:
        """The token of the item that is offered; empty where there is none."""
        return self.one(r'data-token="([^"]*)"')


class Visitor:
    """One browser of one person."""

    def __init__(self, origin: str) -> None:
        self.origin = origin
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
        self.last = Answer(0, "", "")

    def get(self, path: str) -> Answer:
        return self._open(path)

    def post(self, path: str, fields: dict[str, str], *, htmx: bool = False) -> Answer:
        """Post a form with the token of the page that was got last."""
        token = self.last.one(r'name="csrfmiddlewaretoken" value="([^"]+)"')
        data = urllib.parse.urlencode({"csrfmiddlewaretoken": token, **fields}).encode()
        headers = {"Referer": self.origin + "/", **({"HX-Request": "true"} if htmx else {})}
        return self._open(path, data, headers)

    def _open(self, path: str, data: bytes | None = None, headers: dict[str, str] | None = None) -> Answer:
        request = urllib.request.Request(self.origin + path, data, headers or {})  # noqa: S310 - our own server
        try:
            with self.opener.open(request, timeout=60) as answer:
                found = Answer(answer.status, answer.url, answer.read().decode())
        except urllib.error.HTTPError as error:
            with error:
                found = Answer(error.code, error.url, error.read().decode())
        if "csrfmiddlewaretoken" in found.text:
            self.last = found
        return found

    def sign_in(self, email: str) -> "Visitor":
        self.get("/accounts/login/")
        answer = self.post("/accounts/login/", {"login": email, "password": factory.PASSWORD})
        assert answer.status == 200, answer.text
        assert urllib.parse.urlsplit(answer.url).path == "/", answer.url
        return self
