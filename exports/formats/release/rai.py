"""What reviewers of data sets ask, as fields of Croissant: those of schema.org and of its extension RAI 1.0.

The sentences are those of the card (exports/releases/rules/datasheet.py); what nobody stated has no field.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from annotation.datasheet.rules import FIELDS
from exports.formats.release.base import Part
from exports.releases.rules import datasheet, statement
from exports.releases.rules.datasheet_card import version_of_rows

Described = Mapping[str, Any]


def reviewed_fields(parts: Sequence[Part], files: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """All of them; nothing for a release that was frozen without its facts."""
    told = [_described(part) for part in parts]
    if not any(map(datasheet.facts_of, told)):
        return {}
    fields = {**_schema_org(told, files), **{f"rai:{name}": say(told) for name, say in _RAI.items()}}
    return {name: value for name, value in fields.items() if value}


def _described(part: Part) -> Described:
    """A part as the card has it."""
    return {
        "project": part.project,
        "suffix": part.suffix,
        "rules": part.rules.to_dict(),
        "context": part.context,
        "counts": part.counts,
    }


def _schema_org(parts: Sequence[Described], files: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    names = [line.strip() for text in _stated(parts, "creators") for line in text.splitlines() if line.strip()]
    spans = sorted(day for part in parts for day in _days(part))
    return {
        "version": next(iter(_stated(parts, "version")), "") or version_of_rows(files),
        "datePublished": next(iter(_stated(parts, "published_on")), ""),
        "temporalCoverage": f"{spans[0]}/{spans[-1]}" if spans else "",
        "creator": [{"@type": "sc:Person", "name": name} for name in dict.fromkeys(names)],
        "sc:funding": [{"@type": "sc:Grant", "description": text} for text in _stated(parts, "funding")],
        "sc:maintainer": [
            {"@type": "sc:Organization", "sc:contactPoint": {"@type": "sc:ContactPoint", "description": text}}
            for text in _stated(parts, "contact")
        ],
        "sc:correction": _stated(parts, "errata"),
        "sc:usageInfo": [{"@type": "sc:CreativeWork", "sc:text": text} for text in _stated(parts, "forbidden_uses")],
    }


def _days(part: Described) -> list[str]:
    collection = datasheet.facts_of(part).get("collection", {})
    return [day for name in ("writing", "voting") for day in collection.get(name) or ()]


def _stated(parts: Sequence[Described], *names: str) -> list[str]:
    """What administrators answered, each once."""
    return list(dict.fromkeys(text for part in parts for name in names if (text := datasheet.answer(part, name))))


def _section(parts: Sequence[Described], *names: str) -> list[str]:
    """What the data statements say."""
    texts = (statement.about_of(part).get("statement", {}).get(name, "") for part in parts for name in names)
    return list(dict.fromkeys(filter(None, texts)))


def _once(parts: Sequence[Described], *say: Callable[[Described], Iterable[str]]) -> list[str]:
    """Sentences on each part, each once."""
    return list(dict.fromkeys(sentence for part in parts for one in say for sentence in one(part)))


def _people(part: Described) -> list[str]:
    groups = [
        f"{FIELDS[each['field']]}: "
        + ", ".join(
            [*(f"{value} {n}" for value, n in each["groups"]), *([f"others {each['others']}"] * bool(each["others"]))]
        )
        for each in statement.about_of(part)["people"]["fields"]
    ]
    return [statement.people_sentence(part), *groups]


def _protocols(part: Described) -> list[str]:
    return [
        f"Protocol {each['n']}, {each['rules']['name']}: {statement.rounds_of(each['rules'])}."
        for each in part["context"]["protocols"]
    ] + [statement.blindness_sentence(part)]


def _machines(part: Described) -> list[str]:
    return [f"{model}: {n:,} items written" for model, n in part["counts"].get("machine", {}).get("models", {}).items()]


def _personal(part: Described) -> list[str]:
    return [*datasheet.personal_data(part), *datasheet.withdrawals(part)]


def _votes_per_item(part: Described) -> list[str]:
    votes = part["counts"]["votes"]
    n, items = datasheet.counted(votes["counted"], "vote"), votes.get("items")
    if not items:  # releases of before it was counted
        return [f"Counted: {n}."]
    return [f"Counted: {n} on {datasheet.counted(items, 'item')} that have any: {votes['counted'] / items:.2f} each."]


# Properties of the extension: those of one text, then those of several.
_RAI: Mapping[str, Callable[[Sequence[Described]], Any]] = {
    "dataCollection": lambda parts: " ".join(
        [*_once(parts, datasheet.days), *_stated(parts, "collected"), *_section(parts, "speech_situation")]
    ),
    "dataCollectionType": lambda parts: _once(parts, datasheet.collection_types),
    "dataCollectionMissingData": lambda parts: " ".join(_once(parts, datasheet.missing_data)),
    "dataCollectionRawData": lambda parts: " ".join(
        [*_once(parts, datasheet.composition), *_section(parts, "provenance", "text_characteristics")]
    ),
    "dataCollectionTimeframe": lambda parts: sorted({day for part in parts for day in _days(part)}),
    "dataPreprocessingProtocol": lambda parts: _once(parts, datasheet.preprocessing),
    "dataAnnotationProtocol": lambda parts: _once(parts, _protocols, datasheet.rates, datasheet.hourly),
    "dataAnnotationPlatform": lambda parts: ["Mufakat"],
    "dataAnnotationAnalysis": lambda parts: _once(parts, datasheet.findings),
    "annotationsPerItem": lambda parts: " ".join(_once(parts, _votes_per_item)),
    "annotatorDemographics": lambda parts: [*_once(parts, _people), *_section(parts, "annotator_demographic")],
    "machineAnnotationTools": lambda parts: _once(parts, _machines),
    "dataBiases": lambda parts: [*_stated(parts, "limits"), *_once(parts, datasheet.findings)],
    "dataLimitations": lambda parts: [*_stated(parts, "limits", "forbidden_uses"), *_once(parts, datasheet.limits)],
    "dataUseCases": lambda parts: _stated(parts, "intended_uses"),
    "dataSocialImpact": lambda parts: " ".join(_stated(parts, "social_impact")),
    "personalSensitiveInformation": lambda parts: [*_stated(parts, "personal_data"), *_once(parts, _personal)],
    "dataReleaseMaintenancePlan": lambda parts: " ".join(
        [*_stated(parts, "maintenance", "contact", "errata"), *datasheet.MAINTENANCE]
    ),
}
