"""A project's own prompts for the tasks of its releases."""

from django.urls import path

from exports.lm_eval import api, views

urlpatterns = [
    path("p/<slug:slug>/prompts/", views.task_prompts_page, name="task_prompts"),
    path("p/<slug:slug>/prompts/<slug:task>/", views.task_prompt_new, name="task_prompt_new"),
    path("p/<slug:slug>/prompts/<slug:task>/<slug:name>/", views.task_prompt, name="task_prompt"),
    path("api/v1/projects/<slug:slug>/task-prompts", api.TaskPrompts.as_view(), name="api_task_prompts"),
    path(
        "api/v1/projects/<slug:slug>/task-prompts:end",
        api.TaskPromptEnd.as_view(),
        name="api_task_prompt_end",
    ),
]
