"""Releases of a project."""

from django.urls import path

from exports import views

urlpatterns = [
    path("p/<slug:slug>/releases/", views.release_list, name="releases"),
    path("p/<slug:slug>/releases/new/", views.release_new, name="release_new"),
    path("p/<slug:slug>/releases/<int:n>/", views.release_page, name="release"),
    path("p/<slug:slug>/releases/<int:n>/files/<str:name>", views.release_file, name="release_file"),
]
