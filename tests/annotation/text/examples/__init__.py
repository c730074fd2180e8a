"""Sets that show each check of annotation/text/checks, by the check's id: a file here for each file there."""

import importlib
import pkgutil

from tests.annotation.text.examples.sets import Examples

EXAMPLES: dict[str, Examples] = {}
for module in pkgutil.iter_modules(__path__):
    EXAMPLES |= getattr(importlib.import_module(f"{__name__}.{module.name}"), "EXAMPLES", {})
