"""People's work."""

from django.urls import path

from validation.quality import api, api_acts, views

_API = "api/v1/projects/<slug:slug>/"
_MEMBER = f"{_API}members/<int:annotator_id>"
_PERSON = "p/<slug:slug>/quality/<int:annotator_id>/"
urlpatterns = [
    path("p/<slug:slug>/quality/", views.quality, name="quality"),
    path(_PERSON, views.person, name="quality_person"),
    path(f"{_PERSON}pause/", views.person_pause, name="quality_pause"),
    path(f"{_PERSON}set-aside/", views.set_aside, name="quality_set_aside"),
    path("p/<slug:slug>/quality/acts/<int:act_id>/", views.act, name="quality_act"),
    path("p/<slug:slug>/quality/acts/<int:act_id>/undo/", views.act_undo, name="quality_act_undo"),
    path("p/<slug:slug>/quality/gold/", views.gold_questions, name="quality_gold"),
    path("p/<slug:slug>/quality/gold/<int:question_id>/retire/", views.gold_retire, name="quality_gold_retire"),
    path("api/v1/projects/<slug:slug>/quality", api.Quality.as_view(), name="api_quality"),
    path("api/v1/projects/<slug:slug>/gold-questions", api.GoldQuestions.as_view(), name="api_gold_questions"),
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
    path(f"{_API}pauses", api_acts.Pauses.as_view(), name="api_pauses"),
    path(f"{_MEMBER}:pause", api_acts.MemberPause.as_view(), name="api_member_pause"),
    path(f"{_MEMBER}:decide-pause", api_acts.MemberDecide.as_view(), name="api_member_decide_pause"),
    path(f"{_API}gold-questions:add", api_acts.GoldAdd.as_view(), name="api_gold_add"),
    path(f"{_API}gold-questions:draw", api_acts.GoldDraw.as_view(), name="api_gold_draw"),
    path(
        f"{_API}gold-questions/<int:question_id>:retire",
        api_acts.GoldRetire.as_view(),
        name="api_gold_retire",
    ),
]
