"""Catalogues follow the sources: translations stay with their strings, and nothing is guessed."""

from pathlib import Path

from annotation.catalogues.files import (
    catalogue_as_bytes,
    empty_catalogue,
    merge_catalogues,
    message_key,
    read,
    save_if_changed,
)
from annotation.catalogues.reading import extract_strings


def tree(root: Path, **files: str) -> Path:
    for name, text in files.items():
        path = root / "templates" / f"{name}.html"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return root


ONE = '{% translate "Send" %} {% translate "Skip" %}'


def test_a_translation_stays_what_is_gone_goes_and_what_is_new_is_empty(tmp_path: Path) -> None:
    first = merge_catalogues(extract_strings(tree(tmp_path, one=ONE)), empty_catalogue("id"), "id")
    first["Send"].string, first["Skip"].string = "Kirim", "Lewati"
    then = tree(tmp_path, one='{% translate "Send" %} {% translate "Skip it" %}')
    second = merge_catalogues(extract_strings(then), first, "id")
    assert {message.id: message.string for message in second if message.id} == {
        "Send": "Kirim",
        "Skip it": "",
    }
    assert not any(message.fuzzy for message in second if message.id)


def test_a_string_that_is_counted_now_is_translated_anew(tmp_path: Path) -> None:
    kept = empty_catalogue("id")
    kept.add("%(n)s item", "%(n)s butir")
    counted = "{% blocktranslate count n=n %}{{ n }} item{% plural %}{{ n }} items{% endblocktranslate %}"
    (message,) = [
        each for each in merge_catalogues(extract_strings(tree(tmp_path, one=counted)), kept, "id") if each.id
    ]
    assert message.string == ("",)


def test_the_file_is_the_same_whatever_moved_within_a_source(tmp_path: Path) -> None:
    source = merge_catalogues(extract_strings(tree(tmp_path, one=ONE, two=ONE)), empty_catalogue("su"), "su")
    before = catalogue_as_bytes(source)
    after = catalogue_as_bytes(
        merge_catalogues(extract_strings(tree(tmp_path, one="\n\n\n" + ONE, two=ONE + ONE)), source, "su")
    )
    assert before == after
    assert b"#: templates/one.html templates/two.html\n" in before
    assert b"Plural-Forms: nplurals=1; plural=0;" in before
    path = tmp_path / "django.po"
    assert save_if_changed(path, before)
    assert not save_if_changed(path, after)
    assert [message_key(message) for message in read(path, "su") if message.id] == [
        ("", "Send"),
        ("", "Skip"),
    ]
