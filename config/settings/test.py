"""The suite: PostgreSQL and Redis that tests/plugin.py started (DATABASE_URL, REDIS_URL), fast password hashes."""

from typing import Any

from annotation.core.rules.mailboxes import email_verification
from config.variables import env

from .base import *  # noqa: F403
from .base import INSTALLED_APPS
from .databases import databases
from .sign_in import OPENID_CONNECT, PROVIDER

MUFAKAT_MODE = "test"
# No institution is named: tests that sign in through one name theirs.
INSTALLED_APPS.append(OPENID_CONNECT)
SOCIALACCOUNT_PROVIDERS = {"openid_connect": PROVIDER}
# Passkeys have their addresses; tests that use them offer them.
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes", "webauthn"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = True
SECRET_KEY = "only-for-the-suite-0123456789abcdefghijklmnopqrstuvwxyz"  # noqa: S105
ALLOWED_HOSTS = ["testserver", "127.0.0.1", "localhost"]
DATABASES: dict[str, Any] = databases(env("DATABASE_URL"))
DATABASES["default"]["CONN_MAX_AGE"] = 0
DATABASES["default"]["CONN_HEALTH_CHECKS"] = False
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
ACCOUNT_EMAIL_VERIFICATION = email_verification(EMAIL_BACKEND)
MUFAKAT_SITE_URL = "http://testserver"
ENDPOINT_HOSTS_ALLOWED = ["127.0.0.1:*"]  # tests/llm_server.py
