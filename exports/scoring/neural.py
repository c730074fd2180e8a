"""BLEURT and BERTScore with the models that are installed: an ONNX file and its tokenizer, in a folder of the data.

BLEURT (Sellam et al. 2020) is what its model says of reference and text. BERTScore (Zhang et al. 2020) is the F1 of
greedy matches between the embeddings of their tokens, without idf and without rescaling: as in bert-score, `[CLS]` and
`[SEP]` can be matched but do not count. Packages and models are optional (`scripts/prepare run neural`); what cannot
be computed is told with its reason. For jobs only.
"""

import importlib.util
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from exports.scoring.free_answers import BERTSCORE, BLEURT, NO_MODEL, NO_PACKAGES, UNUSABLE
from exports.scoring.open_ended import Similarity
from validation.insights.rules.clusters import Floats

if TYPE_CHECKING:
    from tokenizers import Encoding

logger = logging.getLogger(__name__)
FOLDER, MODEL, TOKENIZER = "models", "model.onnx", "tokenizer.json"
PACKAGES = ("onnxruntime", "tokenizers")
# So many pairs are compared at once, and so many tokens of a text are read where its tokenizer knows no bound.
AT_ONCE, MOST_TOKENS = 32, 512


class Scorers(NamedTuple):
    """The measures that can be computed, and why the others cannot."""

    measures: Mapping[str, Similarity]
    missing: Mapping[str, str]


def installed_scorers(data: Path) -> Scorers:
    """What can be computed with the models in the data folder."""
    found: dict[str, Similarity] = {}
    missing: dict[str, str] = {}
    for name, similarity in _SIMILARITIES.items():
        folder = data / FOLDER / name
        if not all((folder / file).is_file() for file in (MODEL, TOKENIZER)):
            missing[name] = NO_MODEL
        elif not all(importlib.util.find_spec(package) for package in PACKAGES):
            missing[name] = NO_PACKAGES
        else:
            try:
                found[name] = partial(similarity, Model(folder))
            except Exception:  # what onnxruntime and tokenizers raise has no class in common
                logger.exception("The model of %s in %s cannot be used", name, folder)
                missing[name] = UNUSABLE
    return Scorers(found, missing)


class Model:
    """A model that reads tokens, with its tokenizer."""

    def __init__(self, folder: Path) -> None:
        from onnxruntime import InferenceSession
        from tokenizers import Tokenizer

        self.tokenizer: Tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
        if self.tokenizer.truncation is None:
            self.tokenizer.enable_truncation(MOST_TOKENS)
        self.tokenizer.enable_padding(**(self.tokenizer.padding or {}))
        self.session: InferenceSession = InferenceSession(folder / MODEL, providers=["CPUExecutionProvider"])
        self.inputs = [each.name for each in self.session.get_inputs()]

    def outputs(self, texts: Sequence[Any]) -> Iterator[tuple["Encoding", Floats]]:
        """The tokens of each text, or pair of texts, and what the model's first output is for it."""
        for begin in range(0, len(texts), AT_ONCE):
            encodings = self.tokenizer.encode_batch(list(texts[begin : begin + AT_ONCE]))
            known: Mapping[str, Callable[[Encoding], list[int]]] = {
                "input_ids": lambda encoding: encoding.ids,
                "attention_mask": lambda encoding: encoding.attention_mask,
                "token_type_ids": lambda encoding: encoding.type_ids,
            }
            asked = {name: np.array([known[name](each) for each in encodings], dtype=np.int64) for name in self.inputs}
            yield from zip(encodings, self.session.run(None, asked)[0], strict=True)


def _bleurt(model: Model, pairs: Sequence[tuple[str, str]]) -> list[float]:
    return [float(np.ravel(output)[0]) for _, output in model.outputs(pairs)]


def _bertscore(model: Model, pairs: Sequence[tuple[str, str]]) -> list[float]:
    """Every text is read once, however many it is compared with."""
    distinct = list(dict.fromkeys(text for pair in pairs for text in pair))
    read = dict(zip(distinct, (_embeddings(*each) for each in model.outputs(distinct)), strict=True))
    return [bertscore_f1(read[right], read[said]) for right, said in pairs]


class Embeddings(NamedTuple):
    """The embeddings of a text's tokens, each of length 1, and which of the tokens count."""

    vectors: Floats
    counts: Floats


def _embeddings(encoding: "Encoding", vectors: Floats) -> Embeddings:
    there = np.array(encoding.attention_mask, dtype=bool)
    kept = np.asarray(vectors, dtype=float)[there]
    special = np.array(encoding.special_tokens_mask, dtype=bool)[there]
    return Embeddings(kept / np.linalg.norm(kept, axis=-1, keepdims=True), (~special).astype(float))


def bertscore_f1(right: Embeddings, said: Embeddings) -> float:
    """The F1 of both texts' greedy matches; 0 where one of them has no token."""
    if not right.counts.any() or not said.counts.any():
        return 0.0
    near = said.vectors @ right.vectors.T
    precision = float(near.max(axis=1) @ said.counts / said.counts.sum())
    recall = float(near.max(axis=0) @ right.counts / right.counts.sum())
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


_SIMILARITIES: Mapping[str, Callable[[Model, Sequence[tuple[str, str]]], list[float]]] = {
    BLEURT: _bleurt,
    BERTSCORE: _bertscore,
}
