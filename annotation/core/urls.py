"""What every page needs: the service worker, the page for annotators, languages, the second factor."""

from django.urls import path

from annotation.core.views import how_to, languages, offline, second_factor

urlpatterns = [
    path("sw.js", offline.service_worker, name="service_worker"),
    path("manifest.webmanifest", offline.manifest, name="manifest"),
    path("offline/", offline.offline, name="offline"),
    path("how-to/", how_to.how_to, name="how_to"),
    path("language/", languages.language_switch, name="set_language"),
    path("second-factor/", second_factor.second_factor, name="second_factor"),
]
