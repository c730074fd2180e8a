"""What every kind must keep, whatever it is: one contract over all of them."""

import orjson
import pytest

from annotation import kinds, presets
from annotation.core.rules.settings import ProjectSettings
from annotation.kinds import KeyRefused, Kind, Slot, SlotIn, Source, text_at, with_text
from annotation.text import checks
from annotation.translation.rules.source_units import SHAPES
from validation.consensus.protocol import PRESETS as PROTOCOLS

ALL = kinds.all_kinds()
SETTINGS = [ProjectSettings(), ProjectSettings(per_label=3)]


@pytest.fixture(params=ALL, ids=[kind.slug for kind in ALL])
def kind(request: pytest.FixtureRequest) -> Kind:
    found: Kind = request.param
    return found


UNIT = [
    {"key": "premise", "role": "premise", "text": "Sumber."},
    {"key": "hypothesis.1", "role": "hypothesis", "text": "Sumber satu."},
    {"key": "hypothesis.2", "role": "hypothesis", "text": "Sumber dua."},
]
SOURCE = Source(
    "s1",
    "Sumber.",
    "golongan",
    extra={"fields": UNIT, "shape": "pair", "task": "nli", "set": "nli", "revision": 1},
)


def filled(kind: Kind, settings: ProjectSettings, slot: Slot) -> SlotIn:
    """A slot with something in every field: each option its own text, each pick one of the options of its group."""
    fields, more = kind.authoring.form_fields(settings, SOURCE), dict[str, str]()
    for place, field in enumerate(fields):
        if field.widget == "pick":
            among = [f.key for f in fields if f.widget == "option" and f.group == field.group]
            taken = {more.get(other.key) for other in fields if other.widget == "pick"}
            more[field.key] = next(key for key in (name.removeprefix("option-") for name in among) if key not in taken)
        elif field.widget == "choice":
            more[field.key] = field.choices[0][0]
        else:
            more[field.key] = f"Teks {place}."
    return SlotIn("" if kind.authoring.fields_by_source else f"Kalimat {slot.key}?", more=more)


def content_of(kind: Kind, settings: ProjectSettings = SETTINGS[0]) -> dict[str, object]:
    slot = kind.authoring.slots(settings)[0]
    return kind.authoring.content_from_slot(SOURCE, filled(kind, settings, slot))


