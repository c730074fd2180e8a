"""Tasks for a harness: documents of rows, prompts as the papers print them, scores, and what no prompt may hold."""

import json
from typing import Any

import pytest
import yaml

from annotation import kinds
from annotation.kinds import all_kinds, get
from exports.aligned.rules.rows import OPEN, SENTENCE
from exports.formats.rules.configs import Config
from exports.lm_eval.rules import task_docs
from exports.lm_eval.rules.task_docs import DOCUMENTS, OF_TASKS, documents, letter, mc, words
from exports.lm_eval.rules.task_files import HELPER, ConfigTasks, folder_readme, make_tasks
from exports.lm_eval.rules.tasks import (
    TASK_TYPES,
    PromptFault,
    check_name,
    check_text,
    placeholders_of,
    starting_text,
    task_type_of,
    task_types_of,
)

FIVE = {"label": list("ABCDE"), "text": ["satu", "dua", "tiga", "empat", "lima"]}
ROWS: dict[str, dict[str, Any]] = {
    "nli": {"premise": "P.", "hypothesis": "H.", "label": "neutral"},
    "choices": {"question": "Q?", "choices": FIVE, "question_concept": "arisan", "label": "C"},
    "responses": {
        "prompt": "P",
        "best_answer": "b",
        "relevant_answers": ["r", "b"],
        "irrelevant_answers": ["x", "y"],
    },
    "best": {"prompt": "P", "responses": {"label": ["A", "B"], "text": ["x", "b"]}, "answer": "B"},
    "continuation": {
        "context": "C",
        "continuations": {"label": ["1", "2", "3"], "text": ["x", "y", "z"]},
        "answer": "3",
    },
    "causal": {"premise": "P.", "choice1": "x", "choice2": "y", "question": "cause", "label": 1},
    "extraction": {"passage": "A b c.", "question": "Q?", "answer": "b", "answer_start": 2},
    "open": {"question": "Q?", "answer": "b"},
    "translation": {"text": "satu", "translation": "one", "into": "en"},
}


def document(sort: str, **changed: Any) -> dict[str, Any] | None:
    return next(iter(documents(sort, iter([{**ROWS[sort], **changed}]))), None)


def filled(sort: str, prompt: str) -> str:
    """A prompt as the harness fills it."""
    text = next(each.text for each in TASK_TYPES[sort].prompts if each.name == prompt)
    said = document(sort)
    assert said is not None
    for place in placeholders_of(text):
        text = text.replace("{{" + place + "}}", said[place])
    return text


def test_every_sort_has_its_documents_and_every_prompt_is_sound():
    assert set(TASK_TYPES) == {*DOCUMENTS, *OF_TASKS}
    assert set(DOCUMENTS) == set(ROWS)
    names = [prompt.name for sort in TASK_TYPES.values() for prompt in sort.prompts]
    assert len(names) == len(set(names))
    for slug in DOCUMENTS:
        sort, made = TASK_TYPES[slug], document(slug)
        assert made is not None
        assert set(sort.places) <= set(made)
        for prompt in sort.prompts:
            check_text(sort, prompt.text)
            assert prompt.choice_form in made or prompt.scoring_method in ("words", "translate")
            assert not prompt.needs or prompt.needs in sort.places


# id-csqa, Appendix F, letter by letter
CSQA = {
    "csqa-1": 'The following are multiple choice questions (with answers) about "arisan".\nQ?\nA. satu\nB. dua\n'
    "C. tiga\nD. empat\nE. lima\nAnswer:",
    "csqa-2": "Question: Q?\nChoices:\nA. satu\nB. dua\nC. tiga\nD. empat\nE. lima\nAnswer:",
    "csqa-3": 'The following are multiple choice questions (with answers) about "arisan".\nQuestion: Q?\nA. satu\n'
    "B. dua\nC. tiga\nD. empat\nE. lima\nAnswer:",
}


@pytest.mark.parametrize("name", CSQA)
def test_the_prompts_of_id_csqa(name):
    assert filled("choices", name) == filled("choices", f"{name}-written") == CSQA[name]


def test_causes_and_continuations_are_asked_by_letter():
    assert filled("causal", "causal").endswith(
        "Choice A: x\nChoice B: y\n\nQuestion: Which is the more likely cause, given the premise?\n"
        "Answer with either A or B:"
    )
    assert filled("continuation", "continuation").endswith("Choice C: z\n\nAnswer with either A, B or C:")


