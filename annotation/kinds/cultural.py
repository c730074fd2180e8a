"""cultural: prompts with relevant and irrelevant responses, one of them best (Kalahi §3, Appendix A; domain.md §6)."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from typing import Any

from annotation.answers import Label
from annotation.core.rules.settings import ProjectSettings
from annotation.elicitation.rules.prompts import (
    CONTEXT,
    INSTRUCTION,
    PERSONAL,
    USER,
    USER_LEFT_OUT,
    CodeBook,
    PromptFault,
    compose,
    parts_of,
    read_id,
)
from annotation.kinds.base import Kind
from annotation.kinds.columns import provenance
from annotation.kinds.forms import FieldGroup, FormField, Keyed, KeyRefused, Slot, SlotIn, Source, TextField
from annotation.kinds.partial_input import PartialInput, PartialText, options_by_role
from annotation.kinds.parts import Authoring, Export, Presentation, QuestionPart
from annotation.kinds.shapes import QA
from annotation.kinds.texts import option_field
from annotation.text.gettext import gettext_noop

MOST_RESPONSES = 5
BEST, RELEVANT, IRRELEVANT = "best", "relevant", "irrelevant"
# R1 to R5 are relevant, I1 to I5 irrelevant: a response keeps its key for good, and nobody who votes sees it.
RESPONSE_KEYS = {
    **{f"R{n}": RELEVANT for n in range(1, MOST_RESPONSES + 1)},
    **{f"I{n}": IRRELEVANT for n in range(1, MOST_RESPONSES + 1)},
}
SHAPES = ("circle", "square", "triangle", "diamond", "pentagon")
LABELS = tuple(Label(key, key, key, SHAPES[place % len(SHAPES)], "") for place, key in enumerate(RESPONSE_KEYS))
CATEGORIES = (
    ("ethics", gettext_noop("Ethics: what one should do")),
    ("shared knowledge", gettext_noop("Shared knowledge: what everybody here knows")),
)
GROUPS = (
    FieldGroup(
        RELEVANT,
        gettext_noop("Relevant responses"),
        gettext_noop(
            "Helpful and harmless in this culture and this situation. The best is the most helpful and least harmful "
            "of them."
        ),
    ),
    FieldGroup(
        IRRELEVANT,
        gettext_noop("Irrelevant responses"),
        gettext_noop("Unhelpful or harmful here, though they may sound reasonable elsewhere."),
    ),
    FieldGroup("second", gettext_noop("Second language")),
)
SECOND_LANGUAGE = "second-"
PROMPT_PARTS = (USER, CONTEXT, PERSONAL, INSTRUCTION)


def slots(settings: ProjectSettings) -> tuple[Slot, ...]:
    """One prompt at a time."""
    return (Slot("p", "", gettext_noop("Instruction")),)


def fields(settings: ProjectSettings) -> tuple[FormField, ...]:
    """The parts of the prompt, its category, and the responses; the same again in the second language."""
    parts = (
        FormField("category", gettext_noop("Category"), "choice", choices=CATEGORIES),
        FormField(USER, gettext_noop("User"), help=gettext_noop("Who asks, in one line."), required=False),
        FormField(CONTEXT, gettext_noop("Context"), "area", help=gettext_noop("What the situation is.")),
        FormField(
            PERSONAL,
            gettext_noop("Personal situation"),
            help=gettext_noop("What is particular to this person, in one line; another one makes a variation."),
            required=False,
        ),
    )
    responses = tuple(
        FormField(option_field(key), key, "option", group=role, required=int(key[1:]) <= settings.least_responses)
        for key, role in RESPONSE_KEYS.items()
    )
    pick = (FormField(BEST, gettext_noop("Best"), "pick", group=RELEVANT),)
    return (*parts, *responses, *pick, *_second_language_fields(settings))


def _second_language_fields(settings: ProjectSettings) -> tuple[FormField, ...]:
    """Translations of each part, optional (the paper prints English beside Filipino)."""
    if not settings.second_language:
        return ()
    names = {USER: "User", CONTEXT: "Context", PERSONAL: "Personal situation", INSTRUCTION: "Instruction"}
    parts = tuple(
        FormField(SECOND_LANGUAGE + part, name, "area", group="second", required=False) for part, name in names.items()
    )
    return parts + tuple(
        FormField(SECOND_LANGUAGE + key, key, "area", group="second", required=False) for key in RESPONSE_KEYS
    )


def content(source: Source, written: SlotIn) -> dict[str, Any]:
    """A prompt as revisions keep it; responses that hold nothing are left out, `best` is the role of one relevant."""
    more = written.more
    options = [
        {"key": key, "text": text, "role": BEST if more.get(BEST) == key and role == RELEVANT else role}
        for key, role in RESPONSE_KEYS.items()
        if (text := more.get(option_field(key), "")).strip()
    ]
    second = {
        name.removeprefix(SECOND_LANGUAGE): text
        for name, text in more.items()
        if name.startswith(SECOND_LANGUAGE) and text.strip()
    }
    made: dict[str, Any] = {
        "concept": source.text,
        "category": more.get("category", ""),
        USER: more.get(USER, ""),
        CONTEXT: more.get(CONTEXT, ""),
        PERSONAL: more.get(PERSONAL, ""),
        INSTRUCTION: written.text,
        "options": options,
    }
    return derive(made | ({"second": second} if second else {}))


def derive(content: Mapping[str, Any]) -> dict[str, Any]:
    """The content with the prompt's whole text made again from its parts."""
    return {**content, "question": compose(parts_of(content))}


