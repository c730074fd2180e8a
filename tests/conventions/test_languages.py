"""Every page says all that it says in the reader's language.

First in a language that is made up, in which each letter is accented: what is left in plain letters was never given to
gettext. Then in each language that is translated (TRANSLATED): no English word is left on what annotators see.
"""

import re
from collections.abc import Iterator
from functools import cache

import pytest
from django.apps import apps
from django.db import models

from annotation.catalogues import po_file
from annotation.catalogues.files import read, strings_of
from annotation.core.models.user import User
from tests.conventions.table import Row, family_of, read_whole, rows
from tests.conventions.test_catalogues import TRANSLATED
from tests.conventions.world import World
from tests.wording import accented, pseudo_language, texts_of

pytestmark = pytest.mark.django_db
WORD = re.compile(r"[A-Za-z][a-z]{2,}")
# A value without a blank in small letters is a code of ours as likely as a word of somebody's.
CODE = re.compile(r"[a-z_]*")
# What somebody wrote is the project's language; these hold what the platform itself says in English or by code.
NOT_DATA = {"Event", "FeedEvent", "GuidelineVersion", "ProtocolVersion", "Job", "Heartbeat", "Delivery"}
# Its words are replaced; Indonesian on its pages is data, and marked as such.
MADE_UP = "su"
# Pages that show a document as it is written, in the language that it is written in.
DOCUMENTS = {
    "guidelines",
    "how_to",
    "guidelines_versions",
    "guidelines_edit",
    "api_docs",
    "instruction",
    "admin",
    "my_data",
}
# Names, which are the same in every language: the platform's, those of formats, files, fields, papers and presets, of
# currencies (ISO 4217) and of languages as their projects call them; codes, and what the world has of one small word.
NAMES = re.compile(
    r"Mufakat|Basa Sunda|[A-Z]{3} – .*|[\w./*-]+\.(?:jsonl?|csv|html|md|ya?ml|py|parquet)\b|csv/?|parquet|lm_eval|https?://\S+"
    r"|\b(?:indonli|idcsqa|kalahi|mcsqa|llm|loraxbench)(?:-\w+)?\b|LoraxBench, Appendix G|Javanese|Sundanese"
    r"|\w+ = [\d.,]+|(?:[a-z_]+, )+[a-z_]+|\b(?:item|review|import|release|member)\.[a-z_]+|\{\{\w+\}\}"
    r"|\b(?:author|culture|dev|forward|gold|kondangan|nli|ringkas|seed|system|train|user)\b|^Title$|^published$|^guidelines$"
    r"|\w*\[\w+\]\(\S*|<[^>]*>?|\S*(?:canary|alert)\S*|\S+@\S+|onerror=\S*|src=x"
)


def pages(world: World, role: str) -> Iterator[tuple[Row, str]]:
    """Every page that a role can open, with its own things."""
    client = world.client(role)
    for row in rows():
        # Pages that the table refuses are refused: test_routes asks for each.
        shown = row.method == "GET" and row.expected[role][0] in ("200", "-")
        if not shown or family_of(row.route) or row.route in DOCUMENTS:
            continue
        answer = read_whole(client.get(row.url(world.own)))
        if answer.status_code == 200 and "html" in answer.headers.get("Content-Type", ""):
            yield row, answer.content.decode()


def words_of_data() -> set[str]:
    """All words that people of the world brought: texts, names, keys; without codes."""
    found: set[str] = set()
    for model in apps.get_models():
        if model.__module__.split(".")[0] in ("annotation", "validation", "exports") and model.__name__ not in NOT_DATA:
            kinds = (models.CharField, models.TextField, models.JSONField)
            fields = [each.name for each in model._meta.fields if isinstance(each, kinds) and not each.choices]
            for values in model._base_manager.values_list(*fields) if fields else ():
                for value in values:
                    found.update(_words_in(value))
    return found


def _words_in(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from _words_in(each)
    elif isinstance(value, str) and not CODE.fullmatch(value):
        yield from WORD.findall(value)


def left(text: str, data: set[str]) -> list[str]:
    """Words in plain letters that neither somebody brought nor a name is."""
    return [word for word in WORD.findall(NAMES.sub(" ", text)) if word not in data]


@pytest.mark.parametrize("role", ["writer", "validator", "lead", "administrator"])
def test_no_page_has_words_of_its_own(world: World, role: str) -> None:
    User.objects.update(language=MADE_UP)
    data, seen = words_of_data(), 0
    found: list[str] = []
    with pseudo_language(accented, language=MADE_UP):
        for row, page in pages(world, role):
            seen += 1
            found += [f"{row.route}: {text}" for text in texts_of(page) if left(text, data)]
    assert not found, "\n".join(found)
    assert seen > 5


@cache
def english_only(language: str) -> frozenset[str]:
    """Words that stand in the English strings and in no translation."""
    chain = [message for message in read(po_file(language), language) if message.id]
    said = {word.casefold() for message in chain for string in strings_of(message) for word in WORD.findall(string)}
    english = {
        word.casefold()
        for message in chain
        for string in ((message.id,) if isinstance(message.id, str) else message.id)
        for word in WORD.findall(re.sub(r"%\(\w+\)s|<[^>]*>", " ", string))
    }
    return frozenset(english - said)


@pytest.mark.parametrize("role", ["writer", "validator"])
@pytest.mark.parametrize("language", TRANSLATED)
def test_no_english_is_left_for_annotators(world: World, language: str, role: str) -> None:
    User.objects.update(language=language)
    data, english = words_of_data(), english_only(language)
    found: list[str] = []
    for row, page in pages(world, role):
        assert f'<html lang="{language}"' in page
        for text in texts_of(page):
            if strange := [word for word in left(text, data) if word.casefold() in english]:
                found.append(f"{row.route}: {text} ({', '.join(strange)})")
    assert not found, "\n".join(found)
