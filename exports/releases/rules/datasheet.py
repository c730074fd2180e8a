"""The card's datasheet: what reviewers of data sets ask, answered from what is known, and what is missing by name.

Pure, from a release's context as it was frozen (`datasheet`, `about`, `picture`) and its counts. Sentences are plain
words: the card has them as Markdown (`datasheet_card`), Croissant as they are (exports/formats/release/rai.py).
"""

from collections.abc import Mapping, Sequence
from typing import Any

from annotation import kinds
from annotation.datasheet.rules import QUESTIONS, SECTIONS
from annotation.text.gettext import gettext_noop as _
from exports.releases.rules import statement
from exports.releases.rules.settings import LEAVE_OUT
from exports.releases.rules.splits import AUTHOR, REASONS, WITHHELD

CONTEXT, PICTURE = "datasheet", "picture"
GUIDELINES = "guidelines"
# The tables of Insights that tell where labels can be guessed: their columns, and how many rows of one label.
FINDINGS: Mapping[tuple[str, str], tuple[tuple[str, ...], int]] = {
    ("classifier", "now"): (("items", "accuracy", "baseline"), 1),
    ("words", "words"): (("word", "label", "with_label", "in_all"), 3),
    ("overlap", "labels"): (("label", "texts", "jaccard", "words", "negated"), 1),
    ("lengths", "labels"): (("label", "text", "n", "mean"), 4),
    ("lengths", "texts"): (("text", "n", "mean", "least", "most"), 4),
}
ACTIONS = {
    "write": "writing",
    "correct": "correcting what was returned",
    "vote": "voting or reviewing",
    "assess": "checking a machine-written item",
    "quiz": "the voters' quiz",
    "writerquiz": "the writers' quiz",
}

MAINTENANCE = [
    "A correction is a new release: its CHANGES.md lists what is new, changed and removed since the one before."
]

# What is there only where a project's people set or computed it.
RATES, MEASURED = _("Rates of pay"), _("Findings of Insights")

Part = Mapping[str, Any]


def facts_of(part: Part) -> Mapping[str, Any]:
    """The frozen facts of a part; nothing in releases of before there was such a thing."""
    found: Mapping[str, Any] = part["context"].get(CONTEXT, {})
    return found


def answer(part: Part, name: str) -> str:
    """What the administrators said to a question, else nothing."""
    return str(statement.about_of(part).get("answers", {}).get(name, ""))


def guideline_path(role: str, n: int, suffix: str) -> str:
    """The file of a version of the guidelines in a release."""
    return f"{GUIDELINES}/{role}-{n}{f'_{suffix}' if suffix else ''}.md"


def guideline_bytes(text: str) -> bytes:
    """The text of a version as its file has it: as it was published."""
    return text.encode("utf-8", "surrogatepass")


def picture_path(suffix: str) -> str:
    """The file of a release that shows the card that voters saw."""
    return f"{PICTURE}{f'_{suffix}' if suffix else ''}.html"


def counted(n: int, what: str) -> str:
    """So many of something, in words."""
    plural = "people" if what == "person" else f"{what}s"
    return f"{n:,} {what if n == 1 else plural}"


# --- what is known ------------------------------------------------------------------------


def days(part: Part) -> list[str]:
    """When the data were made."""
    collection = facts_of(part).get("collection", {})
    names = (("writing", "Items were made here"), ("voting", "Votes were given here"))
    spans = [
        f"{words} from {span[0]} to {span[1]} (UTC)." if span[0] != span[1] else f"{words} on {span[0]} (UTC)."
        for name, words in names
        if (span := collection.get(name))
    ]
    imported = [
        f"Imported: {counted(n, what)}; when they were made the files do not say."
        for name, what in (("imported_items", "item"), ("imported_votes", "vote"))
        if (n := collection.get(name, 0))
    ]
    return spans + imported


def collection_types(part: Part) -> list[str]:
    """How the data came to be, in the words that RAI 1.0 lists."""
    counts, collection = part["counts"], facts_of(part).get("collection", {})
    names = {
        "Manual Human Curator": bool(collection.get("writing") or collection.get("voting")),
        "Secondary Data Analysis": has_imports(part),
        "Others": "machine" in counts,
    }
    return [name for name, holds in names.items() if holds]


def has_imports(part: Part) -> bool:
    """Whether items or votes were imported, of which nobody here knows how they were made."""
    collection = facts_of(part).get("collection", {})
    return bool(collection.get("imported_items") or collection.get("imported_votes"))


def card_time(part: Part) -> list[str]:
    """How long a card took."""
    collection = facts_of(part).get("collection", {})
    if not collection.get("timed_votes"):
        return []
    votes = counted(collection["timed_votes"], "vote")
    return [f"Median time on a card: {collection['seconds']:g} seconds ({votes} with a known time)."]


def rates(part: Part) -> list[str]:
    """What was paid for each unit, and since when."""
    found = facts_of(part).get("pay", {}).get("rates", ())
    sentences = []
    for rate in found:
        where = f", target {rate['target']}" if rate["target"] else ""
        paid = "not paid any more" if rate["amount"] == "0" else f"{rate['amount']} {rate['currency']} a {rate['unit']}"
        sentences.append(f"{ACTIONS.get(rate['action'], rate['action'])}{where}: {paid}, from {rate['from']}")
    return sentences


