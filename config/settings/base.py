"""Common settings of every mode. The modes (embedded, production, test) import this and set the data's place."""

import os
from pathlib import Path
from typing import Any

from csp.constants import NONE, SELF
from django.conf import locale as django_locale

from annotation.core.rules import languages
from annotation.core.rules.mailboxes import email_verification
from annotation.core.rules.version import RELEASE
from config import lazily, logs, schedule, variables
from config.variables import env

from . import sign_in

BASE_DIR = Path(__file__).resolve().parent.parent.parent
VAR_DIR = BASE_DIR / "var"
# Every mode but these two is a server's; what is wrong with the environment is said at once, before anything is read.
variables.check(production=os.environ.get("DJANGO_SETTINGS_MODULE", "") not in variables.LOCAL_MODES)

DEBUG = False
ALLOWED_HOSTS: list[str] = []
ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

INSTALLED_APPS = [
    "annotation",
    "validation",
    "exports",
    "config.apps.AdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.humanize",
    "django.contrib.messages",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "django_htmx",
    "template_partials",
    "csp",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "config.middleware.CompressedPagesMiddleware",
    "config.middleware.RequestLogMiddleware",
    "config.middleware.MigratedMiddleware",
    "corsheaders.middleware.CorsMiddleware",
    "config.middleware.SignedOutMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "config.middleware.PersonMiddleware",
    "config.middleware.LanguageMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "csp.middleware.CSPMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "config.middleware.StrangersUploadMiddleware",
    "config.middleware.RefusalMiddleware",
]

TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "builtins": ["annotation.templatetags.pages"],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    }
]

# --- people -----------------------------------------------------------------
AUTH_USER_MODEL = "annotation.User"
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "CommonPasswordValidator", "NumericPasswordValidator")
] + [
    {"NAME": "annotation.api.tokens.TokensEndWithPassword"},
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 10},
    },
]
# People of an institution, by OpenID Connect; what it needs is only loaded where one is named.
MUFAKAT_INSTITUTION = sign_in.institution()
MUFAKAT_SECOND_FACTOR = env("SECOND_FACTOR_REQUIRED")
SOCIALACCOUNT_STORE_TOKENS = False
LOGIN_REDIRECT_URL = "/"
LOGIN_URL = "account_login"
ACCOUNT_ADAPTER = "annotation.projects.accounts.AccountAdapter"
if MUFAKAT_INSTITUTION is not None:
    INSTALLED_APPS.append(sign_in.OPENID_CONNECT)
    vars().update(sign_in.settings_of(MUFAKAT_INSTITUTION))
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*", "password2*"]
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_USER_MODEL_EMAIL_FIELD = "email"
ACCOUNT_UNIQUE_EMAIL = True
ACCOUNT_PREVENT_ENUMERATION = True
ACCOUNT_CHANGE_EMAIL = True  # one address an account: the old one stays until the new one is confirmed
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_FORMS = {"signup": "annotation.projects.forms.SignupForm"}
ACCOUNT_LOGOUT_ON_GET = False
ACCOUNT_LOGOUT_ON_PASSWORD_CHANGE = True
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_RATE_LIMITS = {
    "login": env("LOGIN_RATE"),
    "login_failed": env("LOGIN_FAILED_RATE"),
    "login_account": env("LOGIN_ACCOUNT_RATE"),
    "reset_password": env("RESET_RATE"),
    "signup": env("SIGNUP_RATE"),
    "erratum": env("ERRATUM_RATE"),
    "api_failed": env("API_FAILED_RATE"),
}
ALLAUTH_TRUSTED_PROXY_COUNT = env("TRUSTED_PROXY_COUNT")
INVITATION_DAYS = env("INVITATION_DAYS")
INVITATIONS_AN_HOUR = env("INVITATIONS_AN_HOUR")  # of one person, in all projects together
MUFAKAT_OPEN_SIGNUP: bool = env("OPEN_SIGNUP")
MUFAKAT_PASSKEYS = env("PASSKEYS")
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes", *(["webauthn"] if MUFAKAT_PASSKEYS else [])]
MFA_PASSKEY_LOGIN_ENABLED = MUFAKAT_PASSKEYS
# allauth imports what security keys need all the same, a list of every public domain included.
lazily.import_lazily("allauth.mfa.webauthn.internal.auth")
# What Django REST framework imports where it is there, for its client, pages, schemas and fields: we use none of it.
lazily.import_lazily(
    "rest_framework.compat",
    without=("django.contrib.postgres", "inflection", "pygments", "requests", "uritemplate", "yaml"),
)
MFA_ADAPTER = "annotation.core.second_factor.SealedFactors"
MFA_TOTP_ISSUER = "Mufakat"
# Right when it was typed: over a slow line, or from a phone whose clock is off. One step (RFC 6238, section 5.2).
MFA_TOTP_TOLERANCE = 1
MFA_FORMS = {
    "activate_totp": "annotation.core.forms.ActivateTOTPForm",
    "authenticate": "annotation.core.forms.AuthenticateForm",
    "reauthenticate": "annotation.core.forms.ReauthenticateForm",
    "add_webauthn": "annotation.core.passkeys.AddPasskeyForm",
}

