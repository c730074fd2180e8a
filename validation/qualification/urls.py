"""The quiz and the training round."""

from django.urls import path

from validation.qualification import api, api_quiz, views

API = "api/v1/projects/<slug:slug>/"

urlpatterns = [
    path("p/<slug:slug>/quiz/", views.quiz, {"role": "validator"}, name="quiz"),
    path("p/<slug:slug>/training/", views.training, {"role": "validator"}, name="training"),
    path("p/<slug:slug>/writers-quiz/", views.quiz, {"role": "writer"}, name="writers_quiz"),
    path("p/<slug:slug>/writers-training/", views.training, {"role": "writer"}, name="writers_training"),
    path("p/<slug:slug>/qualification/", views.qualification, name="qualification"),
    path("p/<slug:slug>/qualification/<int:row_id>/retire/", views.item_retire, name="quiz_item_retire"),
    path("p/<slug:slug>/qualification/people/<int:annotator_id>/", views.waive, name="quiz_waive"),
    path("api/v1/projects/<slug:slug>/qualification", api.Qualification.as_view(), name="api_qualification"),
    path(f"{API}quiz-items", api.QuizItems.as_view(), name="api_quiz_items"),
    path(f"{API}quiz-items:add", api.QuizItemsAdd.as_view(), name="api_quiz_items_add"),
    path(f"{API}quiz-items:draw", api.QuizItemsDraw.as_view(), name="api_quiz_items_draw"),
    path(f"{API}quiz-items/<int:row_id>:retire", api.QuizItemRetire.as_view(), name="api_quiz_item_retire"),
    path(
        f"{API}members/<int:annotator_id>:waive-quiz",
        api.MemberWaiveQuiz.as_view(),
        name="api_member_waive_quiz",
    ),
    path(f"{API}quiz", api_quiz.Quiz.as_view(), name="api_quiz"),
    path(f"{API}quiz:begin", api_quiz.QuizBegin.as_view(), name="api_quiz_begin"),
    path(f"{API}quiz:hand-in", api_quiz.QuizHandIn.as_view(), name="api_quiz_hand_in"),
    path(f"{API}training", api_quiz.Training.as_view(), name="api_training"),
    path(f"{API}training:begin", api_quiz.TrainingBegin.as_view(), name="api_training_begin"),
    path(f"{API}training:answer", api_quiz.TrainingAnswer.as_view(), name="api_training_answer"),
]
