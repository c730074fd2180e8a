"""Targets of a translation project, and who works for which."""

from django.urls import path

from validation.translation.views import members as places
from validation.translation.views import recheck, targets

urlpatterns = [
    path("p/<slug:slug>/targets/", targets.targets, name="targets"),
    path("p/<slug:slug>/targets/new/", targets.target_new, name="target_new"),
    path("p/<slug:slug>/targets/on/<slug:key>/", targets.target, name="target"),
    path("p/<slug:slug>/targets/on/<slug:key>/change/", targets.target_change, name="target_change"),
    path("p/<slug:slug>/targets/on/<slug:key>/end/", targets.target_closing, name="target_end"),
    path("p/<slug:slug>/targets/on/<slug:key>/recheck/", recheck.target_recheck, name="target_recheck"),
    path("p/<slug:slug>/people/<int:annotator_id>/targets/", places.people_targets, name="people_targets"),
]
