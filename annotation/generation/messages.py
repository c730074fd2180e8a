"""Words for people about calls to endpoints that came to nothing."""

from collections.abc import Mapping

from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

# Never in the words of the endpoint itself.
FAULTS: Mapping[str, str] = {
    "unreachable": _("nobody answers at this address"),
    "refused": _("its host has an address that may not be connected to"),
    "address_private": _("its host has an address that may not be connected to"),
    "certificate": _("its certificate is not valid for its name"),
    "endpoint_key_lost": _("its key cannot be opened any more: enter it again"),
    "timeout": _("the answer took too long"),
    "cut": _("the connection broke off"),
    "too_large": _("the answer was too large"),
    "too_long": _("the answer was too long"),
    "not_json": _("the answer was not JSON"),
    "not_protocol": _("the answer was not of this protocol"),
    "empty": _("the answer was empty"),
    "no_json": _("there was no whole JSON in what the model wrote"),
    "too_deep": _("what the model wrote was nested too deep"),
    "bad_characters": _("what the model wrote had characters that no text has"),
    "does_not_fit": _("what the model wrote did not have the form asked for"),
    "status_400": _("it does not accept the question: the model or a parameter may be wrong"),
    "status_401": _("it does not accept the key"),
    "status_402": _("it wants to be paid first"),
    "status_403": _("it does not allow this with this key"),
    "status_404": _("there is nothing at this address, or no such model"),
    "status_422": _("it does not accept the question: a parameter may be wrong"),
    "status_429": _("it was asked too often, or the account has no money left"),
}


def fault_words(code: str) -> str:
    """What went wrong with a call, in words; a status that has none stands as a number."""
    if code in FAULTS:
        return gettext(FAULTS[code])
    if code.startswith("status_3"):
        return gettext("it sends on to another address, which is not followed")
    if code.startswith("status_"):
        return gettext("it answered with status %(status)s") % {"status": code.removeprefix("status_")}
    return gettext("it cannot be asked")
