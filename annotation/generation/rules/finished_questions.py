"""Finished questions from files, to be adapted (id-csqa §4.1): CommonsenseQA's own JSONL, and the published form.

A row is read as an import of questions reads it, and then has to have what adapting needs: a concept and an answer.
"""

from collections.abc import Sequence

from pydantic import ValidationError

from annotation.generation.rules.recipes.forms import OptionData, QuestionData
from annotation.text.gettext import gettext_noop
from annotation.text.normalise import storage_problem
from validation.imports.rules import FileRefused, Problem, Record, Source
from validation.imports.rules.questions import QUESTIONS, QuestionReader, QuestionRow, ReadLabel

LONGEST_SPLIT = 20


# Who answered a question before it is adapted is nobody's business here.
EXCLUDED_FIELDS = {"answers", "uncertainty", "question_ambiguity", "option_ambiguity", "reason", "creator"}


class FinishedQuestions:
    """Reads one file's rows. `split` is that of rows that name none."""

    def __init__(self, source: Source, keys: Sequence[str], read_label: ReadLabel, split: str = "") -> None:
        mapping = QUESTIONS.guess(source.columns)
        if "question" not in mapping:
            message = gettext_noop(
                "No column is called question: send CommonsenseQA's JSONL, or id, question_concept, question, choices "
                "and answer_creator. The columns: %(columns)s."
            )
            raise FileRefused("question_unmapped", message, columns=", ".join(source.columns)[:200])
        kept = {field: column for field, column in mapping.items() if field not in EXCLUDED_FIELDS}
        self._reader, self._split = QuestionReader(kept, keys, read_label), split

    def read(self, record: Record) -> tuple[QuestionData, str] | Problem:
        """A question with its split, or why the row is refused; never raises."""
        row = self._reader.read(record)
        if isinstance(row, Problem):
            return row
        if not isinstance(row, QuestionRow) or record.data is None:
            return Problem("missing", "question", gettext_noop("The text is missing."))
        named = record.data.get("split")
        split = self._split if named in (None, "") else named
        if not isinstance(split, str) or len(split) > LONGEST_SPLIT or storage_problem(split):
            message = gettext_noop("A split is a word of at most %(most)s characters, such as train, dev or test.")
            return Problem("split_wrong", "split", message, {"most": LONGEST_SPLIT})
        if not row.concept.strip():
            message = gettext_noop("The concept is missing: say in question_concept what the question is about.")
            return Problem("concept_missing", "concept", message)
        if not row.author_label:
            message = gettext_noop("The answer is missing: give its letter in answerKey or answer_creator.")
            return Problem("answer_missing", "answer", message)
        return _data(row, split.strip())


def _data(row: QuestionRow, split: str) -> tuple[QuestionData, str] | Problem:
    try:
        options = [
            OptionData(key=key, text=text, role="answer" if key == row.author_label else "")
            for key, text in row.options
        ]
        texts = {"concept": row.concept, "category": row.category, "question": row.question}
        return QuestionData(id=row.key, options=options, **texts), split
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False)[0]
        field = str(fault["loc"][0]) if fault["loc"] else "choices"
        message = gettext_noop("This cannot be used as it is: %(why)s. Correct the row, then send the file again.")
        params = {"why": fault["msg"][:150]}
        return Problem("form", "choices" if field == "options" else field, message, params)
