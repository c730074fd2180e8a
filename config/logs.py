"""JSON logs, one object a line: events, routes and numbers; never texts, addresses, tokens or query strings."""

from typing import Any

import structlog

SHARED: list[Any] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
]
RINGS = ("celery.app.trace", "celery.worker.strategy", "celery.beat")


def without_values(logger: object, name: str, event: dict[str, Any]) -> dict[str, Any]:
    """Keep an exception's class and where it happened; its message may hold what somebody typed."""
    info = event.pop("exc_info", None)
    record = event.get("_record")
    if info is None and record is not None:
        info = record.exc_info
    if info is True or not info:
        return event
    kind, _, trace = info
    places = []
    while trace is not None:
        code = trace.tb_frame.f_code
        places.append(f"{code.co_filename.rsplit('/', 2)[-1]}:{trace.tb_lineno} {code.co_name}")
        trace = trace.tb_next
    event["exception"] = kind.__name__
    event["at"] = places[-6:]
    return event


def config(level: str) -> dict[str, Any]:
    """Django's LOGGING, and structlog set to write through it."""
    structlog.configure(
        processors=[*SHARED, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "json": {
                "()": structlog.stdlib.ProcessorFormatter,
                "foreign_pre_chain": SHARED,
                "processors": [
                    without_values,
                    structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                    structlog.processors.JSONRenderer(),
                ],
            }
        },
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "json"}},
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            # Its messages quote request paths and hosts; the request line says what is needed.
            "django.request": {"level": "CRITICAL"},
            "django.security": {"level": "CRITICAL"},
            "django.server": {"level": "WARNING"},
            # A ring a second, each sent, received and done, would bury the rest.
            **{key: {"level": "DEBUG" if level == "DEBUG" else "WARNING"} for key in RINGS},
        },
    }
