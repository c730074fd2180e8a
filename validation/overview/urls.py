"""Home, the project page, and where people vote."""

from django.urls import path

from validation.overview.views import home, project
from validation.voting.views import vote

urlpatterns = [
    path("", home.home, name="home"),
    path("p/<slug:slug>/", project.project_page, name="project"),
    path("p/<slug:slug>/vote/", vote.vote_page, name="vote"),
    path("p/<slug:slug>/vote/sign/", vote.vote_sign, name="vote_sign"),
    path("p/<slug:slug>/vote/back/", vote.vote_back, name="vote_back"),
    path("p/<slug:slug>/vote/<str:token>/", vote.vote_send, name="vote_send"),
    path("p/<slug:slug>/vote/<str:token>/pass/", vote.vote_pass, name="vote_pass"),
    path("p/<slug:slug>/vote/<str:token>/stay/", vote.vote_stay, name="vote_stay"),
]
