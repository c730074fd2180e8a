"""Sign-in through an institution; only there where one is named (config/settings/sign_in.py)."""

from allauth.socialaccount import views as allauth
from django.urls import path

from validation.sign_in import views

urlpatterns = [
    path("signed-out/", views.signed_out, name="institution_signed_out"),
    path("sign-out/", views.sign_out, name="institution_sign_out"),
    path("cancelled/", allauth.login_cancelled, name="socialaccount_login_cancelled"),
    path("connections/", allauth.connections, name="socialaccount_connections"),
    path("<str:provider_id>/login/", views.login, name="openid_connect_login"),
    path("<str:provider_id>/login/callback/", views.callback, name="openid_connect_callback"),
]
