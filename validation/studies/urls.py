"""Studies: the pages of leads."""

from django.urls import path

from validation.studies import api
from validation.studies.views import studies

PROJECT_PATH = "p/<slug:slug>"
STUDIES, ONE_STUDY = "api/v1/projects/<slug:slug>/studies", "<slug:kind>/<int:n>"
urlpatterns = [
    path(f"{PROJECT_PATH}/studies/", studies.studies, name="studies"),
    path(f"{PROJECT_PATH}/studies/<slug:kind>/", studies.study_new, name="study_new"),
    path(f"{PROJECT_PATH}/studies/<slug:kind>/<int:n>/", studies.study, name="study"),
    path(f"{PROJECT_PATH}/studies/<slug:kind>/<int:n>/close/", studies.study_close, name="study_close"),
    path(f"{PROJECT_PATH}/studies/<slug:kind>/<int:n>/join/", studies.study_join, name="study_join"),
    path(f"{PROJECT_PATH}/studies/<slug:kind>/<int:n>/<slug:name>.csv", studies.study_file, name="study_file"),
    path(STUDIES, api.Studies.as_view(), name="api_studies"),
    path(f"{STUDIES}/{ONE_STUDY}", api.StudyView.as_view(), name="api_study"),
    path(f"{STUDIES}/{ONE_STUDY}:close", api.StudyClosing.as_view(), name="api_study_close"),
    path(f"{STUDIES}/{ONE_STUDY}:join", api.StudyMembers.as_view(), name="api_study_join"),
    path(f"{STUDIES}/{ONE_STUDY}/files/<slug:name>", api.StudyFileView.as_view(), name="api_study_file"),
]
