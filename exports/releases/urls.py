"""Releases of a project, missing rows, and the comparison of registers of a language."""

from django.urls import path

from exports.aligned import api as aligned_api
from exports.aligned import views as aligned
from exports.lm_eval import api as prompts_api
from exports.lm_eval import views as prompts
from exports.releases import api
from exports.releases import views as releases

urlpatterns = [
    path("p/<slug:slug>/releases/", releases.release_list, name="releases"),
    path("p/<slug:slug>/releases/new/", releases.release_new, name="release_new"),
    path("p/<slug:slug>/releases/<int:n>/", releases.release_page, name="release"),
    path("p/<slug:slug>/releases/<int:n>/files/<path:name>", releases.release_file, name="release_file"),
    path("p/<slug:slug>/prompts/", prompts.task_prompts_page, name="task_prompts"),
    path("p/<slug:slug>/prompts/<slug:task>/", prompts.task_prompt_new, name="task_prompt_new"),
    path("p/<slug:slug>/prompts/<slug:task>/<slug:name>/", prompts.task_prompt, name="task_prompt"),
    path("p/<slug:slug>/missing/", aligned.missing, name="missing"),
    path("p/<slug:slug>/missing/missing.csv", aligned.missing_file, name="missing_file"),
    path("p/<slug:slug>/registers/", aligned.registers, name="registers"),
    path("p/<slug:slug>/registers/registers.csv", aligned.registers_file, name="registers_file"),
    path("api/v1/projects/<slug:slug>/releases", api.Releases.as_view(), name="api_releases"),
    path(
        "api/v1/projects/<slug:slug>/releases:preview",
        api.ReleasesPreview.as_view(),
        name="api_releases_preview",
    ),
    path("api/v1/projects/<slug:slug>/releases/<int:n>", api.ReleaseView.as_view(), name="api_release"),
    path(
        "api/v1/projects/<slug:slug>/releases/<int:n>/files/<path:name>",
        api.ReleaseFileView.as_view(),
        name="api_release_file",
    ),
    path("api/v1/projects/<slug:slug>/registers", aligned_api.Registers.as_view(), name="api_registers"),
    path(
        "api/v1/projects/<slug:slug>/task-prompts", prompts_api.TaskPrompts.as_view(), name="api_task_prompts"
    ),
    path(
        "api/v1/projects/<slug:slug>/task-prompts:end",
        prompts_api.TaskPromptEnd.as_view(),
        name="api_task_prompt_end",
    ),
]
