"""What people send about materials: a file of finished questions."""

from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext_lazy as _

from annotation.core.messages import problem_words
from annotation.generation.rules.finished_questions import LONGEST_SPLIT

# What a request reads at once; CommonsenseQA's training part has 3.8 MB.
MOST_BYTES = 32 << 20


class QuestionsForm(forms.Form):
    """A file, and the split of rows that name none."""

    file = forms.FileField(
        label=_("File"),
        widget=forms.FileInput(attrs={"accept": ".jsonl,.ndjson,.json,.csv,.tsv,.txt,.gz"}),
        help_text=_(
            "CommonsenseQA's own JSONL, or rows of id, question_concept, question, choices and answer_creator; also "
            "packed with gzip. A row that cannot be used is refused with its number and a reason, the others are taken."
        ),
    )
    split = forms.CharField(
        label=_("Split"),
        required=False,
        max_length=LONGEST_SPLIT,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
        help_text=_("Of rows that name none, such as train. The adapted question keeps it."),
    )

    def clean_file(self) -> Any:
        sent: UploadedFile[Any] = self.cleaned_data["file"]
        if sent.size is None or sent.size > MOST_BYTES:
            raise forms.ValidationError(problem_words("material_file_large"))
        return sent
