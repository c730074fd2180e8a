"""What a release asks of a model, row by row. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from annotation.elicitation.rules.responses import Response
from annotation.kinds import Kind
from annotation.text.gettext import gettext_noop
from exports.formats.rules.configs import Config
from exports.lm_eval.rules.task_docs import DOCUMENTS
from exports.lm_eval.rules.tasks import task_type_of
from validation.consensus.completion import Stopped
from validation.consensus.design import stops_early
from validation.consensus.protocol import Protocol

LABEL, PROBABILITIES, MC, TEXT, MARGINS, SOFT = "l", "p", "mc", "t", "m", "s"
SOFT_MEASURES = ("cross_entropy", "manhattan", "jsd")
# By what results are distinguished: columns of rows, in order; a list counts in each of its values.
GROUPS: Mapping[str, str] = {
    "label": gettext_noop("Label"),
    "sentence_size": gettext_noop("Sentence class"),
    "genre": gettext_noop("Genre"),
    "category": gettext_noop("Category"),
    "topic": gettext_noop("Topic"),
    "level": gettext_noop("Level"),
    "inference_phenomena": gettext_noop("Phenomenon"),
    "task": gettext_noop("Task"),
    "language": gettext_noop("Language"),
    "register": gettext_noop("Register"),
    "label_source": gettext_noop("Label from"),
}
# What is known of a model's answer to a row, by the names above.
Answer = dict[str, Any]
_UNKNOWN = (None, "", "-")


@dataclass(frozen=True)
class AskedRow:
    """One row of a split: its id, the label to score on, what may be answered, and what is known of it.

    `reference` is the right text where a text is asked for, and nothing may be answered then but a text.
    `people` counts the labels of those whose votes counted, the author's where it counts; `agreed` where they are
    three or more, all alike, and the label. `stopped` are the labels as a protocol left them that stops early, and
    `stops_early` whether the row's did. `targets` are MC1's and MC2's of a cultural prompt, which may be answered
    with a text too; `document` is what lm-evaluation-harness asks, None where it asks nothing.
    """

    id: str
    split: str
    gold: str
    options: tuple[str, ...]
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    people: Mapping[str, int] = field(default_factory=dict)
    stopped: Stopped | None = None
    stops_early: bool = False
    targets: Mapping[str, Any] | None = None
    document: Mapping[str, Any] | None = None
    reference: str = ""

    def responses(self, label: int) -> list[str]:
        """The responses of a cultural prompt: relevant ones (1), the best among them, or irrelevant ones (0)."""
        choices = (self.targets or {}).get("mc2_targets", {"choices": [], "labels": []})
        pairs = zip(choices["choices"], choices["labels"], strict=True)
        return [text for text, relevant in pairs if relevant == label]

    @property
    def agreed(self) -> bool:
        """Whether three or more people gave a label, and all of them this one."""
        return sum(self.people.values()) >= 3 and set(self.people) == {self.gold}


def asked_of(
    kind: Kind, row: Mapping[str, Any], split: str, id: str, protocols: Sequence[Protocol] = ()
) -> AskedRow | None:
    """What a row asks of a model; None where it has no label to score on. `protocols` are those of its release."""
    gold = str(row.get("label") or "")
    options = _options(kind, row)
    if gold not in options:
        return None
    sort, own = kind.export.task, options != label_names(kind)
    return AskedRow(
        id=id,
        split=split,
        gold=gold,
        options=options,
        groups=_groups(row, own),
        people=_people(row),
        stopped=stopped_of(row, protocols),
        stops_early=any(map(stops_early, protocols)),
        targets=_targets(id, row) if sort == "responses" else None,
        document=DOCUMENTS[sort](row) if sort in DOCUMENTS else None,
    )


def asked_of_config(config: Config, row: Mapping[str, Any], split: str) -> AskedRow | None:
    """What a row of an aligned set asks, under its config and its id; None where it asks nothing that can be scored."""
    sort = task_type_of(config)
    document = DOCUMENTS[sort.slug](row) if sort is not None and sort.slug in DOCUMENTS else None
    if document is None:
        return None
    answer = document["answer"]
    names = document.get("letters") or document.get("choices") or []
    if isinstance(answer, int) and not names:
        return None
    groups = _groups({**row, "task": config.task}, own=True)
    told: dict[str, Any] = {
        "id": f"{config.name}:{row['id']}",
        "split": split,
        "groups": groups,
        "document": document,
    }
    if isinstance(answer, int):
        return AskedRow(gold=names[answer], options=tuple(names), **told)
    return AskedRow(gold="", options=(), reference=str(answer), **told)


def label_names(kind: Kind) -> tuple[str, ...]:
    """The labels that all items share, as files write them; none where each item has choices of its own."""
    if kind.question.own_options:
        return ()
    return tuple(kind.export.spell(key) for key in kind.question.label_keys)


def _options(kind: Kind, row: Mapping[str, Any]) -> tuple[str, ...]:
    responses, choices = row.get("responses"), row.get("choices")
    if kind.export.task == "responses" and isinstance(responses, list):
        return tuple(str(each["key"]) for each in responses)
    if kind.export.task == "choices" and isinstance(choices, Mapping):
        return tuple(choices["label"])
    return label_names(kind)


def _groups(row: Mapping[str, Any], own: bool) -> dict[str, tuple[str, ...]]:
    """What the row says of itself; a label that is one of its own options groups nothing."""
    found = {}
    for name in list(GROUPS)[own:]:
        value = row.get(name)
        values = value if isinstance(value, list) else [value]
        if group := tuple(str(each) for each in values if each not in _UNKNOWN):
            found[name] = group
    return found


def _people(row: Mapping[str, Any]) -> dict[str, int]:
    """The labels that counted; those that nobody knows are none."""
    answers = row.get("answers")
    given = list(answers.values()) if isinstance(answers, Mapping) else row.get("annotator_labels") or []
    counts: dict[str, int] = {}
    for label in given:
        if label is not None and label != "-":
            counts[str(label)] = counts.get(str(label), 0) + 1
    return counts


def stopped_of(row: Mapping[str, Any], protocols: Sequence[Protocol]) -> Stopped | None:
    """The labels of a row as the protocol left it, where one protocol that stops early asked for all rows."""
    labels, number = list(row.get("annotator_labels") or ()), row.get("n_labels")
    protocol = _common_protocol(tuple(protocols))
    if protocol is None or not labels or not isinstance(number, int):
        return None
    votes = number - protocol.author_counts
    if not 0 < votes <= len(labels):
        return None
    author = labels[0] if protocol.author_counts and len(labels) > votes else None
    route = str(row.get("stop_reason") or "") if protocol.alpha else ""
    return Stopped(protocol, author, tuple(map(str, labels[-votes:])), route, row.get("q"))


@lru_cache(maxsize=100)
def _common_protocol(protocols: tuple[Protocol, ...]) -> Protocol | None:
    """The one protocol that asks alike in all versions, if it stops early and any label can become gold."""
    alike = {replace(protocol, name="-", commitment="") for protocol in protocols}
    protocol = alike.pop() if len(alike) == 1 else None
    return protocol if protocol is not None and stops_early(protocol) and protocol.target == "any" else None


def _targets(id: str, row: Mapping[str, Any]) -> dict[str, Any]:
    from exports.scoring.rules import targets

    responses = [Response(each["key"], each["text"], each["role"]) for each in row["responses"]]
    return targets(id, "", responses)
