"""Guidelines of a project."""

from django.urls import path

from annotation.core.views import guidelines as views

urlpatterns = [
    path("p/<slug:slug>/guidelines/", views.guidelines, name="guidelines"),
    path("p/<slug:slug>/guidelines/<slug:role>/read/", views.guidelines_mark, name="guidelines_read"),
    path(
        "p/<slug:slug>/guidelines/<slug:role>/versions/",
        views.guidelines_versions,
        name="guidelines_versions",
    ),
    path("p/<slug:slug>/guidelines/<slug:role>/edit/", views.guidelines_edit, name="guidelines_edit"),
]