def hourly(part: Part) -> list[str]:
    """What voting earned an hour, and what that does not say."""
    pay = facts_of(part).get("pay", {})
    if not pay.get("rates"):
        return []
    if not pay["hourly"]:
        return [
            f"Pay of an hour is not told: fewer than {pay['least']} people voted for pay with times that are known."
        ]
    medians = [
        f"Voting earned a median of {each['median']:,.2f} {each['currency']} an hour ({each['people']} people, "
        f"{counted(each['votes'], 'vote')})."
        for each in pay["hourly"]
    ]
    return [
        *medians,
        "It is each person's earnings over their time on cards, and the median of people. Only time on cards is "
        "measured: reading guidelines, pauses between cards, writing and cards answered without a connection are not "
        "in it, and a card left open is.",
    ]


def withdrawals(part: Part) -> list[str]:
    """How people take their work out of the data, and how much is out."""
    out = sum(part["counts"].get("left_out", {}).get(reason, 0) for reason in WITHHELD)
    return [
        "Whoever wrote or voted can withdraw their consent at any time, and holders of rights can have rows removed. "
        "No later release has their work then, and a version without it replaces the releases that had it.",
        *([f"Left out here for that: {counted(out, 'item')}."] if out else []),
    ]


def personal_data(part: Part) -> list[str]:
    """What files hold of the people who made the data."""
    comments = part["rules"].get("comments")
    return [
        "Of the people who made the data the files hold pseudonyms alone: no names, addresses, times of single votes "
        "or answers about themselves."
        + (" Their comments on items are released as they typed them." if comments else "")
    ]


def preprocessing(part: Part) -> list[str]:
    """What was done to texts and labels."""
    votes = "votes.jsonl" if not part["suffix"] else f"votes_{part['suffix']}.jsonl"
    counts = part["counts"]
    sentences = [
        "Texts stand as they were written, imported or corrected in review; nothing is tokenised, lower-cased or cut."
    ]
    if "machine" in counts:
        sentences.append("Items of language models stand in raw/ as the model wrote them.")
    if any(any(each["clean_up"].values()) for each in part["context"].get("sources", ())):
        sentences.append("Source sets were cleaned up before translation; the section on sources counts what was done.")
    labels = "follow from single votes by the release's protocols; each vote"
    if part["context"].get("sources"):
        labels = "are those of the source sets; each review"
    return [*sentences, f"Labels {labels} is in {votes}."]


def composition(part: Part) -> list[str]:
    """What a row is, and what was asked about it."""
    asked = facts_of(part).get("asked")
    if not asked:
        return []
    questions = _quoted(asked["questions"])
    sentences = [f"Each row is an item ({asked['title']}).", f"Voters were asked: {questions}"]
    if part["context"].get("sources"):
        sentences = ["Each row is one of a source set, in its own language or a target's.", f"Reviewers: {questions}"]
    sentences += [f"They saw: {_quoted(asked['texts'])}."] if asked["texts"] else []
    return sentences + ([f"Answers to choose from: {_quoted(asked['labels'])}."] if asked["labels"] else [])


def missing_data(part: Part) -> list[str]:
    """What is not in the files."""
    counts = part["counts"]
    left_out = counts.get("left_out", {})
    why = ", ".join(f"{REASONS.get(reason, reason)}: {n:,}" for reason, n in left_out.items())
    out = sum(left_out.values())
    sentences = [f"Left out: {out:,} of {counted(counts['items'], 'item')} ({why})."] if out else []
    if lacking := counts.get("unanswered", {}).get("rows", 0):
        sentences.append(f"Rows without an answer to a required question: {lacking:,}.")
    return sentences or ["No item of the project is left out."]


def limits(part: Part) -> list[str]:
    """What the data do not show, as far as that follows from how they were made."""
    counts, people = part["counts"], part["counts"]["people"]
    languages = sorted(
        {part["project"]["language"], *(each["language"] for each in part["context"].get("targets", ()))}
    )
    sentences = [f"Languages: {', '.join(languages)}, and no other."]
    if statement.has_writers(part) and people["authors"]:
        writers = counted(people["authors"], "person")
        sentences.append(f"Who wrote the items: {writers}, whose habits a model can learn.")
    sentences += _without_gold(part)
    if "machine" in counts:
        sentences.append(f"Items that language models wrote, with their habits: {counts['machine']['rows']:,}.")
    shared = counts.get("shared", {}).get("rows", 0)
    if shared:
        sentences.append(f"Rows made from the same source as a row of another split: {shared:,}.")
    if has_imports(part):
        sentences.append("How imported items and votes were made is known only as far as it is stated here.")
    return sentences


