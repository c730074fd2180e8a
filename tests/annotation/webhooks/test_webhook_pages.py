"""Webhooks on pages: an administrator enters one, sees its secret once, and what was delivered."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from annotation.core.rules import feed
from annotation.webhooks.models import Delivery, Webhook
from tests import factory
from tests.annotation.webhooks.receiver import receiving

pytestmark = pytest.mark.django_db


def test_from_entering_to_ending(client: Client) -> None:
    client.force_login(factory.user(administrator=True))
    project = factory.project()
    page = reverse("webhooks", args=[project.slug])
    with receiving() as receiver:
        refused = client.post(page, {"url": "https://192.168.0.1/x", "types": [feed.SETTLED]})
        assert refused.status_code == 422
        assert "https://192.168.0.1/x" in refused.content.decode()
        made = client.post(page, {"url": receiver.url, "types": [feed.SETTLED, feed.LEFT]}).content.decode()
        secret = re.search(r"whsec_[A-Za-z0-9+/=]+", made)
        assert secret is not None
        webhook = Webhook.objects.get()
        one = reverse("webhook", args=[project.slug, webhook.pk])
        change = reverse("webhook_change", args=[project.slug, webhook.pk])
        for address in (page, one):
            assert secret[0] not in client.get(address).content.decode()
        for do, status in (("try", 302), ("stop", 302), ("try", 409), ("start", 302), ("nonsense", 422)):
            assert client.post(change, {"do": do}).status_code == status, do
        delivery = Delivery.objects.get()
        assert client.post(change, {"do": "replay", "delivery": delivery.pk}).status_code == 302
        assert client.post(change, {"do": "replay", "delivery": 10**18}).status_code == 404
        assert secret[0] not in client.post(change, {"do": "rotate"}).content.decode()
        assert client.post(change, {"do": "end"}).status_code == 302
        assert client.get(one).status_code == 404
