#!/usr/bin/env python
"""Django's command line; the embedded settings unless DJANGO_SETTINGS_MODULE says otherwise."""

import gc
import os
import sys

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.embedded")
    # What is imported is no garbage: looking through it for reference cycles took a fifth of a command's start.
    gc.set_threshold(200_000)
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)
