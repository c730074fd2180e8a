"""People's work."""

from django.urls import path

from validation.quality import api, views

_PERSON = "p/<slug:slug>/quality/<int:annotator_id>/"
urlpatterns = [
    path("p/<slug:slug>/quality/", views.quality, name="quality"),
    path(_PERSON, views.person, name="quality_person"),
    path(f"{_PERSON}pause/", views.person_pause, name="quality_pause"),
    path(f"{_PERSON}set-aside/", views.set_aside, name="quality_set_aside"),
    path("p/<slug:slug>/quality/acts/<int:act_id>/", views.act, name="quality_act"),
    path("p/<slug:slug>/quality/acts/<int:act_id>/undo/", views.act_undo, name="quality_act_undo"),
    path("p/<slug:slug>/quality/gold/", views.gold_questions, name="quality_gold"),
    path(
        "p/<slug:slug>/quality/gold/<int:question_id>/retire/", views.gold_retire, name="quality_gold_retire"
    ),
    path("api/v1/projects/<slug:slug>/quality", api.Quality.as_view(), name="api_quality"),
    path(
        "api/v1/projects/<slug:slug>/gold-questions", api.GoldQuestions.as_view(), name="api_gold_questions"
    ),
    path(
        "api/v1/projects/<slug:slug>/members/<int:annotator_id>:set-aside",
        api.MemberSetAside.as_view(),
        name="api_member_set_aside",
    ),
    path(
        "api/v1/projects/<slug:slug>/set-asides/<int:act_id>:undo",
        api.SetAsideUndo.as_view(),
        name="api_set_aside_undo",
    ),
]
