"""Where people write."""

from django.urls import path

from annotation.writing import api, api_typing
from annotation.writing.views import prompts, targets, typing, write
from annotation.writing.views import submitted as written

urlpatterns = [
    path("p/<slug:slug>/write/", write.write_next, name="write"),
    path("p/<slug:slug>/write/done/", written.write_done, name="write_done"),
    path("p/<slug:slug>/write/take/<slug:key>/", targets.write_take, name="write_take"),
    path("p/<slug:slug>/write/typing/", typing.write_typing, name="write_typing"),
    path("p/<slug:slug>/typing/", typing.typing, name="typing"),
    path("p/<slug:slug>/write/item/<int:item_id>/", written.write_item, name="write_item"),
    path("p/<slug:slug>/write/<str:token>/", write.write_set, name="write_set"),
    path("p/<slug:slug>/write/<str:token>/submit/", write.write_submit, name="write_submit"),
    path("p/<slug:slug>/write/<str:token>/elsewhere/", targets.write_elsewhere, name="write_elsewhere"),
    path("p/<slug:slug>/write/<str:token>/skip/", write.write_skip, name="write_skip"),
    path("p/<slug:slug>/write/<str:token>/save/<slug:slot>/", write.write_autosave, name="write_autosave"),
    path("p/<slug:slug>/topics/", prompts.topics, name="topics"),
    path("p/<slug:slug>/topics/<int:concept_id>/new/", prompts.topic_begin, name="topic_begin"),
    path("p/<slug:slug>/topics/vary/<int:item_id>/", prompts.topic_vary, name="topic_vary"),
    path("p/<slug:slug>/second-look/", prompts.second_look, name="second_look"),
    path("p/<slug:slug>/second-look/table/", prompts.second_looks, name="second_looks"),
    path("p/<slug:slug>/second-look/<int:item_id>/", prompts.second_look_save, name="second_look_save"),
    path("api/v1/projects/<slug:slug>/allocations", api.Allocations.as_view(), name="api_allocations"),
    path("api/v1/projects/<slug:slug>/allocations/<str:token>/drafts", api.Drafts.as_view(), name="api_drafts"),
    path(
        "api/v1/projects/<slug:slug>/allocations/<str:token>/sets:submit",
        api.SetsSubmit.as_view(),
        name="api_submit",
    ),
    path(
        "api/v1/projects/<slug:slug>/allocations/<str:token>:skip",
        api.AllocationSkip.as_view(),
        name="api_allocation_skip",
    ),
    path("api/v1/projects/<slug:slug>/typing", api_typing.Typing.as_view(), name="api_typing"),
]
