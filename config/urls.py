"""Every address of the site."""

from django.contrib import admin
from django.urls import include, path

from config import health

urlpatterns = [
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("", include("validation.urls.work")),
    path("", include("validation.urls.review")),
    path("", include("annotation.urls.write")),
    path("", include("annotation.urls.invitations")),
    path("", include("annotation.urls.guidelines")),
    path("", include("annotation.urls.projects")),
    path("", include("annotation.urls.concepts")),
    path("", include("annotation.urls.prompts")),
    path("", include("annotation.urls.elicitation")),
    path("", include("annotation.urls.sessions")),
    path("", include("annotation.urls.pay")),
    path("", include("annotation.urls.about")),
    path("", include("annotation.urls.endpoints")),
    path("", include("annotation.urls.materials")),
    path("", include("annotation.urls.machine")),
    path("", include("validation.urls.people")),
    path("", include("validation.urls.targets")),
    path("", include("validation.urls.conflicts")),
    path("", include("validation.urls.insights")),
    path("", include("validation.urls.diagnostic")),
    path("", include("validation.urls.group")),
    path("", include("validation.urls.me")),
    path("", include("validation.urls.imports")),
    path("", include("validation.urls.rating")),
    path("", include("validation.urls.comparing")),
    path("", include("validation.urls.label_checks")),
    path("", include("validation.urls.sources")),
    path("", include("exports.source_urls")),
    path("", include("exports.urls")),
    path("accounts/", include("allauth.account.urls")),
    path("accounts/2fa/", include("allauth.mfa.urls")),
    path("admin/", admin.site.urls),
]

handler400 = "config.errors.bad_request"
handler403 = "config.errors.forbidden"
handler404 = "config.errors.not_found"
handler500 = "config.errors.server_error"
