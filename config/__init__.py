"""Wires the apps together; decides nothing."""

import sys

from config import lazily

# structlog draws tracebacks with it where some package brought it along: fifty modules that no line of ours uses.
if "rich" not in sys.modules:
    sys.modules["rich"] = None  # type: ignore[assignment]
    import structlog  # noqa: F401

    del sys.modules["rich"]

# redis imports its asyncio client as soon as it is imported itself.
lazily.import_lazily("redis.asyncio")
