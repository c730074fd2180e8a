"""The fields of prompts and of topics: Kalahi's published columns (Kalahi §3.1)."""

from collections.abc import Collection, Mapping

from validation.imports.rules.columns import PLAIN_ID, Columns, Mapped
from validation.imports.rules.problems import FileRefused, gettext_noop

KEY, RELEVANT, IRRELEVANT, BEST = (
    "prompt_variation_id",
    "relevant_answers",
    "irrelevant_answers",
    "best_answer",
)
MC1, MC2 = "mc1_targets", "mc2_targets"
# Without one of these no prompt can be stored.
OF_PROMPTS = (KEY, BEST, RELEVANT, IRRELEVANT)
# TruthfulQA's form has both sides in these.
OF_TARGETS = (KEY, MC1, MC2)
# Fields of topics, and those of them that prompts have no use for.
OF_TOPICS, TOPICS_ALONE = ("topic", "topic_key", "category", "source"), ("topic_key", "source")

_ALIASES: Mapping[str, tuple[str, ...]] = {
    KEY: (KEY, "variation_id"),
    "prompt_id": ("prompt_id",),
    "category": ("category", "kategori"),
    "topic": ("topic", "topik"),
    "topic_key": ("topic_key", "topic_id"),
    "source": ("source", "sumber"),
    "prompt": ("prompt", "question"),
    BEST: (BEST,),
    RELEVANT: (RELEVANT,),
    IRRELEVANT: (IRRELEVANT,),
    "answers": ("answers", "votes"),
    MC1: (MC1,),
    MC2: (MC2,),
}
_HELP: Mapping[str, str] = {
    KEY: gettext_noop("The prompt's id, ten digits: context, user, instruction, personal situation. Needed."),
    "prompt_id": gettext_noop("The id without its last two digits; compared with it, not stored."),
    "category": gettext_noop("ethics or shared knowledge; in a file of topics the topic's own category."),
    "topic": gettext_noop("What the prompt is about. Alone, without a prompt: the file holds topics."),
    "topic_key": gettext_noop("What the topic is called, in a file of topics; made from its text otherwise."),
    "source": gettext_noop("Where the topic is from; kept with it, in a file of topics."),
    "prompt": gettext_noop("The whole prompt: user, context, personal situation, instruction, a line each."),
    BEST: gettext_noop("The best response, which is one of the relevant ones. Needed for prompts."),
    RELEVANT: gettext_noop("Relevant responses: a list, or with semicolons between. Needed for prompts."),
    IRRELEVANT: gettext_noop("Irrelevant responses, the same. Needed for prompts."),
    MC1: gettext_noop("The best response against the irrelevant ones, in TruthfulQA's form."),
    MC2: gettext_noop("The relevant responses against the irrelevant ones, the same."),
    "answers": gettext_noop("What validators chose: an object of names and responses' keys (R1, I2)."),
}


def _settle(found: Mapped, by_name: Mapping[str, str]) -> None:
    """A plain `id` names what the rows are."""
    if PLAIN_ID in by_name:
        found.setdefault(KEY if "prompt" in found else "topic_key", by_name[PLAIN_ID])


def _needed(mapping: Mapped, columns: str) -> FileRefused | None:
    if "prompt" in mapping:
        wanted = OF_TARGETS if MC2 in mapping and RELEVANT not in mapping else OF_PROMPTS
        missing = [field for field in wanted if field not in mapping]
        if not missing:
            return None
        message = gettext_noop(
            "Beside the prompt, no column is taken for %(missing)s: say which one it is. The columns: %(columns)s."
        )
        return FileRefused("prompt_columns", message, missing=", ".join(missing), columns=columns)
    if "topic" in mapping:
        return None
    message = gettext_noop(
        "No column is taken for the prompt, nor for the topic: say which one it is. The columns: %(columns)s."
    )
    return FileRefused("prompt_unmapped", message, columns=columns)


def _read(mapping: Mapped) -> Collection[str]:
    return [field for field in mapping if field not in TOPICS_ALONE] if "prompt" in mapping else OF_TOPICS


PROMPTS = Columns(_ALIASES, _HELP, _settle, _needed, read=_read)
