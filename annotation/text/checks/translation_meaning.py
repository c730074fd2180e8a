"""A translation beside its source: the same numbers and placeholders, a usual length, answers out of the passage."""

from collections.abc import Iterator

from annotation.text import numbers
from annotation.text.checks.base import WARN, Check, FieldPair, Hit, SetContext
from annotation.text.checks.examples import translated
from annotation.text.checks.translation_marks import slot_of, written
from annotation.text.gettext import gettext_noop
from annotation.text.length_ratios import Lengths, Usual
from annotation.text.normalise import key_form
from annotation.text.placeholders import placeholders, without_placeholders
from annotation.translation.rules.target_resources import TargetResources

LENGTH_LIMIT = 3.5


def _numbers_differ(context: SetContext) -> Iterator[Hit]:
    stay = context.settings.get("numerals_stay") is True
    source_language = context.resources.source_language if context.resources else ""
    for pair in written(context):
        texts = without_placeholders(pair.source), without_placeholders(pair.text)
        found = numbers.compare(*texts, (source_language, context.language), stay=stay)
        missing, added = ", ".join(found.missing), ", ".join(found.added)
        told = {"field": pair.key}
        if missing and added:
            message = gettext_noop("The source has %(missing)s where this text has %(added)s.")
            yield slot_of(context), message, {**told, "missing": missing, "added": added}
        elif missing:
            message = gettext_noop("The source has %(missing)s, this text has not.")
            yield slot_of(context), message, {**told, "missing": missing}
        elif added:
            message = gettext_noop("This text has %(added)s, the source has not.")
            yield slot_of(context), message, {**told, "added": added}
        if found.in_words:
            message = gettext_noop("Numerals stay numerals here: %(numbers)s is written out.")
            yield slot_of(context), message, {**told, "numbers": ", ".join(found.in_words)}


def _placeholders_differ(context: SetContext) -> Iterator[Hit]:
    for pair in written(context):
        theirs, mine = placeholders(pair.source), placeholders(pair.text)
        lost, new = sorted((theirs - mine).elements()), sorted((mine - theirs).elements())
        if lost:
            message = gettext_noop("The source has %(missing)s, this text has not: it stays as it is.")
            yield slot_of(context), message, {"field": pair.key, "missing": ", ".join(lost)}
        elif new:
            message = gettext_noop("This text has %(added)s, the source has not.")
            yield slot_of(context), message, {"field": pair.key, "added": ", ".join(new)}


def _length_unusual(context: SetContext) -> Iterator[Hit]:
    setting = context.settings.get("length_limit", LENGTH_LIMIT)
    limit = float(setting) if isinstance(setting, (int, float)) else LENGTH_LIMIT
    if context.resources is None or not limit:
        return
    for pair in written(context):
        score = context.resources.lengths.score(pair.role, pair.source, pair.text)
        if score is None or abs(score) <= limit:
            continue
        if score > 0:
            message = gettext_noop("This is unusually long for its source: is there something added?")
        else:
            message = gettext_noop("This is unusually short for its source: is there something missing?")
        yield slot_of(context), message, {"field": pair.key, "score": round(score, 1)}


def _answer_not_in_passage(context: SetContext) -> Iterator[Hit]:
    for pair in written(context):
        if pair.within is None or not pair.within.strip():
            continue
        if key_form(pair.text) not in key_form(pair.within):
            message = gettext_noop(
                "The answer does not stand in the translated passage letter by letter: mark it there."
            )
            yield slot_of(context), message, {"field": pair.key}


_SOURCE = "Karcis masuk pasar malam itu 15.000 rupiah untuk 2 orang."
_HALF = TargetResources("id", "jv", lengths=Lengths(Usual(40, 0.0, 0.1)))
_FEW = TargetResources("id", "jv", lengths=Lengths(Usual(29, 0.0, 0.1)))
_PASSAGE = "Pasar kuwi dibukak taun 1950 déning Sarmi."


def _answer(text: str, within: str | None = _PASSAGE) -> FieldPair:
    return FieldPair("field-answer.1", "answer", "tahun 1950", text, within)


