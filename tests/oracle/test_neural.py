"""BLEURT and BERTScore with small models of our own: loaded as real ones are, and held to their definitions."""

from pathlib import Path

import numpy as np
import pytest

from exports.scoring.free_answers import BERTSCORE, BLEURT
from exports.scoring.neural import FOLDER, MODEL, TOKENIZER, installed_scorers
from exports.scoring.open_ended import FreeAnswer, margins

pytestmark = pytest.mark.oracle
WORDS = ["[PAD]", "[CLS]", "[SEP]", "[UNK]", "bawa", "kado", "amplop", "pulang", "minta", "uang", "saja"]
SIZE = 6
PAIRS = [("bawa kado", "bawa amplop saja"), ("pulang saja", "minta uang"), ("bawa kado", "bawa kado"), ("kado", "")]


def table(seed: int, size: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(len(WORDS), size)).astype(np.float32)


def a_tokenizer(path: Path) -> None:
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace
    from tokenizers.processors import TemplateProcessing

    made = Tokenizer(WordLevel({word: n for n, word in enumerate(WORDS)}, unk_token="[UNK]"))
    made.pre_tokenizer = Whitespace()
    made.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    made.save(str(path))


def a_model(path: Path, *, bleurt: bool) -> None:
    """Embeddings of the tokens; of BLEURT a number of each, summed where the mask is."""
    from onnx import TensorProto, helper, numpy_helper, save

    names = ["input_ids", "attention_mask", *(["token_type_ids"] if bleurt else [])]
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "length"]) for name in names]
    weights = [numpy_helper.from_array(table(5, 1)[:, 0] if bleurt else table(7, SIZE), "table")]
    if bleurt:
        weights.append(numpy_helper.from_array(np.array([1], dtype=np.int64), "axes"))
        nodes = [
            helper.make_node("Gather", ["table", "input_ids"], ["each"]),
            helper.make_node("Add", ["token_type_ids", "attention_mask"], ["twice"]),
            helper.make_node("Mul", ["twice", "attention_mask"], ["seen"]),
            helper.make_node("Cast", ["seen"], ["times"], to=TensorProto.FLOAT),
            helper.make_node("Mul", ["each", "times"], ["weighed"]),
            helper.make_node("ReduceSum", ["weighed", "axes"], ["out"], keepdims=1),
        ]
        shape: list[str | int] = ["batch", 1]
    else:
        nodes = [
            helper.make_node("Cast", ["attention_mask"], ["unused"], to=TensorProto.FLOAT),
            helper.make_node("Gather", ["table", "input_ids"], ["out"]),
        ]
        shape = ["batch", "length", SIZE]
    out = helper.make_tensor_value_info("out", TensorProto.FLOAT, shape)
    graph = helper.make_graph(nodes, "small", inputs, [out], weights)
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("data")
    for name in (BLEURT, BERTSCORE):
        folder = made / FOLDER / name
        folder.mkdir(parents=True)
        a_tokenizer(folder / TOKENIZER)
        a_model(folder / MODEL, bleurt=name == BLEURT)
    return made


def ids(text: str) -> list[int]:
    return [WORDS.index(word) for word in ("[CLS]", *text.split(), "[SEP]")]


def bertscore(right: str, said: str) -> float:
    """Equations of Zhang et al. (2020), §3, token by token; the two special tokens have no weight."""
    if not right or not said:
        return 0.0
    embedded = table(7, SIZE).astype(float)
    near = [
        [
            embedded[one] @ embedded[other] / np.linalg.norm(embedded[one]) / np.linalg.norm(embedded[other])
            for other in ids(right)
        ]
        for one in ids(said)
    ]
    precision = np.mean([max(row) for row in near[1:-1]])
    recall = np.mean([max(row[n] for row in near) for n in range(1, len(ids(right)) - 1)])
    return float(2 * precision * recall / (precision + recall))


def bleurt(right: str, said: str) -> float:
    value = table(5, 1)[:, 0]
    return float(sum(value[ids(right)]) + 2 * sum(value[ids(said)[1:]]))


def test_models_of_the_data_folder_are_loaded_and_score_by_their_definitions(data: Path) -> None:
    found = installed_scorers(data)
    assert not found.missing
    # More than one batch, in which shorter texts are filled up.
    many = PAIRS * 20
    assert found.measures[BERTSCORE](many) == pytest.approx([bertscore(*pair) for pair in many], abs=1e-5)
    assert found.measures[BLEURT](many) == pytest.approx([bleurt(*pair) for pair in many], abs=1e-4)
    assert found.measures[BERTSCORE](PAIRS)[2] == pytest.approx(1)


def test_margins_by_a_model(data: Path) -> None:
    answer = FreeAnswer("bawa kado", ["bawa kado", "bawa amplop"], ["pulang saja", "minta uang"])
    for name, by_hand in ((BERTSCORE, bertscore), (BLEURT, bleurt)):
        good, bad = ([by_hand(text, answer.said) for text in side] for side in (answer.relevant, answer.irrelevant))
        (found,) = margins([answer], installed_scorers(data).measures[name])
        assert found == pytest.approx(max(good) - max(bad), abs=1e-4)
