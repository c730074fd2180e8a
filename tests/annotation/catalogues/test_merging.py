"""Catalogues follow the sources: translations stay with their strings, and nothing is guessed."""

from pathlib import Path

from annotation.catalogues.files import empty, key, merged, read, save, written
from annotation.catalogues.reading import extracted


def tree(root: Path, **files: str) -> Path:
    for name, text in files.items():
        path = root / "templates" / f"{name}.html"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return root


ONE = '{% translate "Send" %} {% translate "Skip" %}'


def test_a_translation_stays_what_is_gone_goes_and_what_is_new_is_empty(tmp_path: Path) -> None:
    first = merged(extracted(tree(tmp_path, one=ONE)), empty("id"), "id")
    first["Send"].string, first["Skip"].string = "Kirim", "Lewati"
    then = tree(tmp_path, one='{% translate "Send" %} {% translate "Skip it" %}')
    second = merged(extracted(then), first, "id")
    assert {message.id: message.string for message in second if message.id} == {
        "Send": "Kirim",
        "Skip it": "",
    }
    assert not any(message.fuzzy for message in second if message.id)


def test_a_string_that_is_counted_now_is_translated_anew(tmp_path: Path) -> None:
    kept = empty("id")
    kept.add("%(n)s item", "%(n)s butir")
    counted = "{% blocktranslate count n=n %}{{ n }} item{% plural %}{{ n }} items{% endblocktranslate %}"
    (message,) = [each for each in merged(extracted(tree(tmp_path, one=counted)), kept, "id") if each.id]
    assert message.string == ("",)


def test_the_file_is_the_same_whatever_moved_within_a_source(tmp_path: Path) -> None:
    source = merged(extracted(tree(tmp_path, one=ONE, two=ONE)), empty("su"), "su")
    before = written(source)
    after = written(merged(extracted(tree(tmp_path, one="\n\n\n" + ONE, two=ONE + ONE)), source, "su"))
    assert before == after
    assert b"#: templates/one.html templates/two.html\n" in before
    assert b"Plural-Forms: nplurals=1; plural=0;" in before
    path = tmp_path / "django.po"
    assert save(path, before)
    assert not save(path, after)
    assert [key(message) for message in read(path, "su") if message.id] == [("", "Send"), ("", "Skip")]
