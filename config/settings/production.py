"""A team's server: PostgreSQL, Redis, everything from the environment; refuses to start on an unsafe one."""

import re
from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from annotation.core.rules.mailboxes import email_verification

from .base import *  # noqa: F403
from .base import BASE_DIR, MUFAKAT_SITE_URL, env
from .databases import databases

MUFAKAT_MODE = "production"
SECRET_KEY = env.str("SECRET_KEY", default="")
SECRET_KEY_FALLBACKS = env.list("SECRET_KEY_FALLBACKS", default=[])
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=[])
if len(SECRET_KEY) < 40 or len(set(SECRET_KEY)) < 8 or "change" in SECRET_KEY.lower():
    raise ImproperlyConfigured("SECRET_KEY is missing, short or a default: set 50 random characters.")
if env.bool("DEBUG", default=False):
    raise ImproperlyConfigured("DEBUG must not be set in production.")
if not ALLOWED_HOSTS or "*" in ALLOWED_HOSTS:
    raise ImproperlyConfigured("ALLOWED_HOSTS must name the hosts that this site is reached by (no '*').")
if not env.str("DATABASE_URL", default=""):
    raise ImproperlyConfigured("DATABASE_URL is missing: postgres://user:password@host:5432/name.")

DATABASES: dict[str, Any] = databases(env.str("DATABASE_URL"))
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[f"https://{host}" for host in ALLOWED_HOSTS])
SECURE_SSL = env.bool("HTTPS", default=True)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL
if SECURE_SSL:
    SESSION_COOKIE_NAME, CSRF_COOKIE_NAME = "__Host-sessionid", "__Host-csrftoken"
    SECURE_HSTS_SECONDS = env.int("HSTS_SECONDS", default=31536000)
    # The proxy of docker-compose.yml strips this header from outside before it sets its own.
    if env.int("TRUSTED_PROXY_COUNT", default=0) > 0:
        SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
COLLECTED = Path(env.str("STATIC_ROOT", default=str(BASE_DIR / "staticfiles")))
WHITENOISE_USE_FINDERS = not COLLECTED.is_dir()
if not WHITENOISE_USE_FINDERS:
    STATIC_ROOT = COLLECTED
    STORAGES = {
        "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
        "staticfiles": {"BACKEND": "config.static_files.CollectedStaticFiles"},
    }
# Log-in limits must be shared by all web processes.
if env.str("REDIS_URL", default=""):
    CACHES = {
        "default": {
            "BACKEND": "config.cache.RedisOrMemoryCache",
            "LOCATION": env.str("CACHE_URL", default=env.str("REDIS_URL")),
            "OPTIONS": {"socket_timeout": 2, "socket_connect_timeout": 2},
        }
    }
EMAIL_CONFIG = env.email_url("EMAIL_URL", default="consolemail://")
vars().update(EMAIL_CONFIG)
ACCOUNT_EMAIL_VERIFICATION = email_verification(EMAIL_CONFIG["EMAIL_BACKEND"])
MUFAKAT_SITE_URL = MUFAKAT_SITE_URL or f"{'https' if SECURE_SSL else 'http'}://{ALLOWED_HOSTS[0]}"
if not re.fullmatch(r"https?://[\w\-]+(\.[\w\-]+)*(:\d+)?", MUFAKAT_SITE_URL):
    raise ImproperlyConfigured("SITE_URL must be where this site is reached, such as https://mufakat.example.org.")
