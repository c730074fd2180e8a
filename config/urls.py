"""Every address of the site."""

from django.apps import apps
from django.contrib import admin
from django.urls import include, path

from config import health

urlpatterns = [
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("", include("validation.tasks.urls")),
    path("", include("validation.overview.urls")),
    path("", include("validation.review.urls")),
    path("", include("annotation.writing.urls")),
    path("", include("annotation.core.urls")),
    path("", include("annotation.projects.urls")),
    path("", include("annotation.api.urls")),
    path("", include("annotation.concepts.urls")),
    path("", include("annotation.elicitation.urls")),
    path("", include("annotation.pay.urls")),
    path("", include("annotation.datasheet.urls")),
    path("", include("annotation.generation.urls")),
    path("", include("annotation.webhooks.urls")),
    path("", include("annotation.media.urls")),
    path("", include("validation.people.urls")),
    path("", include("validation.translation.urls")),
    path("", include("validation.insights.urls")),
    path("", include("validation.model_votes.urls")),
    path("", include("validation.studies.urls")),
    path("", include("validation.questions.urls")),
    path("", include("validation.quality.urls")),
    path("", include("validation.qualification.urls")),
    path("", include("validation.notices.urls")),
    path("", include("validation.group_review.urls")),
    path("", include("validation.imports.urls")),
    path("", include("exports.sources.urls")),
    path("", include("exports.aligned.urls")),
    path("", include("exports.lm_eval.urls")),
    path("", include("exports.releases.urls")),
    path("", include("exports.predictions.urls")),
    path("", include("exports.public.urls")),
    path("", include("exports.withdrawals.urls")),
    path("", include("exports.statistics.urls")),
    path("", include("exports.paper.urls")),
    path("accounts/", include("allauth.account.urls")),
    path("accounts/2fa/", include("allauth.mfa.urls")),
    path("admin/", admin.site.urls),
]

if apps.is_installed("allauth.socialaccount.providers.openid_connect"):
    urlpatterns.append(path("accounts/institution/", include("validation.sign_in.urls")))

handler400 = "config.errors.bad_request"
handler403 = "config.errors.forbidden"
handler404 = "config.errors.not_found"
handler500 = "config.errors.server_error"
