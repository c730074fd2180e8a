"""The quiz and the training round."""

from django.urls import path

from validation.qualification import api, views

urlpatterns = [
    path("p/<slug:slug>/quiz/", views.quiz, name="quiz"),
    path("p/<slug:slug>/training/", views.training, name="training"),
    path("p/<slug:slug>/qualification/", views.qualification, name="qualification"),
    path("p/<slug:slug>/qualification/<int:row_id>/retire/", views.item_retire, name="quiz_item_retire"),
    path("p/<slug:slug>/qualification/people/<int:annotator_id>/", views.waive, name="quiz_waive"),
    path("api/v1/projects/<slug:slug>/qualification", api.Qualification.as_view(), name="api_qualification"),
]
