"""The card of a release: README.md, in Markdown, for people who have the files without the platform.

Pure, and from the same values as the manifest, so that it says what the files hold.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from annotation import kinds
from annotation.kinds import Kind
from exports.aligned.rules import card as card_aligned
from exports.releases.rules import (
    card_check,
    datasheet_card,
    gold_origins,
    human,
    imported,
    signature,
    soft_labels,
    statement,
)
from exports.releases.rules.datasheet import counted
from exports.releases.rules.loading import loading_section
from exports.releases.rules.markdown import as_yaml, plain, table
from exports.releases.rules.settings import DEV, PUBLISHED, SOURCE, TENTHS, TEST, TRAIN
from exports.releases.rules.splits import AUTHOR, MODEL
from validation.consensus.protocol import NEVER

WHAT_SPLITS_ARE = {"train": "for training", "dev": "for choosing models", "test": "for scoring models"}
_HIDDEN = "hidden"
# How names of files end that hold rows.
_OF_ROWS = (".jsonl", ".csv", ".parquet", ".tsv")


def card(
    *,
    parts: Sequence[Mapping[str, Any]],
    files: Mapping[str, Mapping[str, Any]],
    reasons: Mapping[str, str],
    software: str,
    head: Mapping[str, Any] | None = None,
    further: Sequence[str] = (),
    facts: str = "",
) -> str:
    """Write the card; `head` stands before it as a block of YAML, for those who read it by machine, `further` are the
    lines of further forms, `facts` is the SHA-256 of what the manifest says.

    `parts` are the release's projects: project, suffix, rules, context and counts of each.
    """
    several = len(parts) > 1
    lines = [*front_matter(head or {}), f"# {_title(parts)}", ""]
    lines += _replaces(parts[0]["context"])
    lines += _parts(parts, software) if several else []
    for part in parts:
        sections = _part(part, reasons, software)
        if several:
            named = f"## `{part['suffix']}`: {plain(part['project']['name'])}"
            sections = [named, "", *(f"#{line}" if line.startswith("#") else line for line in sections)]
        lines += sections
    lines += [*further, *loading_section(head or {}, files), *_files(parts, files)]
    lines += [*datasheet_card.version_section(parts, files), *_closing(parts)]
    lines += card_check.repeated(facts, files)
    return "\n".join(lines) + "\n"


def _title(parts: Sequence[Mapping[str, Any]]) -> str:
    return ", ".join(plain(part["project"]["name"]) for part in parts)


WHY_REPLACED = {
    "withdrawal": "somebody who took part withdrew their consent",
    "takedown": "a holder of rights asked for it",
}


def _replaces(context: Mapping[str, Any]) -> list[str]:
    """Which release this one replaces, and why rows of it are not here."""
    told = context.get("replaces")
    if told is None:
        return []
    return [
        f"**It replaces** the release whose `manifest.json` has the SHA-256 `{told['manifest']}`: rows or votes of it "
        f"are not here any more, because {WHY_REPLACED[told['kind']]}. All other rows are in the split that they were "
        "in. Please stop using the earlier one, and delete what `CHANGES.md` lists as removed from your copies.",
        "",
        f"> {plain(told['reason'])}",
        "",
    ]


def _parts(parts: Sequence[Mapping[str, Any]], software: str) -> list[str]:
    """The projects of a release that has several."""
    rows = [[f"`{part['suffix']}`: {plain(part['project']['name'])}", part["counts"]["released"]] for part in parts]
    sentence = f"{len(parts)} projects, frozen at one moment, each under its own rules; made with Mufakat {software}."
    end = "The names of a project's files end as it is called here."
    return [sentence, "", *table(["project", "items"], rows), "", end, ""]


def _part(part: Mapping[str, Any], reasons: Mapping[str, str], software: str) -> list[str]:
    """Everything that the card says of one project."""
    project, counts, rules, context = (part[name] for name in ("project", "counts", "rules", "context"))
    kind, aligned = kinds.get(str(project["kind"])), card_aligned.is_aligned(counts)
    return [
        f"{counts['released']:,} items ({_kind_name(project)}, `{project['language']}`), {_made_by(part)} "
        f"with Mufakat {software}.",
        "",
        *_how_made(part),
        *(card_aligned.sections(counts, context) if aligned else _splits(rules, counts, kind)),
        *gold_origins.sections(part),
        *human.sections(context),
        *soft_labels.sections(part),
        *imported.sections(context),
        *_left_out(counts, reasons),
        *_votes(counts, part["suffix"]),
        *datasheet_card.sections(part),
    ]


def _kind_name(project: Mapping[str, Any]) -> str:
    kind = kinds.get(str(project["kind"]))
    return kind.export.title or kind.slug


def front_matter(head: Mapping[str, Any]) -> list[str]:
    """A block of YAML; JSON is YAML where `as_yaml` corrects it, and is written the same everywhere."""
    if not head:
        return []
    values = [f"{name}: {as_yaml(orjson.dumps(value).decode())}" for name, value in head.items()]
    return ["---", *values, "---", ""]


def _made_by(part: Mapping[str, Any]) -> str:
    counts = part["counts"]
    machine = counts.get("machine", {}).get("rows", 0)
    imported = counts["people"].get("imported", 0)
    if imported:
        return "imported; released" if imported == counts["released"] else f"{imported:,} of them imported; made"
    if not machine:
        return "made and judged by people" if statement.has_writers(part) else "judged by people"
    return "written by a machine" if machine == counts["released"] else f"{machine:,} of them written by a machine"


def _machine(counts: Mapping[str, Any]) -> list[str]:
    """Which models wrote how many rows, and which answer keys no person judged."""
    machine = counts.get("machine")
    if machine is None:
        return []
    models = ", ".join(f"{plain(model)}: {n:,}" for model, n in machine["models"].items())
    silver = sum(split.get("silver", 0) for split in counts["splits"].values())
    return [
        f"{machine['rows']:,} items were written by language models ({models}). As the model wrote them they stand in "
        "`raw/`, with the same ids; `raw` in a row holds what was changed since.",
        "",
        f"**{silver:,} answer keys are silver**: the model's, judged by no person (`silver` in the rows).",
        "",
    ]


def _how_made(part: Mapping[str, Any]) -> list[str]:
    rules, context, counts = part["rules"], part["context"], part["counts"]
    lines = [
        "## How it was made",
        "",
        f"{statement.people_sentence(part)} {statement.blindness_sentence(part)}",
        "",
        *_machine(counts),
    ]
    for version in context["protocols"]:
        protocol = version["rules"]
        author = " (the author's label is one of them)" if protocol.get("author") == "vote" else ""
        lines.append(
            f"- Protocol {version['n']}, {plain(protocol['name'])}: {statement.rounds_of(protocol)}; "
            f"{_gold(protocol)}{author}{_out(protocol)}."
        )
    lines += ["", "Rules of this release:", ""]
    lines += [f"- `{name}`: `{_value(value)}`" for name, value in rules.items()]
    return [*lines, ""]


def _gold(protocol: Mapping[str, Any]) -> str:
    """What makes gold, in words."""
    if protocol.get("plurality"):
        tie = ", and of tied ones that of the lowest pseudonym" if protocol.get("tie") == "lowest-pseudonym" else ""
        return f"the label with the most of them is gold{tie}"
    return f"{protocol['quorum']} equal labels make gold"


def _out(protocol: Mapping[str, Any]) -> str:
    most = protocol.get("most_ambiguous", NEVER)
    return "" if most == NEVER else f"; items that more than {most} people call ambiguous are left out"


def _value(value: object) -> str:
    return str(value).replace("`", "'") if not isinstance(value, bool) else str(value).lower()


def _splits(rules: Mapping[str, Any], counts: Mapping[str, Any], kind: Kind) -> list[str]:
    lines, hidden_split = ["## Splits", ""], TEST if rules.get("hidden_test") else ""
    labels: list[str] = []
    for split in counts["splits"].values():
        labels += [label for label in split["labels"] if label not in labels]
    rows = [
        [name, split["rows"], *(split["labels"].get(label, _HIDDEN if name == hidden_split else 0) for label in labels)]
        for name, split in counts["splits"].items()
    ]
    lines += table(["split", "rows", *(plain(label) for label in labels)], rows)
    lines += ["", f"How many rows of {TEST} have which label is hidden."] if hidden_split else []
    lines += ["", "Whose label a row carries:", ""]
    kinds = sorted({kind for split in counts["splits"].values() for kind in split["label_sources"]})
    sources = [
        [name, *(split["label_sources"].get(kind, 0) for kind in kinds)] for name, split in counts["splits"].items()
    ]
    lines += table(["split", *kinds], sources)
    lines += [*_levels(counts), *_unanswered(counts)]
    lines += ["", *(f"- {name}: {_what_split_is(name, split)}" for name, split in counts["splits"].items()), ""]
    dealt = _dealt(rules, counts, kind)
    return [*lines, *([dealt, ""] if dealt else []), *_shared(counts, kind.shape.grouping_texts[0])]


def _what_split_is(name: str, split: Mapping[str, Any]) -> str:
    """What a split is for, and of train whose its labels are where no votes made them."""
    whose = {AUTHOR: "the author's", MODEL: "the model's"}
    sources = " or ".join(words for source, words in whose.items() if split["label_sources"].get(source))
    more = f"; a label is {sources} unless `label_source` says otherwise" if sources and name == TRAIN else ""
    return f"{WHAT_SPLITS_ARE[name]}{more}"


def _unanswered(counts: Mapping[str, Any]) -> list[str]:
    """How many rows with gold lack an answer to a question that must be answered."""
    found = counts.get("unanswered", {"rows": 0})
    if not found["rows"]:
        return []
    named = ", ".join(f"`{key}`: {n:,}" for key, n in found["questions"].items())
    return [
        "",
        f"**{found['rows']:,} of {found['of']:,} rows with a gold label have no gold answer to a required question** "
        f"({named}): its column is empty there.",
    ]


def _levels(counts: Mapping[str, Any]) -> list[str]:
    """Rows by what the model made of its own questions, and those with a silver key."""
    found = counts["splits"].items()
    levels = sorted({level for _, split in found for level in split.get("levels", {})})
    heads = [*levels, *(["silver"] if any("silver" in split for _, split in found) else [])]
    if not heads:
        return []
    rows = [
        [
            name,
            *({**split.get("levels", {}), "silver": split.get("silver", 0)}.get(head, 0) for head in heads),
        ]
        for name, split in found
    ]
    sentence = "Levels (whether the model could answer its own question) and silver keys:"
    return ["", sentence, "", *table(["split", *heads], rows)]


def _dealt(rules: Mapping[str, Any], counts: Mapping[str, Any], kind: Kind) -> str:
    """What may and what may not stand in several splits."""
    if rules.get("deal") == SOURCE:
        return "Splits are those of what each item was made from; what names none is in test."
    if rules.get("deal") == PUBLISHED:
        return "Splits are those that each item was published in (`published_split`); what names none is left out."
    if rules.get("deal") == TENTHS:
        sets = "stay in one split" if rules.get("keep_sets") else "may stand in several"
        return (
            "Dev and test have a tenth of each level each, rounded down and drawn with the seed; the questions of one "
            f"set {sets}."
        )
    has_both = all(counts["splits"].get(name, {"rows": 0})["rows"] for name in (DEV, TEST))
    return f"No {kind.shape.grouping_texts[0]} stands in both dev and test." if has_both else ""


def _shared(counts: Mapping[str, Any], source: str) -> list[str]:
    """How many rows of a split share their premise or concept with another one."""
    pairs = [pair for pair in counts.get("shared", {"pairs": []})["pairs"] if pair["rows"]]
    if not counts.get("shared", {"of": 0})["of"]:
        return []
    if not pairs:
        return [f"No two splits share a {source}.", ""]
    lines = [
        f"- {pair['rows']:,} of {pair['of']:,} rows of {pair['splits'][1]} have a {source} that is in "
        f"{pair['splits'][0]} too"
        for pair in pairs
    ]
    return [f"**Splits share some {source}s:**", "", *lines, ""]


def _left_out(counts: Mapping[str, Any], reasons: Mapping[str, str]) -> list[str]:
    left_out = counts["left_out"]
    if not left_out:
        return []
    rows = [[reasons.get(reason, reason), n] for reason, n in left_out.items()]
    end = ["", "`manifest.json` lists them by id."]
    return ["## Left out", "", *table(["reason", "items"], rows), *end, ""]


def _votes(counts: Mapping[str, Any], suffix: str) -> list[str]:
    file = f"votes_{suffix}.jsonl" if suffix else "votes.jsonl"
    votes = counts["votes"]
    rows = [["counted", votes["counted"]], *([why, n] for why, n in votes["not_counted"].items())]
    return [
        "## Votes",
        "",
        f"`{file}` holds {counted(votes['given'], 'vote')} under stable pseudonyms, those that do not count with why "
        "(`extra`: beyond the decision; `new_meaning`: for a text that was changed since; `taken_back`, `voided`).",
        "",
        *table(["votes", "number"], rows),
        "",
    ]


def _files(parts: Sequence[Mapping[str, Any]], files: Mapping[str, Mapping[str, Any]]) -> list[str]:
    rows = [
        [f"`{name}`", file["rows"] if name.endswith(_OF_ROWS) else "–", file["bytes"]]
        for name, file in sorted(files.items())
    ]
    columns = list(dict.fromkeys(_columns(part) for part in parts))
    sentence = f"JSON Lines, UTF-8, one row a line; {columns[0]}".rstrip("; ")
    more = [line for words in columns[1:] for line in ("", words)]
    return ["## Files", "", *table(["file", "rows", "bytes"], rows), "", sentence, *more, ""]


def _columns(part: Mapping[str, Any]) -> str:
    kind = kinds.get(str(part["project"]["kind"]))
    return card_aligned.COLUMNS if card_aligned.is_aligned(part["counts"]) else kind.export.column_help


def _closing(parts: Sequence[Mapping[str, Any]]) -> list[str]:
    found: dict[str, int] = {}
    for part in parts:
        for name, n in part["counts"]["source_licences"].items():
            found[name] = found.get(name, 0) + n
    slugs = " ".join(
        f"{part['project']['slug']}={part['suffix']}" if part["suffix"] else str(part["project"]["slug"])
        for part in parts
    )
    return [
        "## Licence",
        "",
        *(line for sentence in statement.licence(parts) for line in (sentence, "")),
        "Licences of its sources, by released items:",
        "",
        *([f"- {plain(name)}: {n:,}" for name, n in found.items()] or ["- none"]),
        "",
        *statement.citation(parts),
        *statement.canaries(parts),
        "## Check and rebuild",
        "",
        "`manifest.json` has the SHA-256 of every file. The same state, rules and seed give the same bytes:",
        "",
        f"    manage.py build_release {slugs} --out DIR",
        "    manage.py verify_release DIR",
        *card_check.signed(parts[0]["context"].get(signature.FIELD)),
    ]
