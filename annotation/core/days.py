"""The days of what is decided and stored: those of the project's time zone, else of the site's, never of a reader's.

The zone that a browser told (`language.py`) is for showing times alone: anybody can set it.
"""

from datetime import date, datetime, time
from zoneinfo import ZoneInfo

from django.utils.timezone import get_default_timezone

from annotation.core.database import now
from annotation.core.rules.settings import ProjectSettings


def zone_of(rules: ProjectSettings | None = None) -> ZoneInfo:
    """The time zone of a project with these settings; without a project, or where it names none, the site's."""
    return ZoneInfo(rules.time_zone) if rules and rules.time_zone else get_default_timezone()


def today_in(zone: ZoneInfo) -> date:
    """The day in this time zone by the database's clock."""
    return now().astimezone(zone).date()


def start_of(day: date, zone: ZoneInfo) -> datetime:
    """When a day begins in this time zone."""
    return datetime.combine(day, time(), zone)