SESSION_ENGINE = "annotation.core.sessions"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_AGE = 14 * 24 * 3600
CSRF_COOKIE_SAMESITE = "Lax"
CSRF_FAILURE_VIEW = "config.errors.csrf_failure"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
USE_X_FORWARDED_HOST = False

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "media-src": [SELF],
        "font-src": [SELF],
        "connect-src": [SELF],
        "object-src": [NONE],
        "base-uri": [NONE],
        # A form that signs somebody in leads on to their institution.
        "form-action": [SELF, *([MUFAKAT_INSTITUTION.origin] if MUFAKAT_INSTITUTION else [])],
        "frame-ancestors": [NONE],
    }
}

# --- limits on what a request may bring (design: reliability A52) -------------
DATA_UPLOAD_MAX_MEMORY_SIZE = 2 * 1024 * 1024
DATA_UPLOAD_MAX_NUMBER_FIELDS = 4000  # a task as a form, with all the questions and labels that it can have
FILE_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024
MUFAKAT_STRANGERS_MAX_BYTES = 1024 * 1024  # before signing in; forms are far smaller
# Where push_release sends releases, and the token that may write there.
MUFAKAT_HUB_URL = env("HUB_URL")
MUFAKAT_HUB_TOKEN = env("HUB_TOKEN")
MUFAKAT_UPLOAD_MAX_BYTES = env("UPLOAD_MAX_BYTES")

# --- languages and time --------------------------------------------------------
LANGUAGE_CODE = "en"
django_locale.LANG_INFO.update(languages.ADDED_LANG_INFO)
LANGUAGES = list(languages.INTERFACE_LANGUAGES.items())
LOCALE_PATHS = [BASE_DIR / "locale"]
FORMAT_MODULE_PATH = "config.formats"
USE_I18N = True
USE_TZ = True
TIME_ZONE = env("TIME_ZONE")

# --- files ----------------------------------------------------------------------
STATIC_URL = "/static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATIC_ROOT: Path | None = None  # only a production build collects; elsewhere the finders are read
WHITENOISE_USE_FINDERS = True
WHITENOISE_MAX_AGE = 3600
PG_BINDIR = env("PG_BINDIR")  # where pg_dump is, beyond the usual places
# --- what /readyz says: who is told more than yes or no, and from when on a disk is full ---
READYZ_NETWORKS = env("READYZ_NETWORKS")
DISK_MIN_BYTES = env("DISK_MIN_BYTES")
# Where web processes count what they answer, for config/metrics.py; nothing is counted, or loaded for it, without.
MUFAKAT_METRICS_DIR = env("METRICS_DIR")
if MUFAKAT_METRICS_DIR:
    MIDDLEWARE.insert(0, "config.counts.CountsMiddleware")
# Traces (config/traces.py): the variable is OpenTelemetry's own, as its others are, which the library reads itself.
MUFAKAT_TRACES = bool(env("OTEL_EXPORTER_OTLP_ENDPOINT"))
if MUFAKAT_TRACES:
    MIDDLEWARE.insert(0, "config.traces.TracesMiddleware")
MUFAKAT_DATA_DIR = Path(env("DATA_DIR") or VAR_DIR)
# Where files lie that web and workers share: below DATA_DIR, or in an object store (annotation/files).
MUFAKAT_STORAGE_URL = env("STORAGE_URL")
# Read by django-storages; where they are empty boto3 looks for a role of this machine.
AWS_ACCESS_KEY_ID = env("AWS_ACCESS_KEY_ID") or None
AWS_SECRET_ACCESS_KEY = env("AWS_SECRET_ACCESS_KEY") or None

