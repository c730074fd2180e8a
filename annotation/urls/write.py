"""Where people write."""

from django.urls import path

from annotation.views import write

urlpatterns = [
    path("p/<slug:slug>/write/", write.write_next, name="write"),
    path("p/<slug:slug>/write/<str:token>/", write.write_set, name="write_set"),
    path("p/<slug:slug>/write/<str:token>/submit/", write.write_submit, name="write_submit"),
    path("p/<slug:slug>/write/<str:token>/skip/", write.write_skip, name="write_skip"),
    path("p/<slug:slug>/write/<str:token>/save/<slug:slot>/", write.write_autosave, name="write_autosave"),
]