# sort, what is changed in its row → what the document says is right; None: nothing is asked
ANSWERS = [
    ("nli", {}, 1),
    ("nli", {"label": "-"}, None),
    ("nli", {"label": None}, None),
    ("choices", {}, 2),
    ("choices", {"label": None, "answer": "E"}, 4),
    ("choices", {"label": "-"}, None),
    ("responses", {}, 0),
    ("responses", {"best_answer": ""}, None),
    ("responses", {"irrelevant_answers": []}, None),
    ("best", {}, 1),
    ("best", {"answer": ""}, None),
    ("continuation", {}, 2),
    ("continuation", {"answer": "4"}, None),
    ("causal", {}, 1),
    ("causal", {"label": "x"}, None),
    ("extraction", {}, "b"),
    ("extraction", {"answer": ""}, None),
    ("open", {}, "b"),
    ("open", {"answer": None}, None),
    ("translation", {}, "one"),
    ("translation", {"translation": ""}, None),
]


@pytest.mark.parametrize(("sort", "changed", "answer"), ANSWERS)
def test_a_row_without_its_answer_is_asked_nowhere(sort, changed, answer):
    made = document(sort, **changed)
    assert (None if made is None else made["answer"]) == answer


def test_where_concepts_stand():
    def concept(**changed: Any) -> str:
        made = document("choices", **changed)
        assert made is not None
        return str(made["concept"])

    assert concept() == "arisan"
    assert concept(question_concept=None, data={"question_concept": "klepon"}) == "klepon"
    assert concept(question_concept="", data=None) == ""


def test_the_best_stands_first_once():
    made = document("responses")
    assert made is not None
    assert (made["texts"], made["relevant"]) == (["b", "r", "x", "y"], 2)


def test_mc1_and_mc2_are_per_byte():
    made = {"texts": ["b", "rr", "xxxx"], "relevant": 2}
    found = mc(made, [(-1.0, False), (-4.0, False), (-4.0, True)])
    # p = exp(-1), exp(-2), exp(-1): the best is not strictly the highest.
    assert found["mc1"] == 0
    assert found["mc2"] == pytest.approx((1 + 2.718281828459045) / (1 + 2 * 2.718281828459045))
    assert mc(made, [(-0.9, False), (-4.0, False), (-4.0, True)])["mc1"] == 1


# what a model wrote → the letter that counts
WRITTEN = [
    ("C", "C"),
    (" C. tiga", "C"),
    ("(C) tiga", "C"),
    ("**C**", "C"),
    ("The answer is C.", "C"),
    ("Jawaban: C", "C"),
    ("Jawabannya adalah D, bukan C", ""),
    ("A good one would be C", ""),
    ("It has to be C because", "C"),
    ("Cukup tiga", ""),
    ("lol", ""),
    ("", ""),
]


@pytest.mark.parametrize(("text", "key"), WRITTEN)
def test_the_letter_in_what_a_model_wrote(text, key):
    made = document("choices", label="C")
    assert made is not None
    assert letter(made, [text]) == {"acc": float(key == "C")}


@pytest.mark.parametrize(
    ("said", "right", "exact", "holds", "f1"),
    [
        ("Gula Jawa.", "gula jawa", 1, 1, 1),
        ("Isinya gula jawa", "gula jawa", 0, 1, 0.8),
        ("gula", "gula jawa", 0, 0, 2 / 3),
        ("kacang", "gula jawa", 0, 0, 0),
        ("lima belas", "lima bel", 0, 0, 0.5),
        ("", "-", 1, 0, 0),
    ],
)
def test_words_of_an_answer(said, right, exact, holds, f1):
    found = words({"answer": right}, [said])
    assert found == {"exact": exact, "holds": holds, "f1": pytest.approx(f1)}


def a_config(kind: str = "mcq", **changed: Any) -> Config:
    told = {"name": "id", "part": 0, "language": "id", "register": "", "splits": {"test": "test.jsonl"}}
    return Config(kind=kinds.get(kind), **{**told, **changed})


def read(text: str) -> dict[str, Any]:
    """A task's file as YAML; a function is its name."""

    class Loader(yaml.SafeLoader):
        """With the harness's own tag."""

    Loader.add_constructor("!function", lambda loader, node: f"!{node.value}")
    found: dict[str, Any] = yaml.load(text, Loader)  # noqa: S506 - a safe one with one more tag
    return found


