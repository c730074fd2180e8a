"""Images and sounds of a project."""

from django.urls import path

from annotation.media import api, views

urlpatterns = [
    path("p/<slug:slug>/media/", views.media_files, name="media_files"),
    path("p/<slug:slug>/media/<int:file_id>/original/", views.media_original, name="media_original"),
    path("p/<slug:slug>/media/<str:name>", views.media, name="media"),
    path("api/v1/projects/<slug:slug>/media", api.MediaFiles.as_view(), name="api_media"),
    path(
        "api/v1/projects/<slug:slug>/media/<str:name>/remove",
        api.MediaRemove.as_view(),
        name="api_media_remove",
    ),
]
