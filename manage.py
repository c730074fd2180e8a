#!/usr/bin/env python
"""Django's command line; the embedded settings unless DJANGO_SETTINGS_MODULE says otherwise."""

import gc
import sys

from config.start import MODES, set_mode, settings_in_words


def main() -> None:
    """Run a command; where the database is not one of this version, or a setting is wrong, say so in one sentence."""
    from django.core.management import execute_from_command_line
    from django.db import DatabaseError

    try:
        with settings_in_words():
            execute_from_command_line(sys.argv)
    except DatabaseError as error:
        from annotation.core.schema import schema_fault

        try:
            fault = schema_fault()
        except DatabaseError:  # it cannot be read at all: the first error says why
            raise error from None
        if not fault:
            raise
        sys.exit(f"CommandError: {fault}")


if __name__ == "__main__":
    set_mode(MODES[0])
    # What is imported is no garbage: looking through it for reference cycles took a fifth of a command's start.
    gc.set_threshold(200_000)
    main()