def _without_gold(part: Part) -> list[str]:
    """Rows with their author's label, and items that are not here for want of gold; each with why."""
    counts, rules = part["counts"], part["rules"]
    authors = sum(split["label_sources"].get(AUTHOR, 0) for split in counts.get("splits", {}).values())
    sentences = []
    if authors:
        why = [_NOT_ASKED] if rules.get("not_sampled", LEAVE_OUT) != LEAVE_OUT else []
        why += [_why_no_gold(part)] if rules.get("no_gold", LEAVE_OUT) != LEAVE_OUT else []
        sentences.append(f"Rows whose label is their author's: {authors:,} ({', or '.join(why) or _NOT_ASKED}).")
    if out := counts.get("left_out", {}).get("no_gold", 0):
        sentences.append(
            f"Items left out without gold: {out:,} ({_why_no_gold(part)}). What is left is easier, and agreed on more, "
            "than what was collected."
        )
    return sentences


_NOT_ASKED = "nobody was asked to vote on them"


def _why_no_gold(part: Part) -> str:
    """Why votes made no gold, by what its protocols let become gold: one label alone can be refused unanimously."""
    protocols = [version["rules"] for version in part["context"]["protocols"]]
    spell = kinds.get(str(part["project"]["kind"])).export.spell
    ways = {
        f"too few people chose “{spell(protocol['accept'])}”, also where all chose the same other answer"
        if protocol.get("target") == "accept"
        else "too few votes were for the author's label, also where all were for the same other one"
        if protocol.get("target") == "key"
        else "too few votes were equal"
        for protocol in protocols
    }
    return ", or ".join(sorted(ways))


def _quoted(texts: Sequence[str]) -> str:
    return ", ".join(f"“{text}”" for text in texts)


def findings(part: Part) -> list[str]:
    """What Insights measured: where labels can be guessed without reading everything."""
    kind = kinds.get(str(part["project"]["kind"]))
    sentences: list[str] = []
    for found in facts_of(part).get("findings") or ():
        sentences += _finding(f"{found['insight']}.{found['table']}", found["rows"], kind.export.spell)
    return sentences


def _finding(named: str, rows: Sequence[Mapping[str, Any]], spell: Any) -> list[str]:
    """The sentences of one table."""
    if named == "classifier.now":
        row = rows[0]
        return [
            f"A small classifier that never sees the source tells {_percent(row['accuracy'])} of {row['items']:,} "
            f"labels; the most frequent answer alone tells {_percent(row['baseline'])}."
        ]
    if named == "words.words":
        by_label: dict[str, list[str]] = {}
        for row in rows:
            if 2 * row["with_label"] > row["in_all"]:
                told = f"“{row['word']}” ({row['with_label']:,} of {row['in_all']:,})"
                by_label.setdefault(spell(row["label"]), []).append(told)
        lists = [f"{label}: {', '.join(words)}" for label, words in by_label.items()]
        return [f"Words that stand mostly with one label: {'; '.join(lists)}."] if lists else []
    if named == "overlap.labels":
        shares = [
            f"{spell(row['label'])}: {_percent(row['jaccard'])} of different words stand in both (Jaccard), "
            f"{_percent(row['negated'])} of texts have a negation"
            for row in rows
        ]
        return [f"Overlap with the source by label (medians) and negation: {'; '.join(shares)}."]
    names = [f"{row['text']} ({spell(row['label'])})" if "label" in row else str(row["text"]) for row in rows]
    means = [f"{name} {row['mean']:.1f}" for name, row in zip(names, rows, strict=True)]
    return [f"Mean number of words{' by label' if named == 'lengths.labels' else ''}: {', '.join(means)}."]


def _percent(figure: float) -> str:
    return f"{figure:.1f} %"


# --- what is missing ------------------------------------------------------------------------


def missing_answers(about: Mapping[str, Any], *, imported: bool) -> list[str]:
    """What nobody stated of what is asked of administrators: names of fields, in the order of the form."""
    plain_fields = {_("Licence"): "licence", _("Citation"): "citation", _("Home page"): "homepage"}
    names = [title for title, name in plain_fields.items() if not about.get(name)]
    names += [] if about["ethics"]["board"] else [_("Ethics board")]
    names += [] if about["consent"] else [_("What members agree to")]
    asked = [name for name in statement.ALWAYS_LISTED if name != "language_variety"]
    names += [SECTIONS[name][0] for name in asked if not about["statement"].get(name)]
    answers = about.get("answers", {})
    skipped = () if imported else ("collected",)
    return names + [title for name, (title, _, _) in QUESTIONS.items() if name not in (*skipped, *answers)]


def missing_facts(part: Part) -> list[str]:
    """What the platform knows where it was used for it, and does not know of this project."""
    facts = facts_of(part)
    there = {
        "Days of collection": bool(days(part)),
        "Guidelines": bool(facts.get("guidelines")),
        "Protocols": bool(part["context"].get("protocols")),
        RATES: bool(rates(part)) or bool(statement.about_of(part)["statement"].get("annotator_demographic")),
        MEASURED: bool(findings(part)) or facts.get("findings", ()) is None,
        "Picture of the card": PICTURE in part["context"],
    }
    return [name for name, is_there in there.items() if not is_there]
