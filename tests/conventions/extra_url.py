"""A site with an address that no table has: the walk must find it."""

from django.http import HttpRequest, HttpResponse
from django.urls import include, path


def page(request: HttpRequest) -> HttpResponse:
    return HttpResponse()


urlpatterns = [path("", include([path("forgotten/", page, name="forgotten")]))]