NUMBERS_DIFFER = Check(
    id="numbers_differ",
    title=gettext_noop("Other numbers than the source"),
    catches=gettext_noop(
        "Numbers that stand on one side only. A number in words counts where the language's are known, unless numerals "
        "have to stay numerals (`numerals_stay`)."
    ),
    level=WARN,
    find=_numbers_differ,
    good=(
        translated((_SOURCE, "Karcis mlebu pasar malem kuwi 15.000 rupiah kanggo wong 2.")),
        translated((_SOURCE, "Karcis mlebu pasar malem kuwi limalas ewu rupiah kanggo wong loro.")),
        translated((_SOURCE, "Tickets for that night market are 15,000 rupiah for two."), to="en"),
        translated(("Sarmi punya tiga kambing.", "Sarmi duwe wedhus 3.")),
        translated(("Datang jam 17.48.", "Teka jam 17:48.")),
    ),
    bad=(
        translated((_SOURCE, "Karcis mlebu pasar malem kuwi 150.000 rupiah kanggo wong 2.")),
        translated((_SOURCE, "Karcis mlebu pasar malem kuwi 15.000 rupiah.")),
        translated((_SOURCE, "Karcis mlebu pasar malem kuwi 15.000 rupiah kanggo wong 2, taun 2020.")),
        translated(
            (_SOURCE, "Karcis mlebu pasar malem kuwi limalas ewu rupiah kanggo wong 2."),
            settings={"numerals_stay": True},
        ),
        translated((_SOURCE, "Tanpa angka."), to="xx"),
    ),
)
PLACEHOLDERS_DIFFER = Check(
    id="placeholders_differ",
    title=gettext_noop("A placeholder is missing or new"),
    catches=gettext_noop("Parts like {name}, %s, [URL], <b> and addresses that stand on one side only."),
    level=WARN,
    find=_placeholders_differ,
    good=(
        translated(("Halo {nama}, buka https://contoh.id.", "Halo {nama}, bukaken https://contoh.id!")),
        translated(("Diskon 10% sekarang.", "Diskon 10% saiki.")),
    ),
    bad=(
        translated(("Halo {nama}!", "Halo {jeneng}!")),
        translated(("Tulis ke sarmi@contoh.id.", "Tulisen menyang Sarmi.")),
        translated(("Klik di sini.", "Kliken <b>kene</b>.")),
    ),
)
LENGTH_UNUSUAL = Check(
    id="length_unusual",
    title=gettext_noop("Unusual length"),
    catches=gettext_noop(
        "A text much longer or shorter than translations of this pair of languages usually are, by a robust z-score "
        "(`length_limit`). Silent below 30 accepted texts."
    ),
    level=WARN,
    find=_length_unusual,
    good=(
        translated(("Sarmi menjual bayam.", "Sarmi adol bayem."), resources=_HALF),
        translated(("Sarmi menjual bayam.", "Sarmi."), resources=_FEW),
        translated(("Sarmi menjual bayam.", "Sarmi."), resources=_HALF, settings={"length_limit": 0.0}),
        translated(("Sarmi menjual bayam.", "Sarmi."), resources=_HALF, settings={"length_limit": 20.0}),
    ),
    bad=(
        translated(("Sarmi menjual bayam.", "Sarmi."), resources=_HALF),
        translated(("Sarmi menjual bayam.", "Sarmi adol bayem ing pasar saben dina."), resources=_HALF),
        translated(
            ("Sarmi menjual bayam.", "Sarmi adol bayem ora."), resources=_HALF, settings={"length_limit": 0.1}
        ),
    ),
)
ANSWER_NOT_IN_PASSAGE = Check(
    id="answer_not_in_passage",
    title=gettext_noop("The answer is not in the passage"),
    catches=gettext_noop(
        "An answer that is no part of the translated passage, letter by letter. The form has a tool to mark it there."
    ),
    level=WARN,
    find=_answer_not_in_passage,
    good=(
        translated(_answer("taun 1950")),
        translated(_answer("tahun 1950", None)),
        translated(_answer("tahun 1950", "")),
    ),
    bad=(translated(_answer("tahun 1950")), translated(_answer("Taun 1950"))),
)
