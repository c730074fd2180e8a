"""What every kind must keep, whatever it is: one contract over all of them."""

import orjson
import pytest

from annotation import kinds, presets
from annotation.kinds import Kind
from annotation.rules import checks
from annotation.rules.settings import ProjectSettings
from validation.rules.protocol import PRESETS as PROTOCOLS

ALL = kinds.all_kinds()
SETTINGS = [ProjectSettings(), ProjectSettings(per_label=3)]


@pytest.fixture(params=ALL, ids=[kind.slug for kind in ALL])
def kind(request: pytest.FixtureRequest) -> Kind:
    found: Kind = request.param
    return found


def frozen_row(kind: Kind, gold: str) -> dict[str, object]:
    """One frozen row as releases hand it to a kind."""
    label = kind.label_keys[0]
    return {
        "key": "k1",
        "content": {text.key: "Teks." for text in kind.texts},
        "source": {"key": "s1", "sentence_class": "single", "document": "d", "extra": {}},
        "label": gold or label,
        "label_source": "gold" if gold else "author",
        "gold": gold,
        "author": "W01",
        "author_label": label,
        "counted_labels": [label, label],
        "counted_annotators": ["W02", "W03"],
        "round": 1,
        "flags": [],
        "split": "test",
        "language": "id",
        "register": "",
        "origin": "written",
        "revision": 1,
        "guideline": 1,
    }


def test_there_are_kinds() -> None:
    assert ALL


def test_labels_are_told_apart_without_colour(kind: Kind) -> None:
    for what in ("key", "letter", "shape", "name"):
        values = [getattr(label, what) for label in kind.labels]
        assert len(set(values)) == len(values) > 1, what


def test_every_spelling_leads_to_a_label(kind: Kind) -> None:
    assert set(kind.aliases.values()) == set(kind.label_keys)
    for label in kind.labels:
        assert kind.read_label(label.key.upper()) == label.key
        assert kind.label(label.key) == label
    assert kind.read_label("no such label") is None
    assert kind.label("no such label") is None


@pytest.mark.parametrize("settings", SETTINGS, ids=["two", "three"])
def test_slots_have_keys_and_labels_of_the_kind(kind: Kind, settings: ProjectSettings) -> None:
    slots = kind.slots(settings)
    assert len({slot.key for slot in slots}) == len(slots) > 0
    assert {slot.label for slot in slots} <= set(kind.label_keys)


def test_checks_are_registered(kind: Kind) -> None:
    assert kind.checks
    for check in kind.checks:
        assert checks.get(check).id == check


def test_validators_see_texts(kind: Kind) -> None:
    assert kind.texts
    assert len({text.key for text in kind.texts}) == len(kind.texts)


@pytest.mark.parametrize("gold", ["", "first"])
def test_export_rows_are_plain_and_say_where_there_is_no_gold(kind: Kind, gold: str) -> None:
    row = kind.export_row(frozen_row(kind, kind.label_keys[0] if gold else ""))
    assert orjson.loads(orjson.dumps(row)) == row
    assert (row["gold_label"] == "-") == (not gold)
    assert all(isinstance(name, str) for name in row)


def test_presets_name_what_exists() -> None:
    for preset in presets.all_presets():
        assert preset.kind in {kind.slug for kind in ALL}
        assert preset.protocol in PROTOCOLS


def test_an_unknown_kind_says_which_there_are() -> None:
    with pytest.raises(KeyError, match="nli"):
        kinds.get("no-such-kind")