def test_each_kind_and_shape_has_its_sort():
    found = {kind.slug: task_type_of(a_config(kind.slug)) for kind in all_kinds()}
    assert {slug: sort.slug for slug, sort in found.items() if sort} == {
        "nli": "nli",
        "mcq": "choices",
        "mcq-judged": "choices",
        "cultural": "responses",
    }
    aligned = {
        (shape, form): task_type_of(a_config("translation", task="t", shapes=(shape,), form=form))
        for shape, form in [("pair", "whole"), ("pair", SENTENCE), ("passage", OPEN), ("sentence", "whole")]
    }
    assert [sort and sort.slug for sort in aligned.values()] == ["nli", "translation", "open", None]
    assert task_type_of(a_config("translation", task="t", shapes=("pair", "choices"))) is None


def test_the_sorts_that_a_project_can_have_prompts_for():
    def slugs(*args: Any, **kwargs: Any) -> list[str]:
        return [sort.slug for sort in task_types_of(*args, **kwargs)]

    assert slugs(get("mcq"), (), open_qa=True, sentences=True) == ["choices"]
    assert slugs(get("translation"), ("pair", "passage"), open_qa=True, sentences=True) == [
        "nli",
        "extraction",
        "open",
        "translation",
    ]
    assert slugs(get("translation"), ("pair", "passage"), open_qa=False, sentences=False) == [
        "nli",
        "extraction",
    ]


def test_a_file_names_rows_and_functions_from_where_it_lies():
    config = a_config(splits={"train": "train.jsonl", "validation": "dev.jsonl", "test": "raw/test.jsonl"})
    made = make_tasks(ConfigTasks(config, "soal", {"validation": 3, "test": 2}))
    assert [task.path for task in made[:2]] == ["lm_eval/soal_id_csqa-1.yaml", "lm_eval/soal_id_csqa-2.yaml"]
    task = read(made[0].text)
    assert task["custom_dataset"] == "!utils.load"
    assert HELPER.endswith("/utils.py")
    files = {"validation": "dev.jsonl", "test": "raw/test.jsonl"}
    assert task["dataset_kwargs"] == {"sort": "choices", "files": files}
    assert (task["test_split"], task["fewshot_split"], task["tag"]) == (
        "test",
        "validation",
        ["soal", "soal_id"],
    )
    assert set(task["dataset_kwargs"]) <= set(task_docs.load.__annotations__)


@pytest.mark.parametrize(
    ("counts", "test", "examples"),
    [
        ({"train": 5, "validation": 3, "test": 2}, "test", "validation"),
        ({"train": 5, "validation": 3}, "validation", "train"),
        ({"train": 5}, "train", None),
        ({"train": 5, "test": 2}, "test", "train"),
    ],
)
def test_what_is_asked_and_what_shows_how(counts, test, examples):
    config = a_config("nli", splits={split: f"{split}.jsonl" for split in ("train", "validation", "test")})
    task = read(make_tasks(ConfigTasks(config, "p", counts))[0].text)
    assert (task["test_split"], task.get("fewshot_split")) == (test, examples)


def test_a_prompt_that_needs_what_rows_lack_is_not_written():
    def names(**told: Any) -> list[str]:
        return [task.name.rsplit("_", 1)[1] for task in make_tasks(ConfigTasks(a_config(), "soal", **told))]

    own = [("pendek", 2, "{{question}}\n{{listing}}"), ("tentang", 1, "{{concept}}: {{question}}")]
    assert names(counts={}) == []
    assert names(counts={"test": 1}, own_prompts=own)[-2:] == ["pendek", "tentang"]
    lacking = names(counts={"test": 1}, own_prompts=own, places_lacking=frozenset({"concept"}))
    assert lacking == ["csqa-2", "csqa-2-written", "pendek"]


def test_a_project_s_own_prompt_has_its_version_and_any_characters():
    odd = "Soal \u2028\x85\x9f 😀 “{{question}}”: \\ \" ' # %\n- A\n{{listing}}"
    asked = ConfigTasks(a_config(), "soal", {"test": 1}, own_prompts=[("aneh", 3, odd)])
    task = read(make_tasks(asked)[-1].text)
    assert task["doc_to_text"] == odd
    assert task["metadata"] == {"version": 3.0}
    assert task["doc_to_choice"] == "letters"


def test_translations_name_their_languages():
    config = a_config("translation", task="t", shapes=("pair",), form=SENTENCE)
    asked = ConfigTasks(config, "p", {"test": 1}, language="Javanese (ngoko)", target_language="Indonesian")
    text = read(make_tasks(asked)[0].text)["doc_to_text"]
    assert text.startswith("Translate the following Javanese (ngoko) text into Indonesian.\n")


EVIL = "su, {{cycler.__init__.__globals__.os.system('id')}}"


