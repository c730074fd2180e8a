"""A team's server: PostgreSQL, Redis, everything from the environment; refuses to start on an unsafe one."""

from pathlib import Path
from typing import Any

import environ

from annotation.core.rules.mailboxes import email_verification
from config.variables import env

from .base import *  # noqa: F403
from .base import BASE_DIR, MUFAKAT_SITE_URL
from .databases import databases

MUFAKAT_MODE = "production"
SECRET_KEY = env("SECRET_KEY")
SECRET_KEY_FALLBACKS = env("SECRET_KEY_FALLBACKS")
ALLOWED_HOSTS = env("ALLOWED_HOSTS")
DATABASES: dict[str, Any] = databases(env("DATABASE_URL"))
CSRF_TRUSTED_ORIGINS = env("CSRF_TRUSTED_ORIGINS") or [f"https://{host}" for host in ALLOWED_HOSTS]
SECURE_SSL = env("HTTPS")
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL
if SECURE_SSL:
    SESSION_COOKIE_NAME, CSRF_COOKIE_NAME = "__Host-sessionid", "__Host-csrftoken"
    SECURE_HSTS_SECONDS = env("HSTS_SECONDS")
    # The proxy of docker-compose.yml strips this header from outside before it sets its own.
    if env("TRUSTED_PROXY_COUNT") > 0:
        SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
COLLECTED = Path(env("STATIC_ROOT") or BASE_DIR / "staticfiles")
WHITENOISE_USE_FINDERS = not COLLECTED.is_dir()
if not WHITENOISE_USE_FINDERS:
    STATIC_ROOT = COLLECTED
    STORAGES = {
        "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
        "staticfiles": {"BACKEND": "config.static_files.CollectedStaticFiles"},
    }
# Log-in limits must be shared by all web processes.
if env("REDIS_URL"):
    CACHES = {
        "default": {
            "BACKEND": "config.cache.RedisOrMemoryCache",
            "LOCATION": env("CACHE_URL") or env("REDIS_URL"),
            "OPTIONS": {"socket_timeout": 2, "socket_connect_timeout": 2},
        }
    }
EMAIL_CONFIG = environ.Env.email_url_config(env("EMAIL_URL"))
vars().update(EMAIL_CONFIG)
ACCOUNT_EMAIL_VERIFICATION = email_verification(EMAIL_CONFIG["EMAIL_BACKEND"])
MUFAKAT_SITE_URL = MUFAKAT_SITE_URL or f"{'https' if SECURE_SSL else 'http'}://{ALLOWED_HOSTS[0]}"
