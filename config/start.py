"""How each program of the site begins: settings that cannot be used end it in sentences and with exit code 1."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

SETTINGS = "DJANGO_SETTINGS_MODULE"
MODES = ("config.settings.embedded", "config.settings.production")


@contextmanager
def settings_in_words() -> Iterator[None]:
    """End the program in the words of the settings where they cannot be used, without a traceback."""
    try:
        yield
    except ImproperlyConfigured as error:
        sys.exit(str(error))
    except ModuleNotFoundError as error:
        named = os.environ.get(SETTINGS, "")
        if error.name is None or not f"{named}.".startswith(f"{error.name}."):
            raise
        sys.exit(f"{SETTINGS} is {named!r}, but must be {' or '.join(MODES)}.")


def set_mode(module: str) -> None:
    """Take these settings where none are named."""
    os.environ[SETTINGS] = os.environ.get(SETTINGS) or module


def load_settings() -> None:
    """Read the settings, a server's where none are named; end the program where they cannot be used."""
    set_mode(MODES[1])
    with settings_in_words():
        _ = settings.INSTALLED_APPS