def form_values(content: Mapping[str, Any]) -> SlotIn:
    """The form's fields of a stored prompt."""
    options = content.get("options", ())
    more = {option_field(str(option["key"])): str(option["text"]) for option in options}
    more[BEST] = next((str(option["key"]) for option in options if option["role"] == BEST), "")
    more |= {name: str(content.get(name, "")) for name in ("category", USER, CONTEXT, PERSONAL)}
    more |= {SECOND_LANGUAGE + name: str(text) for name, text in content.get("second", {}).items()}
    return SlotIn(str(content.get(INSTRUCTION, "")), True, more=more)


def author_label(slot: Slot, written: SlotIn) -> str:
    """The response that the writer calls the best: the key that votes are compared with."""
    best = written.more.get(BEST, "")
    return best if RESPONSE_KEYS.get(best) == RELEVANT else ""


def number_prompt(content: Mapping[str, Any], taken: Iterable[Keyed], base: Keyed | None) -> str:
    """The `prompt_variation_id` of a new prompt: texts that the project knows keep their numbers (domain.md §6).

    Parts that a variation leaves as they stand in its base have the base's numbers, whatever they were when it got
    them. Raises KeyRefused for a prompt that is there already, and where the numbers of a part are used up.
    """
    book = CodeBook()
    for key, known in taken:
        # A key of another form came with a file; it holds no number.
        with suppress(PromptFault):
            book.add(read_id(key), parts_of(known))
    try:
        if base is not None and _is_prompt_id(base[0]):
            return book.variation_id(read_id(base[0]), parts_of(base[1]), parts_of(content)).variation_id
        return book.new_id(parts_of(content)).variation_id
    except PromptFault as fault:
        raise KeyRefused(f"prompt_{fault.code}") from fault


def _is_prompt_id(key: str) -> bool:
    try:
        read_id(key)
    except PromptFault:
        return False
    return True


def family(key: str) -> str:
    """What shares a context is a family: the number of the context; empty for a key that is no prompt id."""
    return read_id(key).family if _is_prompt_id(key) else ""


def agrees_with_id(key: str, content: Mapping[str, Any]) -> bool:
    """Whether a prompt has a user and a personal situation where its id says so, and only there.

    Files that leave users out keep the ids (Kalahi, Appendix H): `user_left_out` says that a prompt came so.
    """
    if not _is_prompt_id(key):
        return True
    numbers, parts = read_id(key), parts_of(content)
    unlike = [part for part in PROMPT_PARTS if bool(numbers.get(part)) != bool(parts.get(part).strip())]
    return not unlike or (unlike == [USER] and bool(numbers.user and content.get(USER_LEFT_OUT)))


def export_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """Kalahi's columns, with our own behind them; `best_share` is the share of counted votes for the best."""
    content = row["content"]
    of_role = {
        role: [str(option["text"]) for option in content["options"] if option["role"] in role]
        for role in ((BEST,), (BEST, RELEVANT), (IRRELEVANT,))
    }
    return {
        "prompt_variation_id": row["key"],
        "prompt_id": row["key"][:-2],
        "category": content["category"],
        "topic": content["concept"],
        "prompt": content["question"],
        "best_answer": "".join(of_role[BEST,]),
        "relevant_answers": of_role[BEST, RELEVANT],
        "irrelevant_answers": of_role[IRRELEVANT,],
        "parts": {part: content.get(part, "") for part in PROMPT_PARTS},
        "responses": [
            {"key": option["key"], "text": option["text"], "role": option["role"]} for option in content["options"]
        ],
        "label": row["label"],
        "label_source": row["label_source"],
        "gold_label": row["gold"] or "-",
        "best_share": _best_share(content, row["counted_labels"]),
        "annotator_labels": row["counted_labels"],
        "annotator_ids": row["counted_annotators"],
        "second": content.get("second", {}),
        **provenance(row),
    }


def author_answer(row: Mapping[str, Any]) -> str:
    """The response that is the best to whoever wrote it."""
    return next((str(each["key"]) for each in row["responses"] if each["role"] == BEST), "")


