"""The page for annotators on the site: in the reader's language, with nothing that leads nowhere."""

import pytest
from django.test import Client

from annotation.core.views.how_to import how_to_text
from tests import factory


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("language", "words"), [("en", "Three habits"), ("id", "Tiga kebiasaan"), ("su", "Tilu kabiasaan")]
)
def test_it_is_in_the_readers_language(language: str, words: str) -> None:
    visitor = Client()
    visitor.force_login(factory.user(language=language))
    text = visitor.get("/how-to/").content.decode()
    assert f'<html lang="{language}"' in text
    assert text.count(words) == 2  # in the contents, and as a heading
    assert ".md" not in text
    # It is linked from the foot of every page.
    assert 'href="/how-to/"' in visitor.get("/").content.decode()


def test_who_reads_another_language_gets_theirs() -> None:
    assert how_to_text("bug") == how_to_text("id")
    assert how_to_text("fr") == how_to_text("en") != how_to_text("id")