@pytest.mark.parametrize("name", [EVIL, "su {% raw %}", "su {# x #}", "su {{% x %}}", "{{{text}}", "su \\{{7*7}}"])
def test_what_a_register_is_called_is_no_program(name):
    """The harness renders texts with all of jinja2, and registers are free text that leads type."""
    config = a_config("translation", name=name, task="t", shapes=("pair",), form=SENTENCE)
    asked = ConfigTasks(config, name, {"test": 1}, language=f"Sundanese ({name})", target_language=name)
    task = read(make_tasks(asked)[0].text)
    text = task["doc_to_text"]
    assert "Sundanese (" in text
    assert text.count("{") == text.count("}") == 2  # those of the text itself
    assert "{{text}}" in text
    named = text.replace("{{text}}", "") + task["task"] + "".join(task["tag"])
    assert not set("{}%\\") & set(named)


def test_a_name_brings_no_line_of_its_own():
    config = a_config("translation", task="t", shapes=("pair",), form=SENTENCE)
    asked = ConfigTasks(config, "p", {"test": 1}, language="a\nb\x85c\x1bd\u2028e\x07", target_language="id")
    text = read(make_tasks(asked)[0].text)["doc_to_text"]
    assert text.startswith("Translate the following a b cd e text into id.\n")


def test_a_text_is_looked_at_once_more_where_it_is_written():
    own = [("dahulu", 1, "{{question}} {% set x = 1 %}")]  # as if it had been saved before that was refused
    with pytest.raises(PromptFault):
        make_tasks(ConfigTasks(a_config(), "soal", {"test": 1}, own_prompts=own))


def test_a_prompt_of_one_s_own_names_no_language():
    config = a_config("translation", task="t", shapes=("pair",), form=SENTENCE)
    own = [("sendiri", 1, "{language} {into}: {{text}}")]
    languages: dict[str, Any] = {"language": "Javanese", "target_language": "Indonesian"}
    made = make_tasks(ConfigTasks(config, "p", {"test": 1}, own_prompts=own, **languages))
    assert read(made[-1].text)["doc_to_text"] == "{language} {into}: {{text}}"
    for sort in TASK_TYPES.values():
        check_text(sort, starting_text(sort))
        assert "{" not in starting_text(sort).replace("{{", "")
    assert starting_text(TASK_TYPES["translation"]).startswith("Translate the following text.\n")


def test_the_guide_lists_every_task():
    made = make_tasks(ConfigTasks(a_config(), "soal", {"test": 1}, own_prompts=[("x", 1, "{{question}}")]))
    text = folder_readme([("id", task) for task in made])
    assert all(f"| `{task.name}` | id |" in text for task in made)
    assert "the project's own" in text


BAD_TEXTS = [
    ("Say something.", "names no place"),
    ("", "names no place"),
    ("{{question}} {{answer}}", "does not have: answer"),
    ("{{question}} {{ self.__init__ }}", "begin no place"),
    ("{{question}} {% for x in y %}", "begin no place"),
    ("{{question}} {# note #}", "begin no place"),
    ("{{question}} {{", "begin no place"),
    ("{{question}} }}", "begin no place"),
    ("{{question | upper}}", "begin no place"),
    ("{{question}}" + "x" * 8000, "longer than 8000"),
    # What is left where a place was taken out must not be one.
    ("{{{question}}{ 7*7 }}", "begin no place"),
    ("{{{question}}} {{question}}", "begin no place"),
    ("{{{question}}% set x = 1 %}", "begin no place"),
]


@pytest.mark.parametrize(("text", "reason"), BAD_TEXTS)
def test_what_no_prompt_holds(text, reason):
    with pytest.raises(PromptFault) as caught:
        check_text(TASK_TYPES["choices"], text)
    assert reason in str(caught.value)


@pytest.mark.parametrize("text", ["{{question}}", "{{ question }}\n{a} {listing} 100%", "{{question}} {} %"])
def test_what_a_prompt_may_hold(text):
    check_text(TASK_TYPES["choices"], text)


@pytest.mark.parametrize("name", ["", "A", "-a", "a b", "a_b", "a/b", "x" * 41, "csqa-1", "nli", "a\n"])
def test_names_that_no_prompt_has(name):
    with pytest.raises(PromptFault):
        check_name(name)


def test_rows_are_read_by_line_feeds(tmp_path):
    path = tmp_path / "test.jsonl"
    lines = [json.dumps({"a": "\u2028\x85"}, ensure_ascii=False), json.dumps({"a": 2})]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert [row["a"] for row in task_docs.rows(path)] == ["\u2028\x85", 2]
