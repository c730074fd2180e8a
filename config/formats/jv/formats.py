"""As in Indonesian: the same country writes them."""

from django.conf.locale.id.formats import *  # noqa: F403
