"""The card's part on the project: data statement, ethics, licence, citation, canary string.

Pure, from `context["about"]` as it was frozen (annotation.datasheet.queries.about_in_release). The sections of a data
statement are those of Bender and Friedman (2018). Counts of people come grouped already
(annotation.datasheet.rules).
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from annotation import kinds
from annotation.datasheet.rules import FIELDS, SECTIONS, THRESHOLD
from exports.releases.rules.markdown import plain, table

# Said to be unknown where nobody says anything; the others are left out then.
ALWAYS_LISTED = (
    "curation_rationale",
    "language_variety",
    "speaker_demographic",
    "annotator_demographic",
    "speech_situation",
    "text_characteristics",
)
# The text for imported items and votes if their file does not say.
UNKNOWN = "imported; not known"
UNKNOWN_WHEN = "imported; when they were given is not known"
_HEADING = re.compile(r"^( {0,3})(#|=+ *$|-+ *$)", re.MULTILINE)
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})", re.MULTILINE)


def about_of(part: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a part of a release says of itself; nothing in releases of before there was such a thing."""
    found: Mapping[str, Any] = part["context"].get("about", {})
    return found


def sections(part: Mapping[str, Any]) -> list[str]:
    """The data statement and the ethics of one project; nothing where the release was frozen without."""
    about = about_of(part)
    if not about:
        return []
    lines = ["## Data statement", "", "After Bender and Friedman (2018).", ""]
    for name, (title, _) in SECTIONS.items():
        text = about["statement"].get(name, "")
        found = [*([markdown(text), ""] if text else []), *_known(name, part, about)]
        if found or name in ALWAYS_LISTED:
            lines += [f"### {title}", "", *(found or ["Not stated.", ""])]
    return [*lines, *_ethics(about)]


def markdown(text: str) -> str:
    """What somebody wrote, so that it formats itself and nothing after it: no headings, no HTML, no open block."""
    return _FENCE.sub("", _HEADING.sub(r"\1\\\2", _no_html(text)))


def _no_html(text: str) -> str:
    """Text without any element: a backslash would not do, since one before it takes it away, and code keeps it."""
    return text.replace("<", "&lt;")


def _known(name: str, part: Mapping[str, Any], about: Mapping[str, Any]) -> list[str]:
    """What is known here of a section."""
    if name == "language_variety":
        targets = part["context"].get("targets", ())
        more = "; its targets are listed above" if targets else ""
        return [f"The project's language is `{part['project']['language']}`{more}.", ""]
    if name == "annotator_demographic":
        return [
            people_sentence(part),
            "",
            *_entry(about["entry"]),
            *_entry(about["entry"], "writer", "writer_"),
            *_people(about["people"]),
        ]
    return []


def people_sentence(part: Mapping[str, Any]) -> str:
    """How many people wrote and voted; what is not known of imported items and votes.

    Of who wrote nothing is said where a task's items are imported ready.
    """
    counts, people = part["counts"], part["counts"]["people"]
    unsigned, unnamed = people.get("author_unknown", 0), people.get("voter_unknown", 0)
    authors, voters = people["authors"], people["voters"]
    written = has_writers(part)
    if not unsigned and not unnamed and written:
        if authors:
            return f"{_people_words(authors)} wrote the items, {voters or 'nobody'} voted on them."
        return f"{_nobody_wrote(counts)} {_people_words(voters)} voted on them."
    released, given = counts["released"], counts["votes"]["given"]
    wrote = f"{_people_words(authors)} wrote the items." if authors else _nobody_wrote(counts)
    if unsigned:
        of = "the items" if unsigned == released else f"{unsigned:,} of the {released:,} items"
        wrote = f"Who wrote {of}: {UNKNOWN}." + (f" {_people_words(authors)} wrote others." if authors else "")
    voted = f"{_people_words(voters)} voted on {'them' if written else 'the items'}."
    if unnamed:
        of = "the votes" if unnamed == given else f"{unnamed:,} of the {given:,} votes"
        voted = f"Who gave {of}: {UNKNOWN}." + (f" {_people_words(voters)} gave others." if voters else "")
    return f"{wrote} {voted}" if written else voted


def _people_words(n: int) -> str:
    """So many people, as a sentence begins."""
    return {0: "Nobody", 1: "1 person"}.get(n, f"{n} people")


def _nobody_wrote(counts: Mapping[str, Any]) -> str:
    return "Language models wrote the items." if "machine" in counts else "No item that somebody wrote is released."


def rounds_of(protocol: Mapping[str, Any]) -> str:
    """The votes that a protocol asks for, round by round."""
    rounds = ", then ".join(map(str, protocol["rounds"]))
    return f"{rounds} vote{'' if rounds == '1' else 's'}"


def has_writers(part: Mapping[str, Any]) -> bool:
    """Whether people write items of the kind, or the release says of somebody that they wrote one."""
    return kinds.get(str(part["project"]["kind"])).has_writers or part["counts"]["people"]["authors"] > 0


