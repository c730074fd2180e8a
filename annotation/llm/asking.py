"""What a run asks of an endpoint: kept answers first, then what is missing, within limits, and never twice."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from pydantic import BaseModel

from annotation.errors import Refusal
from annotation.jobs import Handle
from annotation.llm import calls as kept_calls
from annotation.llm import reading
from annotation.models import Call, Endpoint, GenerationRun


class Prompt(NamedTuple):
    """One question to an endpoint, and the form of its answer.

    A translation has one user message whose content is JSON {"text", "source", "target"}, and answers {"text"}; an
    embedding has {"text"}, and answers {"vector": [numbers]}. A form may have a classmethod `from_text(text)` for
    answers in words.
    """

    messages: list[dict[str, str]]
    form: type[BaseModel]


class Given(NamedTuple):
    """What came back: the answer, or None with the code of the fault; the calls that it took, unusable ones too."""

    answer: BaseModel | None
    fault: str
    calls: list[int]


class Stopped(Refusal):
    """Nothing more can be asked until a person changes something: `code` says what (`machine_messages`)."""

    status = 409
    code = "endpoint_refuses"

    def __init__(self, code: str, params: Mapping[str, Any] | None = None) -> None:
        super().__init__(code=code)
        self.params = dict(params or {})


def answers(
    *,
    run: GenerationRun,
    step: str,
    endpoint: Endpoint,
    parameters: Mapping[str, Any],
    prompts: Sequence[Prompt],
    handle: Handle | None,
) -> list[Given]:
    """An answer for every prompt, in their order; what was asked before is taken from what was kept.

    Raises jobs.Later where the job should come back (rate, Retry-After, an endpoint that rests; whatever was answered
    is kept, so ask the same again then), and Stopped where a person has to do something first.
    """
    digests = [kept_calls.digest_of(endpoint, parameters, prompt.messages) for prompt in prompts]
    kept = kept_calls.kept(run.project_id, digests)
    given: list[Given] = []
    for prompt, digest in zip(prompts, digests, strict=True):
        said = _from_kept(prompt, kept.get(digest, []))
        if said is None:
            raise Stopped("not_recorded", {"step": step})
        given.append(said)
    return given


def _from_kept(prompt: Prompt, calls: Sequence[Call]) -> Given | None:
    """What the kept calls of one prompt give; None where it has to be asked."""
    pks = [call.pk for call in calls]
    for call in calls:
        if call.state == Call.State.ANSWERED:
            try:
                return Given(reading.read(prompt.form, call.answer), "", pks)
            except reading.Unusable:
                continue
    unusable = [call for call in calls if call.state != Call.State.ASKED]
    if len(unusable) >= kept_calls.MOST_ASKED:
        return Given(None, unusable[-1].fault, pks)
    return None
