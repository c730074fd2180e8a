"""One's notices."""

from django.urls import path

from validation.notices import api, views

urlpatterns = [
    path("me/notices/", views.notices, name="notices"),
    path("me/notices/seen/", views.notices_seen, name="notices_seen"),
    path("me/notices/mails/", views.notices_mails, name="notices_mails"),
    path("notices/off/<str:token>/", views.notices_off, name="notices_off"),
    path("api/v1/notices", api.Notices.as_view(), name="api_notices"),
    path("api/v1/notices:seen", api.NoticesSeen.as_view(), name="api_notices_seen"),
]
