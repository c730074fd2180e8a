"""One's own record."""

from django.urls import path

from validation.people.views import me as views

urlpatterns = [
    path("me/", views.my_record, name="my_record"),
    path("me/data.json", views.my_data, name="my_data"),
    path("me/settings/", views.my_settings, name="my_settings"),
    path("me/delete/", views.my_deletion, name="my_deletion"),
]
