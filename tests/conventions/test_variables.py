"""The environment's variables: one table, of which the document is made; what is wrong is said at every start."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from allauth.core.internal.ratelimit import parse_rates

from config import variables
from tests import services
from tests.conventions.sources import ROOT
from tests.faults import site

WRONG = {
    "LOGIN_RATE": "30perminute",
    "LOGIN_FAILED_RATE": "5/5m/user",
    "DATABASE_URL": "postgress//x",
    "ASSIGNMENT_SECONDS": "abc",
    "STORAGE_URL": "s3:/x",
    "REDIS_URL": "localhost:6379",
    "EMAIL_URL": "smtp://",
    "ALLOWED_HOSTS": "*",
    "HTTPS": "ture",
    "TIME_ZONE": "Asia/Jakata",
    "READYZ_NETWORKS": "10.0.0.0/33",
    "DATABASE_REPLICA_LAG": "31",
    "SITE_URL": "mufakat.example.org/site",
    "METRICS_BIND": "9464",
    "OIDC_ISSUER": "sso",
    "DATA_DIR": "/dev/null/data",
    "SECRET_KEY": "change-me",
}
STARTS = {
    "check": ["manage.py", "check"],
    "serve": ["manage.py", "serve"],
    "web": ["-m", "gunicorn", "config.wsgi", "--preload", "--bind", "127.0.0.1:0", "--no-control-socket"],
    "background": ["-m", "config.background"],
    "celery": ["-m", "celery", "-A", "config", "worker"],
    "metrics": ["-m", "config.metrics"],
}


def ended(arguments: list[str], env: dict[str, str]) -> list[str]:
    """The lines that a program says before it ends with exit code 1."""
    done = subprocess.run([sys.executable, *arguments], cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr[-2000:]
    return done.stderr.splitlines()


@pytest.mark.parametrize("arguments", STARTS.values(), ids=list(STARTS))
def test_wrong_values_end_every_start_with_a_sentence_each(arguments: list[str], tmp_path: Path) -> None:
    env = site.environment("", "", tmp_path, "production") | WRONG
    said = ended(arguments, env)
    if "metrics" in arguments[-1]:
        assert said == ["METRICS_BIND is '9464', but must be HOST:PORT."]
        said = ended(arguments, env | {"METRICS_BIND": f"127.0.0.1:{services.free_port()}"})
    assert {line.partition(" ")[0] for line in said} >= WRONG.keys() - {"METRICS_BIND"}
    assert all(
        re.fullmatch(r"[A-Z_]+ (is '|has a value that is not shown, ).*, but must be .+\.", line) for line in said
    )
    assert not any(WRONG[name] in line for line in said for name in ("DATABASE_URL", "REDIS_URL", "SECRET_KEY"))


def test_a_server_says_what_is_missing_and_what_does_not_go_together(tmp_path: Path) -> None:
    env = site.environment("sqlite://:memory:", "", tmp_path, "production") | {"ALLOWED_HOSTS": "", "DEBUG": "1"}
    env |= {"DATABASE_REPLICA_URL": "postgres://u@h/d", "OIDC_ISSUER": "https://sso.example.org"}
    assert ended(STARTS["check"], env) == [
        "ALLOWED_HOSTS is missing: it must be names of hosts without *, separated by commas.",
        "DEBUG must not be true in production: take it out.",
        "DATABASE_REPLICA_URL is for PostgreSQL alone: both addresses must be postgres://….",
        "OIDC_CLIENT_ID is missing: the name under which the provider knows this site.",
    ]
    assert ended(STARTS["check"], env | {"DJANGO_SETTINGS_MODULE": "config.settings.prod"}) == [
        "DJANGO_SETTINGS_MODULE is 'config.settings.prod', but must be "
        "config.settings.embedded or config.settings.production."
    ]


def test_times_that_contradict_and_roles_without_an_institution_are_faults(monkeypatch: pytest.MonkeyPatch) -> None:
    values = {"ASSIGNMENT_SECONDS": "600", "ASSIGNMENT_CAP_SECONDS": "60", "OIDC_ISSUER": "", "OIDC_ROLES": "zz"}
    for name, text in values.items():
        monkeypatch.setenv(name, text)
    with pytest.raises(variables.WrongSettings) as wrong:
        variables.check(production=False)
    assert wrong.value.faults[0] == (
        "ASSIGNMENT_CAP_SECONDS is 60, but must be at least ASSIGNMENT_SECONDS, which is 600."
    )
    assert wrong.value.faults[1].startswith("OIDC_ROLES")


def test_the_document_has_the_table() -> None:
    """`python -m config.variables` prints what stands in docs/operating.md."""
    assert variables.table() in (ROOT / "docs" / "operating.md").read_text()


def test_every_default_is_a_value_and_a_limit_that_allauth_reads() -> None:
    for variable in variables.VARIABLES:
        value = variable.value({})
        assert value == variable.value({variable.name: variable.default})
        if variable.written_kind.startswith("rates"):
            assert {rate.per for rate in parse_rates(value)} <= set(variable.written_kind.split()[1:])


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("DATABASE_URL", "postgres:///mufakat?host=/var/run/postgresql", None),
        ("DATABASE_URL", "postgres://u:p%23w@a,b:5433/d?target_session_attrs=read-write", None),
        ("REDIS_URL", "sentinel://:p@10.0.0.1:26379/0;sentinel://:p@10.0.0.2:26379/0", None),
        ("REDIS_URL", "redis://:p@[::1]:6379/0", None),
        ("LOGIN_FAILED_RATE", "10/m,5/5m/key", None),
        ("ALLOWED_HOSTS", "mufakat.example.org, .example.net,[::1]", ["mufakat.example.org", ".example.net", "[::1]"]),
        ("STORAGE_URL", "s3://bucket/a/b?endpoint=https://minio:9000&links=no", None),
        ("SITE_URL", "http://localhost:8000/", "http://localhost:8000"),
        ("METRICS_BIND", "0.0.0.0:9464", ("0.0.0.0", 9464)),  # noqa: S104 - only read
        ("OIDC_SCOPES", "openid  groups", ["openid", "groups"]),
        ("HTTPS", "No", False),
        ("ENDPOINT_HOSTS_ALLOWED", "vllm:8000 10.0.0.5:* [fd12::1]:443", ["vllm:8000", "10.0.0.5:*", "[fd12::1]:443"]),
    ],
)
def test_what_may_be_is_read(name: str, text: str, value: object) -> None:
    row = next(row for row in variables.VARIABLES if row.name == name)
    assert row.value({name: text}) == (text if value is None else value)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("DATABASE_URL", "postgres://u:p@h:port/d"),
        ("DATABASE_URL", "postgres://u:p@h"),
        ("DATABASE_URL", "mysql://u:p@h/d"),
        ("DATABASE_URL", "sqlite:///"),
        ("DATABASE_URL", "sqlite:////proc"),
        ("REDIS_URL", "redis://"),
        ("REDIS_URL", "redis://h:70000/0"),
        ("STORAGE_URL", "s3://key@bucket"),
        ("LOGIN_RATE", "0/m/ip"),
        ("ASSIGNMENT_SECONDS", "1" * 5000),
        ("TIME_ZONE", "../../etc/passwd"),
        ("DATA_DIR", "a\0b"),
        ("DATA_DIR", "/proc/nope"),
        ("ENDPOINT_HOSTS_ALLOWED", "a:b:c"),
        ("ENDPOINT_HOSTS_ALLOWED", "vllm:8000 vllm"),
        ("ENDPOINT_HOSTS_ALLOWED", "vllm:70000"),
    ],
)
def test_what_may_not_be_is_refused(name: str, text: str) -> None:
    row = next(row for row in variables.VARIABLES if row.name == name)
    with pytest.raises(variables.WrongSettings, match=f"^{name} "):
        row.value({name: text})
