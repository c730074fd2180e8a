"""What is missing in aligned releases, and between the registers of a language."""

from django.urls import path

from exports.aligned import api, views

urlpatterns = [
    path("p/<slug:slug>/missing/", views.missing, name="missing"),
    path("p/<slug:slug>/missing/missing.csv", views.missing_file, name="missing_file"),
    path("p/<slug:slug>/registers/", views.registers, name="registers"),
    path("p/<slug:slug>/registers/registers.csv", views.registers_file, name="registers_file"),
    path("api/v1/projects/<slug:slug>/registers", api.Registers.as_view(), name="api_registers"),
]
