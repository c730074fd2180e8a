"""Endpoints and budgets: entered, changed and tried by administrators, every change an event; keys never come out."""

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models.functions import Now

from annotation.core import sealing
from annotation.core.database import is_duplicate, locked
from annotation.core.errors import Conflict, Invalid
from annotation.core.models.member import Event
from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.generation.llm import guard, parameters
from annotation.generation.models import Call, Endpoint, MachineLimit
from annotation.pay.rules import CURRENCIES

MOST_PRICE = Decimal(100_000)
MOST_BUDGET = Decimal(1_000_000_000)
MOST_SECONDS, MOST_AT_ONCE, MOST_PER_MINUTE = 300, 32, 100_000
_NO_KEY = {"key_sealed": "", "key_host": ""}


# What an administrator enters; a key goes beside it.
ENTERED_FIELDS = (
    *("name", "what", "model", "address", "parameters", "price_in", "price_out", "currency"),
    *("seconds", "at_once", "per_minute"),
)


def endpoint_save(
    *,
    given: Endpoint,
    by: User | None,
    endpoint: Endpoint | None = None,
    version: int = 0,
    key: str = "",
    remove_key: bool = False,
) -> Endpoint:
    """Enter an endpoint as `given`, or change one that was at `version`; a new `key` is sealed for its address.

    Another scheme, host or port clears the key that was kept: it is never sent to where it was not entered for. Raises
    Invalid for what no endpoint is, Conflict where somebody else changed it.
    """
    origin = _origin(given.address)
    values = _checked_columns(given)
    if key and not (key.isascii() and key.isprintable() and len(key) <= sealing.LONGEST_KEY and " " not in key):
        raise Invalid(field="key", code="secret_unlike")
    if key and not origin:
        raise Invalid(field="key", code="key_without_address")
    sealed = {"key_sealed": sealing.seal(key, origin), "key_host": origin} if key else {}
    try:
        with transaction.atomic():
            if endpoint is not None:
                return _change_endpoint(endpoint, version, values, sealed, origin, remove_key, by)
            made = Endpoint.objects.create(**values, **sealed)
            record_event("endpoint_created", made, by, origin=origin, key="entered" if key else "none")
            return made
    except IntegrityError as error:
        if not is_duplicate(error):
            raise
        raise Invalid(field="name", code="endpoint_name_taken") from error


def record_event(verb: str, endpoint: Endpoint, by: User | None, **more: Any) -> None:
    """An event about an endpoint, which belongs to no project."""
    data = {"endpoint": endpoint.pk, "name": endpoint.name, **more}
    Event.objects.create(project=None, actor=by, verb=verb, data=data)


def _origin(address: str) -> str:
    """What a key is bound to; the address is checked here, and again before each sending."""
    try:
        return guard.check_address(address).origin if address else ""
    except guard.AddressRefused as refused:
        raise Invalid(field="address", code=refused.code) from refused


def _checked_columns(given: Endpoint) -> dict[str, Any]:
    """The columns, if they can be."""
    if given.what not in Endpoint.What.values:
        raise Invalid(field="what", code="endpoint_values_wrong")
    if not given.model.strip() and given.what != Endpoint.What.TRANSLATION:
        raise Invalid(field="model", code="endpoint_model_missing")
    if given.currency not in CURRENCIES:
        raise Invalid(field="currency", code="currency_unknown")
    bounds = {"seconds": MOST_SECONDS, "at_once": MOST_AT_ONCE, "per_minute": MOST_PER_MINUTE}
    for name, most in bounds.items():
        if not 1 <= getattr(given, name) <= most:
            raise Invalid(field=name, code="endpoint_values_wrong")
    for name in ("price_in", "price_out"):
        if not _is_amount(getattr(given, name), MOST_PRICE, 6):
            raise Invalid(field=name, code="endpoint_values_wrong")
    try:
        checked = parameters.check_parameters(given.what, given.parameters)
    except parameters.ParameterRefused as unlike:
        raise Invalid(field="parameters", code="parameter_unlike", name=unlike.name) from unlike
    stripped = {"name": given.name.strip(), "model": given.model.strip()}
    return {name: getattr(given, name) for name in ENTERED_FIELDS} | stripped | {"parameters": checked}


def _is_amount(amount: Decimal, most: Decimal, places: int) -> bool:
    return amount.is_finite() and 0 <= amount <= most and amount == round(amount, places)


def _change_endpoint(
    endpoint: Endpoint,
    version: int,
    values: Mapping[str, Any],
    sealed: Mapping[str, str],
    origin: str,
    remove_key: bool,
    by: User | None,
) -> Endpoint:
    fresh = locked(Endpoint.objects.filter(pk=endpoint.pk)).get()
    if fresh.version != version:
        raise Conflict(code="endpoint_stale")
    if values["what"] != fresh.what:
        raise Invalid(field="what", code="endpoint_values_wrong")
    differ = sorted(name for name, value in values.items() if getattr(fresh, name) != value)
    key = "entered" if sealed else "kept" if fresh.key_sealed else "none"
    if key == "kept" and (remove_key or fresh.key_host != origin):
        key, sealed = "removed", _NO_KEY
    for name, value in {**values, **sealed}.items():
        setattr(fresh, name, value)
    # What was learnt of it at its old address, or under its old key, says nothing of it now.
    fresh.version, fresh.failures, fresh.rests_until = version + 1, 0, None
    fresh.save()
    record_event("endpoint_changed", fresh, by, changed=differ, origin=origin, key=key)
    return fresh


def endpoint_end(*, endpoint: Endpoint, ended: bool, by: User | None) -> None:
    """End an endpoint: nobody asks it any more, and its key is removed. Or open it again: its key is entered anew."""
    with transaction.atomic():
        fresh = locked(Endpoint.objects.filter(pk=endpoint.pk)).get()
        if (fresh.ended_at is not None) != ended:
            changes = {"ended_at": Now(), **_NO_KEY} if ended else {"ended_at": None}
            Endpoint.objects.filter(pk=fresh.pk).update(version=fresh.version + 1, **changes)
            record_event("endpoint_ended" if ended else "endpoint_opened", fresh, by)


def limit_set(
    *,
    project: Project,
    budget: Decimal,
    currency: str,
    per_minute: int,
    by: User | None,
    seen: datetime | None = None,
) -> MachineLimit:
    """What a project may spend on endpoints in all, and how fast; `seen` is when the limit was set that it replaces.

    Raises Invalid for what is no limit, and for another currency once something was spent; Conflict where somebody
    else set it meanwhile.
    """
    if currency not in CURRENCIES:
        raise Invalid(field="currency", code="currency_unknown")
    if not _is_amount(budget, MOST_BUDGET, 4):
        raise Invalid(field="budget", code="limit_wrong")
    if not 1 <= per_minute <= MOST_PER_MINUTE:
        raise Invalid(field="per_minute", code="limit_wrong")
    with transaction.atomic():
        Project.lock(project.pk)
        stands = locked(MachineLimit.objects.filter(project=project)).first()
        if (stands.at if stands else None) != seen:
            raise Conflict(code="limit_stale")
        if Call.objects.filter(project=project, cost__gt=0).exclude(currency=currency).exists():
            raise Invalid(field="currency", code="limit_currency_spent")
        values = {"budget": budget, "currency": currency, "per_minute": per_minute, "by": by, "at": Now()}
        made, _ = MachineLimit.objects.update_or_create(project=project, defaults=values)
        data = {"budget": str(budget), "currency": currency, "per_minute": per_minute}
        Event.record(project, by, "limit_set", **data)
    made.refresh_from_db()
    return made
