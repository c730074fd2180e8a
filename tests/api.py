"""A script that uses the API: a client with a token, without cookies."""

from typing import Any

import orjson
from django.test import Client

from annotation.api.tokens import token_create
from annotation.core.models.user import User


class Script:
    """`get` and `post` below /api/v1/; each answer has `status_code` and `json()`."""

    def __init__(self, text: str = "") -> None:
        self.client, self.text = Client(enforce_csrf_checks=True), text

    def _headers(self, more: dict[str, str]) -> dict[str, str]:
        own = {"Authorization": f"Bearer {self.text}"} if self.text else {}
        return own | {name.replace("_", "-"): value for name, value in more.items()}

    def get(self, path: str, query: dict[str, Any] | None = None, **headers: str) -> Any:
        return self.client.get(f"/api/v1/{path}", query or {}, headers=self._headers(headers))

    def post(self, path: str, body: Any = None, **headers: str) -> Any:
        sent = body if isinstance(body, bytes) else orjson.dumps({} if body is None else body)
        kind = headers.pop("kind", "application/json")
        return self.client.post(f"/api/v1/{path}", sent, content_type=kind, headers=self._headers(headers))

    def pages(self, path: str, **query: Any) -> list[dict[str, Any]]:
        """Every row of a list."""
        rows: list[dict[str, Any]] = []
        while True:
            page = self.get(path, query)
            assert page.status_code == 200, page.content
            rows += page.json()["results"]
            if page.json()["next"] is None:
                return rows
            query["cursor"] = page.json()["next"]


def script(user: User | None, *scopes: str, **more: Any) -> Script:
    """A client with a new token of this person, with every scope where none is named."""
    assert user is not None
    made = token_create(user=user, name="test", scopes=scopes or ("read", "annotate", "manage", "release"), **more)
    return Script(made.text)


def assert_refused(answer: Any, status: int, code: str) -> None:
    """The answer is this problem."""
    assert (answer.status_code, answer["Content-Type"]) == (status, "application/problem+json"), answer.content
    problem = orjson.loads(answer.content)
    assert (problem["status"], problem["code"]) == (status, code)
    assert problem["detail"]