# --- background work: the database is the queue of record, Redis is the wake-up call ---
REDIS_URL = env("REDIS_URL")
MUFAKAT_CELERY_APP = "config.celery.app"  # imported by who sends a message
CELERY_BROKER_URL = REDIS_URL or "memory://"
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_POOL = "config.prefork:TaskPool"
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
# A worker without a process for a job would ask for no limit of messages when it finds its broker again.
CELERY_WORKER_ENABLE_PREFETCH_COUNT_REDUCTION = False
CELERY_TASK_IGNORE_RESULT = True
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_SERIALIZER = "json"
CELERY_TASK_TIME_LIMIT = 600
CELERY_TASK_PUBLISH_RETRY = False
CELERY_WORKER_SOFT_SHUTDOWN_TIMEOUT = 30
CELERY_WORKER_ENABLE_SOFT_SHUTDOWN_ON_IDLE = True
CELERY_WORKER_MAX_MEMORY_PER_CHILD = 400_000
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# How sentinels call the set whose first Redis is used, where REDIS_URL names sentinels.
REDIS_SENTINEL_SET = env("REDIS_SENTINEL_SET")
CELERY_BROKER_TRANSPORT_OPTIONS = schedule.TRANSPORT_OPTIONS | {"master_name": REDIS_SENTINEL_SET}
CELERY_TASK_DEFAULT_QUEUE = schedule.DEFAULT_QUEUE
CELERY_TASK_ROUTES = schedule.TASK_ROUTES
CELERY_BEAT_SCHEDULE = schedule.BEAT_SCHEDULE

# --- the API: annotation/api has all that its views share ---
REST_FRAMEWORK = {"DEFAULT_SCHEMA_CLASS": "annotation.api.openapi.Schema", "URL_FORMAT_OVERRIDE": None}
SPECTACULAR_SETTINGS = {
    "OAS_VERSION": "3.1.1",
    "TITLE": "Mufakat",
    "VERSION": "1",
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "POSTPROCESSING_HOOKS": [],
}
MUFAKAT_API_A_MINUTE: int = env("API_REQUESTS_A_MINUTE")
# Pages of other sites that may use the API from a browser, with a token and never with a session; none unless named.
CORS_ALLOWED_ORIGINS = env("API_ORIGINS")
CORS_URLS_REGEX = r"^/api/v1/"
CORS_ALLOW_CREDENTIALS = False
CORS_ALLOW_METHODS = ("GET", "POST")
CORS_ALLOW_HEADERS = ("authorization", "content-type", "idempotency-key")
CORS_EXPOSE_HEADERS = ("X-Request-ID", "Retry-After")

CACHES: dict[str, Any] = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}

# A reading of insights waits so long for the replica, where there is one (annotation/jobs/replica.py).
MUFAKAT_REPLICA_SECONDS = env("DATABASE_REPLICA_LAG")

# --- how long things last (seconds); a project may say otherwise where domain.md makes it a setting ---
ASSIGNMENT_SECONDS = env("ASSIGNMENT_SECONDS")
ASSIGNMENT_CAP_SECONDS = env("ASSIGNMENT_CAP_SECONDS")
TAKE_BACK_SECONDS = env("TAKE_BACK_SECONDS")

# --- where endpoints may be: beyond public hosts by https, only these ("host:port", "*" for any port) -----------
ENDPOINT_HOSTS_ALLOWED: list[str] = env("ENDPOINT_HOSTS_ALLOWED")

LOGGING = logs.config(env("LOG_LEVEL"))
LOGGING_CONFIG = "logging.config.dictConfig"

EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
ACCOUNT_EMAIL_VERIFICATION = email_verification(EMAIL_BACKEND)
# Where links in messages lead: never the host that a request names.
MUFAKAT_SITE_URL: str = env("SITE_URL")
MUFAKAT_PORT = env("PORT")  # of manage.py serve
DEFAULT_FROM_EMAIL = env("DEFAULT_FROM_EMAIL")
MUFAKAT_RELEASE = RELEASE
