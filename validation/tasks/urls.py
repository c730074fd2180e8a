"""A new task, its preview, and the task of a project."""

from django.urls import path

from validation.tasks import api, views

urlpatterns = [
    path("projects/new/task/", views.task_new, name="task_new"),
    path("projects/new/task/preview/", views.task_preview, name="task_preview"),
    path("p/<slug:slug>/task/", views.task_page, name="task"),
    path("api/v1/projects/<slug:slug>/task", api.TaskView.as_view(), name="api_task"),
    path("api/v1/projects/<slug:slug>/task-versions", api.TaskVersions.as_view(), name="api_task_versions"),
]
