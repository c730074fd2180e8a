"""Endpoints and budgets: entered and changed by administrators, every change an event; keys go in and never out."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models.functions import Now

from annotation.core.errors import Conflict, Invalid
from annotation.core.models.member import Event
from annotation.core.models.project import Project
from annotation.core.models.user import User
from annotation.generation.llm import guard, parameters, sealing
from annotation.generation.models import Call, Endpoint, MachineLimit
from annotation.jobs.database import is_duplicate, locked
from annotation.pay.rules import CURRENCIES

MOST_PRICE = Decimal(100_000)
MOST_BUDGET = Decimal(1_000_000_000)
MOST_SECONDS, MOST_AT_ONCE, MOST_PER_MINUTE = 300, 32, 100_000


@dataclass(frozen=True)
class EndpointIn:
    """What an administrator says of an endpoint; its key goes beside it."""

    name: str
    what: str
    model: str
    address: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    price_in: Decimal = Decimal(0)
    price_out: Decimal = Decimal(0)
    currency: str = "USD"
    seconds: int = 60
    at_once: int = 4
    per_minute: int = 60


def endpoint_save(
    *,
    said: EndpointIn,
    by: User | None,
    endpoint: Endpoint | None = None,
    version: int = 0,
    key: str = "",
    remove_key: bool = False,
) -> Endpoint:
    """Enter an endpoint, or change one that was at `version`; a new `key` is sealed for its address.

    Another scheme, host or port clears the key that was kept: it is never sent to where it was not entered for. Raises
    Invalid for what no endpoint is, Conflict where somebody else changed it.
    """
    origin = _origin(said)
    values = _values(said)
    if key and not (key.isascii() and key.isprintable() and len(key) <= sealing.LONGEST and " " not in key):
        raise Invalid(field="key", code="secret_unlike")
    if key and not origin:
        raise Invalid(field="key", code="key_without_address")
    try:
        with transaction.atomic():
            if endpoint is None:
                return _created(values, key, origin, by)
            return _changed(endpoint, version, values, key, origin, remove_key, by)
    except IntegrityError as error:
        if not is_duplicate(error):
            raise
        raise Invalid(field="name", code="endpoint_name_taken") from error


def _origin(said: EndpointIn) -> str:
    """What a key is bound to; the address is looked at here, and again before each sending."""
    if not said.address:
        return ""
    try:
        return guard.checked(said.address).origin
    except guard.Refused as refused:
        raise Invalid(field="address", code=refused.code) from refused


def _values(said: EndpointIn) -> dict[str, Any]:
    """The columns that were said, if they can be."""
    if said.what not in Endpoint.What.values:
        raise Invalid(field="what", code="endpoint_values_wrong")
    if not said.model.strip() and said.what != Endpoint.What.TRANSLATION:
        raise Invalid(field="model", code="endpoint_model_missing")
    if said.currency not in CURRENCIES:
        raise Invalid(field="currency", code="currency_unknown")
    for name, most in (
        ("seconds", MOST_SECONDS),
        ("at_once", MOST_AT_ONCE),
        ("per_minute", MOST_PER_MINUTE),
    ):
        if not 1 <= getattr(said, name) <= most:
            raise Invalid(field=name, code="endpoint_values_wrong")
    for name in ("price_in", "price_out"):
        price = getattr(said, name)
        if not (price.is_finite() and 0 <= price <= MOST_PRICE and price == round(price, 6)):
            raise Invalid(field=name, code="endpoint_values_wrong")
    try:
        checked = parameters.checked(said.what, said.parameters)
    except parameters.Unlike as unlike:
        raise Invalid(field="parameters", code="parameter_unlike", name=unlike.name) from unlike
    return asdict(said) | {"parameters": checked, "name": said.name.strip(), "model": said.model.strip()}


def _sealed(key: str, origin: str) -> dict[str, str]:
    return {"key_sealed": sealing.seal(key, origin), "key_host": origin} if key else _NO_KEY


_NO_KEY = {"key_sealed": "", "key_host": ""}


def _created(values: dict[str, Any], key: str, origin: str, by: User | None) -> Endpoint:
    made = Endpoint.objects.create(**values, **_sealed(key, origin))
    data = {"endpoint": made.pk, "name": made.name, "origin": origin, "key": "entered" if key else "none"}
    Event.objects.create(project=None, actor=by, verb="endpoint_created", data=data)
    return made


def _changed(
    endpoint: Endpoint,
    version: int,
    values: dict[str, Any],
    key: str,
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
    kept = bool(fresh.key_sealed)
    changes: dict[str, Any] = {}
    told = "kept" if kept else "none"
    if key:
        changes, told = _sealed(key, origin), "entered"
    elif kept and (remove_key or fresh.key_host != origin):
        changes, told = _NO_KEY, "removed"
    for name, value in (values | changes).items():
        setattr(fresh, name, value)
    # What was learnt of it at its old address, or under its old key, says nothing of it now.
    fresh.version, fresh.failures, fresh.rests_until = version + 1, 0, None
    fresh.save()
    data = {"endpoint": fresh.pk, "name": fresh.name, "changed": differ, "origin": origin, "key": told}
    Event.objects.create(project=None, actor=by, verb="endpoint_changed", data=data)
    return fresh


def endpoint_end(*, endpoint: Endpoint, by: User | None) -> None:
    """Nobody asks it any more, and its key is removed; what it answered stays."""
    with transaction.atomic():
        fresh = locked(Endpoint.objects.filter(pk=endpoint.pk)).get()
        if fresh.ended_at is not None:
            return
        Endpoint.objects.filter(pk=fresh.pk).update(ended_at=Now(), version=fresh.version + 1, **_NO_KEY)
        data = {"endpoint": fresh.pk, "name": fresh.name}
        Event.objects.create(project=None, actor=by, verb="endpoint_ended", data=data)


def endpoint_open(*, endpoint: Endpoint, by: User | None) -> None:
    """It is asked again; its key has to be entered anew."""
    with transaction.atomic():
        fresh = locked(Endpoint.objects.filter(pk=endpoint.pk)).get()
        if fresh.ended_at is None:
            return
        Endpoint.objects.filter(pk=fresh.pk).update(ended_at=None, version=fresh.version + 1)
        data = {"endpoint": fresh.pk, "name": fresh.name}
        Event.objects.create(project=None, actor=by, verb="endpoint_opened", data=data)


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
    if not (budget.is_finite() and 0 <= budget <= MOST_BUDGET and budget == round(budget, 4)):
        raise Invalid(field="budget", code="limit_wrong")
    if not 1 <= per_minute <= MOST_PER_MINUTE:
        raise Invalid(field="per_minute", code="limit_wrong")
    with transaction.atomic():
        locked(Project.objects.filter(pk=project.pk)).get()
        stands = locked(MachineLimit.objects.filter(project=project)).first()
        if (stands.at if stands else None) != seen:
            raise Conflict(code="limit_stale")
        spent = Call.objects.filter(project=project, cost__gt=0).exclude(currency=currency)
        if spent.exists():
            raise Invalid(field="currency", code="limit_currency_spent")
        values = {"budget": budget, "currency": currency, "per_minute": per_minute, "by": by, "at": Now()}
        made, _ = MachineLimit.objects.update_or_create(project=project, defaults=values)
        data = {"budget": str(budget), "currency": currency, "per_minute": per_minute}
        Event.objects.create(project=project, actor=by, verb="limit_set", data=data)
    made.refresh_from_db()
    return made
