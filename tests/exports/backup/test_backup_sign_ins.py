"""A backup that falls into other hands lets nobody in."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.faults import site

SIGN_INS = """
from allauth.mfa.totp.internal.auth import TOTP
from django.contrib.auth import HASH_SESSION_KEY, SESSION_KEY
from annotation.core.models.user import User
from annotation.core.sessions import SessionStore
user = User.objects.first()
TOTP.activate(user, "JBSWY3DPEHPK3PXP")
session = SessionStore()
session.update({SESSION_KEY: str(user.pk), HASH_SESSION_KEY: user.get_session_auth_hash()})
session.create()
print(session.session_key)
"""


@pytest.mark.parametrize("same_key", [True, False])
def test_a_backup_signs_nobody_in(tmp_path: Path, migrated_sqlite: Path, same_key: bool) -> None:
    """No session and no secret of a second factor can be read in it; under another key factors are set up again."""
    source, target, file = tmp_path / "a.sqlite3", tmp_path / "b" / "b.sqlite3", tmp_path / "whole.tar"
    target.parent.mkdir()
    env = {**site.environment(f"sqlite:///{source}", "", tmp_path, "embedded"), "SECRET_KEY": "kunci-" * 12}
    shutil.copy(migrated_sqlite, source)
    site.manage(env, "create_admin", "a@example.org")
    session = site.manage(env, "shell", "--no-imports", "-c", SIGN_INS).stdout.strip()
    assert session.encode() in source.read_bytes()
    site.manage(env, "backup", str(file))
    content = file.read_bytes()
    assert session.encode() not in content
    assert b"JBSWY3DPEHPK3PXP" not in content
    there = {**env, "DATABASE_URL": f"sqlite:///{target}", "DATA_DIR": str(target.parent)}
    there |= {} if same_key else {"SECRET_KEY": "lain-" * 12}
    output = site.manage(there, "restore", str(file)).stdout
    assert "Every table has the rows" in output
    assert ("1 people must set up two-step sign-in again" in output) == (not same_key)
    with closing(sqlite3.connect(target)) as restored:
        assert restored.execute("SELECT count(*) FROM mfa_authenticator").fetchone() == (int(same_key),)
        assert restored.execute("SELECT count(*) FROM annotation_browsersession").fetchone() == (0,)