def partial_texts(content: Mapping[str, Any], label: str) -> tuple[PartialText, ...]:
    """The responses without their prompt."""
    found = options_by_role(content, IRRELEVANT)
    return found if any(each.label == BEST for each in found) else ()


def public_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """The prompt and its responses, numbered in an order that their texts give: their keys tell which are relevant."""
    names = ("prompt_variation_id", "prompt_id", "category", "topic", "prompt", "parts")
    texts = sorted((str(each["text"]) for each in row["responses"]), key=_digest)
    numbered = [{"key": str(n), "text": text} for n, text in enumerate(texts, start=1)]
    return {name: row[name] for name in names} | {"responses": numbered}


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _best_share(content: Mapping[str, Any], labels: Sequence[str]) -> float | None:
    """To four places; None where nobody voted."""
    best = next((str(option["key"]) for option in content["options"] if option["role"] == BEST), "")
    return round(labels.count(best) / len(labels), 4) if labels else None


def as_source_row(content: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """The prompt and its responses as a source set of translations has them."""
    responses = ((f"response-{option['key']}", str(option["text"])) for option in content.get("options", ()))
    return (("prompt", str(content["question"])), *responses)


KIND = Kind(
    slug="cultural",
    name=gettext_noop("Cultural prompts"),
    shape=QA,
    source=replace(QA.source, name=gettext_noop("topic"), plural=gettext_noop("topics")),
    authoring=Authoring(
        slots=slots,
        fields=fields,
        groups=GROUPS,
        joined_fields=(USER, CONTEXT, PERSONAL, ""),
        content_from_slot=content,
        slot_from_content=form_values,
        derive=derive,
        author_label=author_label,
        make_key=number_prompt,
        family_of_key=family,
        key_fits_content=agrees_with_id,
        checks=(
            "category_missing",
            "context_missing",
            "empty",
            "parts_one_line",
            "variation_same",
            "responses_few",
            "best_missing",
            "responses_twice",
            "responses_near",
            "best_by_length",
            "response_semicolon",
            "too_long",
            "suspicious_characters",
            "doubled_blanks",
        ),
        error_types=(
            ("not-authentic", gettext_noop("Not how people here live or speak")),
            ("unnatural", gettext_noop("Wording is not natural")),
            ("language", gettext_noop("Grammar or spelling")),
            ("best-doubtful", gettext_noop("The best response is not clearly the best")),
            ("irrelevant-fits", gettext_noop("An irrelevant response fits here")),
            ("too-general", gettext_noop("Not about this culture")),
            ("harmful", gettext_noop("Harmful or stereotyping")),
            ("other", gettext_noop("Something else")),
        ),
    ),
    question=QuestionPart(
        labels=LABELS,
        aliases={key.casefold(): key for key in RESPONSE_KEYS},
        own_options=True,
        voted_roles=(BEST, IRRELEVANT),
        ambiguity_marks=("personal",),
        text=gettext_noop("What would an average member of the culture do?"),
    ),
    presentation=Presentation(
        item_name=gettext_noop("prompt"),
        item_plural=gettext_noop("prompts"),
        texts=(
            TextField("question", gettext_noop("Prompt"), derived=True),
            TextField(INSTRUCTION, gettext_noop("Instruction"), shown=False),
            TextField(CONTEXT, gettext_noop("Context"), shown=False, is_shared_in_family=True),
            TextField(USER, gettext_noop("User"), shown=False),
            TextField(PERSONAL, gettext_noop("Personal situation"), shown=False),
            TextField("concept", gettext_noop("Topic"), shown=False, derived=True),
        ),
        is_shuffled=True,
    ),
    export=Export(
        file_format="prompts",
        build_row=export_row,
        public_columns=public_row,
        source_row=("prompt", as_source_row),
        task="responses",
        id_column="prompt_variation_id",
        author_answer=author_answer,
        column_help="Kalahi's field names. `label` is the key of the best response, `label_source` whose it is, "
        "`gold_label` what the votes settled on (`-` where they made none), `best_share` the share of counted votes "
        "for the best; `responses` says which response a key (`R1`, `I1`) is.",
    ),
    features=("elicitation", "variations", "group_review", "second_look", "rating"),
    settings=(
        "writers_each",
        "per_category",
        "category_target",
        "least_responses",
        "second_language",
        "rating_criteria",
    ),
    partial_input=PartialInput(
        gettext_noop("Responses without their prompts"),
        (
            (BEST, gettext_noop("Best response")),
            (RELEVANT, gettext_noop("Relevant response")),
            (IRRELEVANT, gettext_noop("Irrelevant response")),
        ),
        partial_texts,
        BEST,
        (IRRELEVANT,),
    ),
)
