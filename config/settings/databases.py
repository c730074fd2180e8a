"""A database URL turned into Django's settings, with the options that design measurements chose."""

from typing import Any

import environ

from config.variables import env

# WAL and IMMEDIATE: without them most concurrent writes fail with "database is locked". FULL, no mmap: votes
# survive a power cut, which NORMAL does not promise.
SQLITE_OPTIONS = {
    "transaction_mode": "IMMEDIATE",
    "timeout": 20,
    "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA cache_size=-16000; "
    "PRAGMA journal_size_limit=67108864;",
}

# A server that cannot be reached any more (libpq; seconds, the last in milliseconds): an hour or two where nobody says.
CONNECTION_OPTIONS = {
    "connect_timeout": 10,
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 60_000,
}


# The plans of a large project look dear, and compiling one takes longer than running it: seconds for what is paid.
NO_JIT = "-c jit=off"
# So long a replica may say nothing before it is given up for the primary.
REPLICA_SILENCE_SECONDS = 10


def databases(url: str) -> dict[str, Any]:
    """DATABASES: this one, and its replica where DATABASE_REPLICA_URL names one."""
    found = {"default": database(url)}
    if address := env("DATABASE_REPLICA_URL"):
        found["replica"] = replica(address)
    return found


def replica(url: str) -> dict[str, Any]:
    """The entry of DATABASES for a replica: nothing is written there, also when it becomes a primary one day."""
    config = database(url)
    options = config["OPTIONS"]
    silence = min(options.get("silence_seconds", REPLICA_SILENCE_SECONDS), REPLICA_SILENCE_SECONDS)
    options |= {"silence_seconds": silence, "connect_timeout": silence}
    options["options"] = f"{options.get('options', '')} -c default_transaction_read_only=on".strip()
    config["TEST"] = {"MIRROR": "default"}
    return config


def database(url: str) -> dict[str, Any]:
    """`postgres://…` or `sqlite:///…` to one entry of DATABASES."""
    config: dict[str, Any] = environ.Env.db_url_config(url)
    config["CONN_MAX_AGE"] = 600
    config["CONN_HEALTH_CHECKS"] = True
    if "sqlite" in config["ENGINE"]:
        config["OPTIONS"] = dict(SQLITE_OPTIONS)
    else:
        config["ENGINE"] = "config.postgresql"
        given = config.get("OPTIONS", {})
        # Bound on the server and prepared: planning the queue's statement costs more than running it.
        config["OPTIONS"] = {
            **CONNECTION_OPTIONS,
            **given,
            "server_side_binding": True,
            "prepare_threshold": 5,
        }
        silence = env("SILENCE_SECONDS")
        if silence:
            config["OPTIONS"] |= {"silence_seconds": silence, "connect_timeout": silence}
        if env("DATABASE_POOLED"):
            _set_pooled(config)
        else:
            config["OPTIONS"]["options"] = f"{given.get('options', '')} {NO_JIT} {_limits()}".strip()
    return config


def _set_pooled(config: dict[str, Any]) -> None:
    """Behind a pooler that lends a connection for one transaction: nothing is kept on it beyond that.

    No prepared statements and no cursors on the server; the pooler itself sets the limits of `_limits`, since it takes
    none from who connects. What is kept open (CONN_MAX_AGE) is a connection to the pooler, which costs the server none.
    """
    config["DISABLE_SERVER_SIDE_CURSORS"] = True
    config["OPTIONS"]["prepare_threshold"] = None


def _limits() -> str:
    """How long one statement, and one wait for a lock, may take: set for web processes, which have no more time."""
    limits = {
        "statement_timeout": env("STATEMENT_SECONDS"),
        "lock_timeout": env("LOCK_SECONDS"),
    }
    return " ".join(f"-c {name}={seconds}s" for name, seconds in limits.items() if seconds)
