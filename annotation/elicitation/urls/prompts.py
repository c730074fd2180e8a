"""Topics that prompts are begun on, and the second pass over prompts."""

from django.urls import path

from annotation.elicitation.views import second_pass as second_look
from annotation.elicitation.views import topics

urlpatterns = [
    path("p/<slug:slug>/topics/", topics.topics, name="topics"),
    path("p/<slug:slug>/topics/<int:concept_id>/new/", topics.topic_begin, name="topic_begin"),
    path("p/<slug:slug>/topics/vary/<int:item_id>/", topics.topic_vary, name="topic_vary"),
    path("p/<slug:slug>/second-look/", second_look.second_look, name="second_look"),
    path("p/<slug:slug>/second-look/table/", second_look.second_looks, name="second_looks"),
    path("p/<slug:slug>/second-look/<int:item_id>/", second_look.second_look_save, name="second_look_save"),
]
