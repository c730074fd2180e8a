"""Studies: the pages of leads."""

from django.urls import path

from validation.studies import api
from validation.studies.views import studies

P = "p/<slug:slug>"
STUDIES, ONE = "api/v1/projects/<slug:slug>/studies", "<slug:kind>/<int:n>"
urlpatterns = [
    path(f"{P}/studies/", studies.studies, name="studies"),
    path(f"{P}/studies/<slug:kind>/", studies.study_new, name="study_new"),
    path(f"{P}/studies/<slug:kind>/<int:n>/", studies.study, name="study"),
    path(f"{P}/studies/<slug:kind>/<int:n>/close/", studies.study_close, name="study_close"),
    path(f"{P}/studies/<slug:kind>/<int:n>/join/", studies.study_join, name="study_join"),
    path(f"{P}/studies/<slug:kind>/<int:n>/<slug:name>.csv", studies.study_file, name="study_file"),
    path(STUDIES, api.Studies.as_view(), name="api_studies"),
    path(f"{STUDIES}/{ONE}", api.StudyView.as_view(), name="api_study"),
    path(f"{STUDIES}/{ONE}:close", api.StudyClosing.as_view(), name="api_study_close"),
    path(f"{STUDIES}/{ONE}:join", api.StudyMembers.as_view(), name="api_study_join"),
    path(f"{STUDIES}/{ONE}/files/<slug:name>", api.StudyFileView.as_view(), name="api_study_file"),
]
