"""What the validation report and the project page show of prompts: always the same few statements."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction

from django.db.models import Count, F

from annotation.content.models.item import Item, Option, QAPair, Revision
from annotation.content.queries import without_asked
from annotation.core.access import Membership
from annotation.core.models.project import Project
from annotation.elicitation.rules.prompts import Overview, PromptFault, PromptId, overview, read_id
from validation.consensus import stages
from validation.consensus.protocol import Protocol
from validation.insights.rules.best_choice import JudgedPrompt, Report, baseline, report
from validation.voting.models.vote import Vote

# Past any check, and not given back: what people vote on, or have voted on.
APPROVED = (stages.WRITTEN, stages.VOTING, stages.SETTLED, stages.NO_CONSENSUS, stages.ADJUDICATED)


@dataclass(frozen=True)
class Personal:
    """Of so many choices, how many people would make another one for themselves; of these, how many the best."""

    n: int
    of: int
    best: int


@dataclass(frozen=True)
class Prompt:
    """One prompt of the report: how many of how many chose its best response."""

    item: int
    key: str
    author: int | None
    best: int
    of: int


@dataclass(frozen=True)
class BestChoiceReport:
    """The report, one's own choices, and the prompts in the order of their ids.

    `left_out` are prompts whose best response is not among those that validators see.
    """

    report: Report
    personal: Personal
    prompts: list[Prompt]
    validators: int
    left_out: int

    @property
    def flagged(self) -> list[Prompt]:
        """The prompts below two thirds, the least agreed on first."""
        flagged = set(self.report.flagged)
        return sorted((one for one in self.prompts if one.key in flagged), key=lambda one: (one.best, one.key))


def best_choice_report(membership: Membership) -> BestChoiceReport:
    """What the standing votes of each prompt's present epoch say: three statements, whatever the length."""
    project, kind = membership.project, membership.project.kind_spec
    there = {"project": project, "item__stage__in": APPROVED}
    protocol = Protocol.from_stored(project.protocols.order_by("-n")[0].rules)
    votes: dict[int, dict[str, str]] = defaultdict(dict)
    own: dict[int, dict[str, str]] = defaultdict(dict)
    rows = Vote.objects.filter(withdrawn_at=None, epoch=F("item__epoch"), **there).order_by("item", "n")
    rows = without_asked(rows, membership)
    for item, who, label, answers in rows.values_list("item", "annotator__pseudonym", "label", "answers"):
        votes[item][who] = label
        own[item][who] = answers.get("personal") or label
    judged, prompts, personal, left_out = [], [], Counter[str](), 0
    texts = without_asked(Revision.objects.filter(n=F("item__revision_n"), **there), membership).order_by("item__key")
    for item, key, author, best, family, content in texts.values_list(
        "item", "item__key", "item__author", "item__author_label", "item__family", "content"
    ):
        shown = tuple(label.key for label in kind.question.votable_labels(content))
        if best not in shown:
            left_out += 1
            continue
        # A vote for what is not shown (any more) is no choice among these.
        choices = {who: label for who, label in votes[item].items() if label in shown}
        others = [own[item][who] for who, label in choices.items() if own[item][who] != label]
        personal.update(n=len(others), of=len(choices), best=others.count(best))
        judged.append(JudgedPrompt(key, best, shown, choices, str(family or "")))
        prompts.append(Prompt(item, key, author, judged[-1].chose_best, len(choices)))
    return BestChoiceReport(
        report=report(judged, project.seed, protocol.votes_at_most),
        personal=Personal(personal["n"], personal["of"], personal["best"]),
        prompts=prompts,
        validators=protocol.votes_at_most,
        left_out=left_out,
    )


@dataclass(frozen=True)
class PromptCounts:
    """The prompts of a project: ids, categories, topics, and what choosing at random would give.

    `ids` counts those whose key is a prompt id, `total` all; excluded ones are in neither.
    """

    total: int
    ids: Overview
    categories: Mapping[str, int]
    topics: Mapping[str, int]
    baseline: Fraction | None

    @property
    def share(self) -> float | None:
        """The baseline as a number to show."""
        return None if self.baseline is None else float(self.baseline)


def prompt_counts(project: Project) -> PromptCounts:
    """How many prompts there are of what: two statements."""
    live = Item.objects.filter(project=project).exclude(stage=stages.EXCLUDED)
    rows = QAPair.objects.filter(item__in=live).values_list("item__key", "wording", "more")
    ids: list[PromptId] = []
    categories, topics = Counter[str](), Counter[str]()
    for key, topic, more in rows:
        with suppress(PromptFault):
            ids.append(read_id(key))
        topics[topic] += 1
        categories[str(more.get("category", ""))] += 1
    shown = Option.objects.filter(item__in=live, role__in=project.kind_spec.question.voted_roles)
    sizes = shown.values("item").annotate(n=Count("pk")).values_list("n", flat=True).order_by()
    return PromptCounts(
        total=topics.total(),
        ids=overview(ids),
        categories=dict(categories.most_common()),
        topics=dict(sorted(topics.items(), key=lambda each: (-each[1], each[0]))),
        baseline=baseline(sizes),
    )
