"""Label checks of translations, for leads and administrators."""

from django.urls import path

from validation.studies.views import label_checks as views

urlpatterns = [
    path("p/<slug:slug>/labels/", views.label_checks, name="label_checks"),
    path("p/<slug:slug>/labels/<int:check_id>/", views.label_check, name="label_check"),
    path("p/<slug:slug>/labels/<int:check_id>/labels.csv", views.label_check_file, name="label_check_file"),
]
