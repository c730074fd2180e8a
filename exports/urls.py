"""Releases of a project, and what is missing in them and between the registers of a language."""

from django.urls import path

from exports.views import evaluation, missing, registers, releases

urlpatterns = [
    path("p/<slug:slug>/releases/", releases.release_list, name="releases"),
    path("p/<slug:slug>/releases/new/", releases.release_new, name="release_new"),
    path("p/<slug:slug>/releases/<int:n>/", releases.release_page, name="release"),
    path("p/<slug:slug>/releases/<int:n>/files/<path:name>", releases.release_file, name="release_file"),
    path("p/<slug:slug>/releases/<int:n>/evaluation/", evaluation.evaluation, name="evaluation"),
    path(
        "p/<slug:slug>/releases/<int:n>/evaluation/rows.csv",
        evaluation.evaluation_file,
        name="evaluation_file",
    ),
    path("p/<slug:slug>/missing/", missing.missing, name="missing"),
    path("p/<slug:slug>/missing/missing.csv", missing.missing_file, name="missing_file"),
    path("p/<slug:slug>/registers/", registers.registers, name="registers"),
    path("p/<slug:slug>/registers/registers.csv", registers.registers_file, name="registers_file"),
]
