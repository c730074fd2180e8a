"""`Idempotency-Key`: the same key is one effect and one answer, however often and however close it is sent.

The key's row is inserted in the transaction of the effect: who sends the same at the same moment waits for its end, and
then reads the answer; what died before it was committed left nothing.
"""

import hashlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import orjson
from django.db import IntegrityError, transaction
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api import rules
from annotation.api.models import IdempotentAnswer
from annotation.api.problems import MEDIA_TYPE
from annotation.core.database import seconds_from_now
from annotation.core.errors import Invalid, Refusal

if TYPE_CHECKING:
    from annotation.api.views import ApiView

KEY_HEADER, REPLAYED_HEADER = "Idempotency-Key", "Idempotent-Replayed"
KEPT_SECONDS = 24 * 3600
SERVER_FAULT = 500


class KeyReused(Refusal):
    """The key came with another request before."""

    status = 422
    code = "idempotency_key_reused"


class _RollBack(Exception):
    """Nothing is kept of an answer that says that nothing was done: the transaction is taken back."""

    def __init__(self, answer: Response) -> None:
        super().__init__()
        self.answer = answer


def answer_once(view: "ApiView", request: Request, act: Callable[[], Response]) -> Response:
    """Do it, or answer as before. Raises KeyReused, Invalid for a key that cannot be."""
    key = request.headers.get(KEY_HEADER)
    if key is None:
        return act()
    if not (0 < len(key) <= rules.LONGEST_KEY and key.isascii() and key.isprintable()):
        raise Invalid(field=KEY_HEADER, code="idempotency_key_wrong")
    digest = hashlib.sha256(request._request.get_full_path().encode() + b"\0" + request._request.body)
    user = view.user.pk
    own = IdempotentAnswer.objects.filter(user=user)
    try:
        with transaction.atomic():
            own.filter(at__lt=seconds_from_now(-KEPT_SECONDS)).delete()
            try:
                with transaction.atomic():
                    kept = own.create(user_id=user, key=key, request_hash=digest.hexdigest())
            except IntegrityError:
                return _stored_answer(own.get(key=key), digest.hexdigest())
            answer = _answer_or_refusal(view, act)
            if answer.status_code >= SERVER_FAULT:
                raise _RollBack(answer)
            body = orjson.dumps(answer.data, default=str).decode()
            own.filter(pk=kept.pk).update(status=answer.status_code, body=body)
            return answer
    except _RollBack as undone:
        return undone.answer


def _answer_or_refusal(view: "ApiView", act: Callable[[], Response]) -> Response:
    """The answer, refusals too: what an action stored beside its refusal stays stored."""
    try:
        return act()
    except Exception as error:
        answer: Any = view.handle_exception(error)
        return answer  # type: ignore[no-any-return]


def _stored_answer(kept: IdempotentAnswer, digest: str) -> Response:
    if kept.request_hash != digest:
        raise KeyReused(field=KEY_HEADER)
    refused = kept.status >= 400
    answer = Response(orjson.loads(kept.body), status=kept.status, content_type=MEDIA_TYPE if refused else None)
    answer[REPLAYED_HEADER] = "true"
    return answer
