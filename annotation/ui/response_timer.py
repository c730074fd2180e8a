"""How long somebody saw a card: its signed start time is sent with the card and returned with the answer."""

import time
from dataclasses import dataclass

from django.core import signing

from annotation.core.models.member import Annotator

# What a card was shown for longer is a card that was left open.
LONGEST_SECONDS = 4 * 3600


@dataclass(frozen=True)
class ResponseTimer:
    """The marks of one sort of card: no other sort's is taken for one of them, nor anybody else's."""

    salt: str

    def mark(self, annotator: Annotator, token: str) -> str:
        """When this card is shown to somebody, sealed."""
        return self._signer(annotator).sign(token)

    def seconds(self, annotator: Annotator, token: str, mark: str) -> float:
        """How long they looked; 0 where the mark is not of this card, or too old to mean anything."""
        try:
            if self._signer(annotator).unsign(mark, max_age=LONGEST_SECONDS) != token:
                return 0.0
        except signing.BadSignature:
            return 0.0
        return max(0.0, time.time() - signing.b62_decode(mark.rsplit(":", 2)[1]))

    def _signer(self, annotator: Annotator) -> signing.TimestampSigner:
        return signing.TimestampSigner(salt=f"{self.salt}.{annotator.pk}")