def blindness_sentence(part: Mapping[str, Any]) -> str:
    """What voters had seen before they voted, as far as it is known."""
    counts = part["counts"]
    sentence = (
        "Nobody votes on an item of their own, and a validator sees neither the author label nor any other vote "
        "before voting."
        if has_writers(part)
        else "A validator sees no other vote before voting."
    )
    imported, given = counts["people"].get("votes_imported", 0), counts["votes"]["given"]
    if not imported:
        return sentence
    if imported == given:
        return f"What the voters had seen before they voted: {UNKNOWN}."
    unknown = f"What the voters of {imported:,} of the {given:,} votes had seen: {UNKNOWN}."
    return f"{unknown} Of those given here: {sentence}"


def _entry(conditions: Mapping[str, Any], who: str = "member", prefix: str = "") -> list[str]:
    """What each member, or each writer, confirmed before they worked."""
    lines = []
    language, years = conditions.get(f"{prefix}native_language"), conditions.get(f"{prefix}years")
    if language:
        lines.append(f"that {plain(language)} is a native language of theirs")
    if years:
        lines.append(f"that they had lived where the language is spoken for {years} years or more")
    return [f"Each {who} confirms before they work {' and '.join(lines)}.", ""] if lines else []


def _people(people: Mapping[str, Any]) -> list[str]:
    """What those said who agreed to be counted, field by field."""
    if not people["fields"]:
        return ["Of their demographics nothing is told: too few said something, or agreed to be counted.", ""]
    lines = [
        "What they said about themselves, where they agreed to be counted, in groups of at least "
        f"{max(people['threshold'], THRESHOLD)}. Smaller groups are together in “others”, with the next larger one "
        "where they are too few even so.",
        "",
    ]
    for each in people["fields"]:
        rows: list[Sequence[object]] = [[plain(value), n] for value, n in each["groups"]]
        rows += [["others", each["others"]]] if each["others"] else []
        lines += [
            *table([FIELDS[each["field"]], "people"], rows),
            "",
            *_small_groups_note(each),
            *_earlier(each),
        ]
    return lines


def _small_groups_note(each: Mapping[str, Any]) -> list[str]:
    if each["least"] >= THRESHOLD:
        return []
    return [f"Groups of fewer than {THRESHOLD} are shown here: everybody in this table agreed to it.", ""]


def _earlier(each: Mapping[str, Any]) -> list[str]:
    if not each["earlier"]:
        return []
    return ["As counted for an earlier release: too few have come or changed their word since.", ""]


def _ethics(about: Mapping[str, Any]) -> list[str]:
    board, number = (plain(about["ethics"][name]) for name in ("board", "number"))
    lines = ["## Ethics", ""]
    if board:
        lines += [f"Approved by {board}{f', number {number}' if number else ''}.", ""]
    else:
        lines += ["No approval by an ethics board is stated.", ""]
    if about["consent"]:
        quoted = [f"> {line}".rstrip() for line in _no_html(about["consent"]["text"]).split("\n")]
        lines += [
            f"People were asked to agree to this text (version {about['consent']['n']}) before they said anything "
            "about themselves:",
            "",
            *quoted,
            "",
        ]
    return lines


# --- of the whole release -------------------------------------------------------------------


def licence(parts: Sequence[Mapping[str, Any]]) -> list[str]:
    """The licence of what people wrote, and where more is to be read."""
    lines = _same_or_by_part(parts, lambda about: plain(about.get("licence", "")), "Released under {}.")
    if not lines:
        lines = ["The licence of this release is not stated here."]
    return [*lines, *_same_or_by_part(parts, lambda about: _address(about.get("homepage", "")), "More: {}")]


def _address(url: str) -> str:
    """An address as Markdown links it; what cannot stand between its brackets is written as it is known in URLs."""
    return f"<{re.sub(r'[<> ]', lambda found: f'%{ord(found.group()):02X}', url)}>" if url else ""


def citation(parts: Sequence[Mapping[str, Any]]) -> list[str]:
    """How to cite it, letter by letter."""
    texts = dict.fromkeys(about_of(part).get("citation", "") for part in parts)
    blocks = [line for text in texts if text for line in (*_code_block(text), "")]
    return ["## Citation", "", *blocks] if blocks else []


def _code_block(text: str) -> list[str]:
    """A block of code that its own text cannot end."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return [fence, text, fence]


def canaries(parts: Sequence[Mapping[str, Any]]) -> list[str]:
    """The strings by which training data are searched for this release."""
    found = [about_of(part)["canary"] for part in parts if about_of(part)]
    if not found:
        return []
    notice = "Please keep this data out of what models are trained on. A model that completes this string has seen it:"
    return ["## Canary", "", notice, "", *(f"    {one}" for one in found), ""]


def _same_or_by_part(
    parts: Sequence[Mapping[str, Any]], of: Callable[[Mapping[str, Any]], str], words: str
) -> list[str]:
    """What is the same in all parts once, else by part."""
    values = {str(part["suffix"]): of(about_of(part)) for part in parts}
    distinct = set(values.values())
    if distinct == {""}:
        return []
    if len(distinct) == 1:
        return [words.format(*distinct)]
    return [f"`{suffix}`: {words.format(value)}" for suffix, value in _group_by_value(values)]


def _group_by_value(values: Mapping[str, str]) -> Iterable[tuple[str, str]]:
    return ((suffix, value) for suffix, value in values.items() if value)
