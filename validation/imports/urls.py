"""Taking files in, and what came of it."""

from django.urls import path

from validation.imports import views

urlpatterns = [
    path("p/<slug:slug>/import/", views.imports, name="imports"),
    path("p/<slug:slug>/import/<int:import_id>/", views.import_page, name="import_page"),
    path("p/<slug:slug>/import/<int:import_id>/start/", views.import_begin, name="import_start"),
    path("p/<slug:slug>/import/<int:import_id>/cancel/", views.import_cancel, name="import_cancel"),
    path("p/<slug:slug>/import/<int:import_id>/refused.csv", views.import_refused, name="import_refused"),
]
