"""The card's section *Datasheet*, and the version of a release: Markdown of what `datasheet` knows. Pure."""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from annotation.datasheet.rules import QUESTIONS
from exports.formats.rules.configs import ENDING
from exports.releases.rules import datasheet, hidden, statement
from exports.releases.rules.datasheet import Part
from exports.releases.rules.markdown import plain, table

NOT_STATED = "Not stated."


def sections(part: Part) -> list[str]:
    """Data statement and datasheet of one project; no datasheet where the release was frozen without its facts."""
    if not datasheet.facts_of(part):
        return statement.sections(part)
    lines = [
        *statement.sections(part),
        "## Datasheet",
        "",
        "After Gebru et al. (2021), with what the NeurIPS data-set track and ACL's responsible-research list ask.",
        "",
        *_section("Motivation", [*_words(_PURPOSE), *_asked(part, "creators", "funding")]),
        *_section("Composition", _composition(part)),
        *_section("Collection", _collection(part)),
        *_section("Preprocessing", _words(datasheet.preprocessing(part))),
        *_section("Uses", _uses(part)),
        *_section("Distribution", _distribution(part)),
        *_section("Maintenance", [*_asked(part, "contact", "maintenance", "errata"), *_words(datasheet.MAINTENANCE)]),
    ]
    return [*lines, *_missing(part)]


def _section(title: str, lines: Sequence[str]) -> list[str]:
    return [f"### {title}", "", *lines]


def _words(sentences: Sequence[str]) -> list[str]:
    return [" ".join(plain(sentence) for sentence in sentences), ""] if sentences else []


def _asked(part: Part, *names: str) -> list[str]:
    """Questions to administrators with their answers."""
    lines: list[str] = []
    for name in names:
        title, _, is_line = QUESTIONS[name]
        text = datasheet.answer(part, name)
        words = plain(text) if is_line else statement.markdown(text)
        lines += [f"**{title}.** {words or NOT_STATED}", ""]
    return lines


def _composition(part: Part) -> list[str]:
    picture = part["context"].get(datasheet.PICTURE)
    shown = (
        [f"`{datasheet.picture_path(part['suffix'])}` shows an item as voters saw it, without any answer."]
        if picture
        else []
    )
    return [
        *_words(datasheet.composition(part)),
        *([*shown, ""] if shown else []),
        *_words(datasheet.missing_data(part)),
        *_asked(part, "personal_data"),
        *_words(datasheet.personal_data(part)),
    ]


def _collection(part: Part) -> list[str]:
    facts, suffix = datasheet.facts_of(part), part["suffix"]
    days = facts.get("collection", {})
    guidelines = [
        line
        for title, is_used in (("What people were told:", True), ("Guidelines by which nobody worked here:", False))
        for line in _versions(
            title,
            [each for each in facts.get("guidelines", ()) if bool(days.get(_WORK[each["role"]])) is is_used],
            suffix,
        )
    ]
    paid = datasheet.rates(part)
    return [
        *_words([*datasheet.days(part), *datasheet.card_time(part)]),
        *(_asked(part, "collected") if datasheet.has_imports(part) else []),
        *guidelines,
        *(["Rates of pay:", "", *(f"- {plain(rate)}" for rate in paid), ""] if paid else _words(_NO_RATES)),
        *_words(datasheet.hourly(part)),
        *_words(datasheet.withdrawals(part)),
    ]


# The days of collection by the role that guidelines are for.
_WORK = {"writing": "writing", "validation": "voting"}


def _versions(title: str, guidelines: Sequence[Mapping[str, Any]], suffix: str) -> list[str]:
    rows = [[f"`{datasheet.guideline_path(each['role'], each['n'], suffix)}`", each["on"]] for each in guidelines]
    return [title, "", *table(["guidelines", "from (UTC)"], rows), ""] if rows else []


_PURPOSE = ["Why the data were made stands under curation rationale, what for under uses."]
_NO_RATES = ["No rates of pay were set here: what people were paid stands under annotator demographic, if anywhere."]


def _uses(part: Part) -> list[str]:
    measured = datasheet.findings(part)
    listed = [f"- {plain(sentence)}" for sentence in (*datasheet.limits(part), *measured)]
    return [
        *_asked(part, "intended_uses", "forbidden_uses", "limits"),
        "What follows from how the data were made, and what was measured before they were frozen:",
        "",
        *listed,
        "",
        *_asked(part, "social_impact"),
    ]


def version_section(parts: Sequence[Part], files: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """The version of the whole release."""
    if not any(map(datasheet.facts_of, parts)):
        return []
    stated = list(dict.fromkeys(filter(None, (datasheet.answer(part, "version") for part in parts))))
    derived = version_of_rows(files)
    words = (
        f"Version {plain(', '.join(stated))}."
        if stated
        else f"No version is stated; made of its rows it is `{derived}`."
    )
    return ["## Version", "", words, ""]


def version_of_rows(files: Mapping[str, Mapping[str, Any]]) -> str:
    """A version that follows from the files of rows alone: equal rows have the same one."""
    rows = {
        name: facts["sha256"]
        for name, facts in sorted(files.items())
        if name.endswith(ENDING) and not name.startswith(f"{hidden.FOLDER}/")
    }
    digest = sha256("".join(f"{name} {digest}\n" for name, digest in rows.items()).encode()).hexdigest()
    return f"0.0.0+{digest[:12]}"


def _distribution(part: Part) -> list[str]:
    return [
        *_asked(part, "published_on"),
        *_words(["Version, licences, citation, files with their SHA-256 and the canary string stand below."]),
    ]


def _missing(part: Part) -> list[str]:
    """Everything that reviewers ask and nobody answered, in one place."""
    about = statement.about_of(part)
    names = datasheet.missing_answers(about, imported=datasheet.has_imports(part)) + datasheet.missing_facts(part)
    names += [] if about["people"]["fields"] else ["Counts of people by what they said about themselves"]
    if not names:
        return []
    return [
        "### Not stated",
        "",
        "Reviewers ask this too, and it is not known here:",
        "",
        *map("- {}".format, names),
        "",
    ]