def frozen_row(kind: Kind, gold: str) -> dict[str, object]:
    """One frozen row as releases hand it to a kind."""
    label = kind.question.label_keys[0]
    return {
        "key": "k1",
        "content": content_of(kind),
        "source": {"key": "s1", "sentence_class": "single", "document": "d", "extra": {}},
        "label": gold or label,
        "label_source": "gold" if gold else "author",
        "gold": gold,
        "author": "W01",
        "author_label": label,
        "counted_labels": [label, label],
        "counted_annotators": ["W02", "W03"],
        "round": 1,
        "n_labels": 3,
        "stop_reason": "quorum",
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
    for what in ("key", "letter", "name"):
        values = [getattr(label, what) for label in kind.question.labels]
        assert len(set(values)) == len(values) > 1, what
    on_one_card = kind.question.labels[:5]
    assert len({label.shape for label in on_one_card}) == len(on_one_card)


def test_every_spelling_leads_to_a_label(kind: Kind) -> None:
    assert set(kind.question.aliases.values()) == set(kind.question.label_keys)
    for label in kind.question.labels:
        assert kind.question.read_label(label.key.upper()) == label.key
        assert kind.question.label(label.key) == label
    assert kind.question.read_label("no such label") is None
    assert kind.question.label("no such label") is None


@pytest.mark.parametrize("settings", SETTINGS, ids=["two", "three"])
def test_slots_have_keys_and_labels_of_the_kind(kind: Kind, settings: ProjectSettings) -> None:
    slots = kind.authoring.slots(settings)
    assert len({slot.key for slot in slots}) == len(slots) > 0
    assert {slot.label for slot in slots} <= {*kind.question.label_keys, ""}
    fields = kind.authoring.form_fields(settings, SOURCE)
    assert len({field.key for field in fields}) == len(fields)
    assert {field.widget for field in fields} <= {"line", "area", "option", "pick", "choice"}


@pytest.mark.parametrize("settings", SETTINGS, ids=["two", "three"])
def test_a_form_is_kept_whole_and_comes_back(kind: Kind, settings: ProjectSettings) -> None:
    for slot in kind.authoring.slots(settings):
        typed = filled(kind, settings, slot)
        content = kind.authoring.content_from_slot(SOURCE, typed)
        again = kind.authoring.slot_from_content(content)
        assert again.text == typed.text
        assert {name: again.more.get(name) for name in typed.more} == dict(typed.more)
        assert kind.authoring.content_from_slot(SOURCE, again) == content
        # A translator says nothing that a reviewer could agree with.
        assert kind.authoring.author_label(slot, typed) in (
            [""] if kind.authoring.fields_by_source else kind.question.label_keys
        )
        assert orjson.loads(orjson.dumps(content)) == content


def test_every_text_is_read_and_corrected_by_itself(kind: Kind) -> None:
    content = content_of(kind)
    for text in kind.correctable_texts(content):
        assert text_at(content, text.key), text.key
        other = with_text(content, text.key, "Lain.")
        assert text_at(other, text.key) == "Lain."
        assert all(
            text_at(other, each.key) == text_at(content, each.key)
            for each in kind.correctable_texts(content)
            if each.key != text.key
        )


def test_an_item_has_labels_to_choose_from(kind: Kind) -> None:
    content = content_of(kind)
    labels = kind.question.item_labels(content)
    assert len(labels) > 1
    assert {label.key for label in labels} <= set(kind.question.label_keys)
    assert all(label.is_item_option == kind.question.own_options for label in labels)
    assert kind.question.item_label(content, labels[0].key) == labels[0]
    assert kind.question.item_label(content, "no such label") is None
    own, beside = kind.presentation.headline(content)
    assert own
    assert beside
    assert kind.count_shown_words(content) > 1


def test_checks_are_registered(kind: Kind) -> None:
    assert kind.authoring.checks
    for check in kind.authoring.checks:
        assert checks.get(check).id == check


def test_validators_see_texts(kind: Kind) -> None:
    texts = kind.presentation.texts_in(content_of(kind))
    assert texts
    assert len({text.key for text in texts}) == len(texts)


@pytest.mark.parametrize("gold", ["", "first"])
def test_export_rows_are_plain_and_say_where_there_is_no_gold(kind: Kind, gold: str) -> None:
    row = kind.export.build_row(frozen_row(kind, kind.question.label_keys[0] if gold else ""))
    assert orjson.loads(orjson.dumps(row)) == row
    assert ("-" in (row.get("gold_label"), row.get("answer_majority"))) == (not gold)
    assert all(isinstance(name, str) for name in row)


def test_presets_name_what_exists() -> None:
    for preset in presets.all_presets():
        assert preset.kind in {kind.slug for kind in ALL}
        assert preset.protocol in PROTOCOLS


def test_an_unknown_kind_says_which_there_are() -> None:
    with pytest.raises(KeyError, match="nli"):
        kinds.get("no-such-kind")


# --- forms in groups, texts made of several fields, keys that kinds number -----------------


def test_groups_of_fields_have_names(kind: Kind) -> None:
    settings = ProjectSettings(second_language="en")
    asked = {field.group for field in kind.authoring.fields(settings)} - {""}
    assert asked == {group.key for group in kind.authoring.groups}
    assert all(group.name for group in kind.authoring.groups)


def of_kinds(those: list[Kind]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("kind", those, ids=[kind.slug for kind in those])


@of_kinds([kind for kind in ALL if kind.authoring.joined_fields])
def test_a_joined_text_is_its_fields_line_by_line(kind: Kind) -> None:
    made = next(text.key for text in kind.presentation.texts if text.derived and text.shown)
    slot = kind.authoring.slots(SETTINGS[0])[0]
    typed = filled(kind, SETTINGS[0], slot)
    for left_out in ("", *kind.authoring.joined_fields):
        more = {name: "" if name == left_out else text for name, text in typed.more.items()}
        lines = [more[name] if name else typed.text for name in kind.authoring.joined_fields]
        content = kind.authoring.content_from_slot(SOURCE, SlotIn(typed.text, more=more))
        assert text_at(content, made) == "\n".join(line for line in lines if line)


@of_kinds([kind for kind in ALL if kind.authoring.make_key is not None])
def test_numbered_keys_are_new_and_agree(kind: Kind) -> None:
    assert kind.authoring.make_key is not None
    content = content_of(kind)
    first = kind.authoring.make_key(content, [], None)
    assert kind.authoring.key_fits_content(first, content)
    assert kind.authoring.family_of_key(first)
    with pytest.raises(KeyRefused):
        kind.authoring.make_key(content, [(first, content)], None)
    other = kind.authoring.derive({**content, "instruction": "Lain?"})
    for base in (None, (first, content)):
        second = kind.authoring.make_key(other, [(first, content)], base)
        assert second != first
        assert kind.authoring.family_of_key(second) == kind.authoring.family_of_key(first)
    assert not kind.authoring.key_fits_content(first, kind.authoring.derive({**content, "user": ""}))
    assert kind.authoring.make_key(content, [("of-another-form", content)], ("of-another-form", content)) == first


def test_a_kind_that_judges_rows_reads_them_and_is_the_only_one(kind: Kind) -> None:
    assert kinds.judging_kind(kind.source.judged_row_shape) is (kind if kind.source.judged_row_shape else None)
    if kind.source.judged_row_shape:
        assert kind.source.read_source_row is not None
        texts = {role.key: f"Teks {role.key}." for role in SHAPES[kind.source.judged_row_shape].roles}
        assert kind.source.read_source_row(texts)[0] in (*texts.values(), "")


def test_what_is_read_alone_is_of_its_classes(kind: Kind) -> None:
    """Where something can be told from a text alone, each text is of a class, and one is to be picked of several."""
    if kind.partial_input is None:
        return
    content = content_of(kind)
    slot = kind.authoring.slots(SETTINGS[0])[0]
    label = kind.authoring.author_label(slot, filled(kind, SETTINGS[0], slot))
    found = kind.partial_input.texts(content, label)
    assert {each.label for each in found} <= set(kind.partial_input.keys)
    assert all(each.text and each.source for each in found)
    if kind.partial_input.right_class:
        assert [each.label for each in found].count(kind.partial_input.right_class) == 1
        assert any(each.label in kind.partial_input.wrong_classes for each in found)
        assert set(kind.partial_input.wrong_classes) <= set(kind.partial_input.keys) - {kind.partial_input.right_class}
    else:
        assert [each.label for each in found] == [label]
        assert kind.partial_input.texts(content, "") == ()
