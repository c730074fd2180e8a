"""Work shared among translators: out as files, back in without what would break a page."""

import json
from pathlib import Path

from babel.messages.catalog import Catalog

from annotation.catalogues.files import empty_catalogue
from annotation.catalogues.parts import export, take_translations


def catalogue(language: str) -> Catalog:
    made = empty_catalogue(language)
    for n in range(1, 21):
        made.add(f"String {n} of %(of)s.", locations=[(f"templates/{n}.html", n)])
    made.add(("%(n)s item", "%(n)s items"), locations=[("annotation/a.py", 3)])
    made.add("Open", context="verb", auto_comments=["Translators: a button"])
    return made


def test_every_string_stands_in_one_part_in_the_order_of_the_sources() -> None:
    made, indonesian = catalogue("su"), catalogue("id")
    indonesian["String 2 of %(of)s."].string = "Kalimat 2 dari %(of)s."
    made["String 1 of %(of)s."].string = "Kalimah 1 ti %(of)s."
    parts = [json.loads(text) for text in export(made, "su", 3, {"su": made, "id": indonesian})]
    entries = [entry for part in parts for entry in part]
    assert [len(part) > 3 for part in parts] == [True] * 3
    assert [entry["msgid"] for entry in entries][:2] == ["String 2 of %(of)s.", "String 3 of %(of)s."]
    assert len({entry["id"] for entry in entries}) == len(entries) == 21
    assert entries[0]["id_"] == "Kalimat 2 dari %(of)s."
    assert (entries[-2]["plural"], entries[-1]["context"]) == ("%(n)s items", "verb")
    assert (entries[0]["references"], entries[-1]["comment"]) == (
        ["templates/2.html"],
        "Translators: a button",
    )


def test_what_is_right_is_taken_and_what_is_wrong_is_told(tmp_path: Path) -> None:
    made = catalogue("id")
    (part,) = (json.loads(text) for text in export(made, "id", 1, {}))
    said = {
        "String 1 of %(of)s.": "Kalimat 1 dari %(of)s.",
        "String 2 of %(of)s.": "Kalimat 2.",
        "%(n)s item": "%(n)s butir",
        "Open": "Buka",
    }
    for entry in part:
        entry["translation"] = said.get(entry["msgid"], "")
    part.append({"id": "gone", "msgid": "An old string", "translation": "Kalimat lama"})
    path = tmp_path / "id-01.json"
    path.write_text(json.dumps(part), encoding="utf-8")
    assert list(take_translations(made, [path])) == [
        ("id-01.json", "String 2 of %(of)s.", "lacks %(of)s"),
        ("id-01.json", "An old string", "is no string of the interface any more"),
    ]
    assert made["String 1 of %(of)s."].string == "Kalimat 1 dari %(of)s."
    assert made["%(n)s item"].string == ("%(n)s butir",)
    assert [each.string for each in made if each.context == "verb"] == ["Buka"]
    assert not made["String 2 of %(of)s."].string
