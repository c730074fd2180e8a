"""Files as they really come: torn, foreign, huge, hostile (reliability F30–F36). Each with what an import says of it.

`refused` holds (row, field, code) in file order; `accepted` how many rows are stored; `code` stands where the whole
file is refused.
"""

import gzip
from dataclasses import dataclass
from typing import NamedTuple


class Bad(NamedTuple):
    """A refused row."""

    row: int
    field: str
    words: str
    """Part of the reason."""


@dataclass(frozen=True)
class Hostile:
    """One file: its name, its bytes, and what becomes of it."""

    name: str
    content: bytes
    accepted: int = 0
    refused: tuple[Bad, ...] = ()
    file: str = ""
    """Part of the reason where the whole file is refused."""
    preset: str = "indonli-lay"

    @property
    def id(self) -> str:
        return self.name


def line(number: int, text: str = "Rina membeli ikan di pasar.") -> bytes:
    return f'{{"premise_id": "p{number}", "text": "{text} {number}"}}\n'.encode()


def row(number: int, text: str = "Rina membeli ikan di pasar.") -> bytes:
    return f'p{number},"{text} {number}"\n'.encode()


GOOD, HEAD = line(1), b"premise_id,premise\n"
NOT_JSON, NOT_UTF8 = "no whole JSON value", "is not UTF-8"

JSONL = (
    Hostile("plain.jsonl", line(1) + line(2), 2),
    Hostile("bom.jsonl", b"\xef\xbb\xbf" + line(1), 1),
    Hostile("crlf.jsonl", line(1).replace(b"\n", b"\r\n") + b"\r\n" + line(2), 2),
    Hostile("no-last-line-end.jsonl", line(1) + line(2).rstrip(), 2),
    Hostile("torn.jsonl", line(1) + line(2)[:30], 1, (Bad(2, "", NOT_JSON),)),
    Hostile("cp1252.jsonl", GOOD + line(2, "\u201c").decode().encode("cp1252"), 1, (Bad(2, "", NOT_UTF8),)),
    Hostile("utf16.jsonl", GOOD.decode().encode("utf-16"), file="UTF-16"),
    Hostile("utf16-no-bom.jsonl", GOOD.decode().encode("utf-16-le"), file="UTF-16"),
    Hostile("raw-nul.jsonl", GOOD + line(2, "a\0b"), 1, (Bad(2, "", NOT_JSON),)),
    Hostile("nul.jsonl", GOOD + line(2, "a\\u0000b"), 1, (Bad(2, "premise", "NUL"),)),
    Hostile("surrogate.jsonl", GOOD + line(2, "a\\ud800b"), 1, (Bad(2, "", NOT_JSON),)),
    Hostile("line-marks.jsonl", line(1, "a\u2028b\u0085c\u2029d\x0b".replace("\x0b", "")), 1),
    Hostile("nan.jsonl", GOOD + b'{"premise_id": NaN, "text": "x"}\n', 1, (Bad(2, "", NOT_JSON),)),
    Hostile(
        "key-twice.jsonl",
        GOOD + b'{"text": "x", "text" : "y"}\n{"text": "he said: \\"a\\":b", "premise_id": 3}\n',
        2,
        (Bad(2, "", "is used twice"),),
    ),
    Hostile(
        "huge-number.jsonl",
        GOOD + b'{"text": "x", "premise_id": 1' + b"0" * 5000 + b"}\n"
        b'{"text": "y", "premise_id": 18446744073709551616}\n',
        2,
        (Bad(2, "", NOT_JSON),),
    ),
    Hostile(
        "deep.jsonl",
        GOOD + b'{"text": ' + b"[" * 100_000 + b"]" * 100_000 + b"}\n",
        1,
        (Bad(2, "", NOT_JSON),),
    ),
    Hostile(
        "deep-but-json.jsonl",
        GOOD + b'{"text": ' + b"[" * 1000 + b"]" * 1000 + b"}\n" + line(3),
        2,
        (Bad(2, "premise", "has to be a text"),),
    ),
    Hostile(
        "many-fields.jsonl",
        GOOD + b'{"text": "x"' + b"".join(b', "k%d": 1' % n for n in range(50_000)) + b"}\n" + line(3),
        2,
        (Bad(2, "", "50001 fields; at most 400"),),
    ),
    Hostile(
        "other-fields-in-each-row.jsonl",
        b"".join(
            b'{"text": "x", ' + b", ".join(b'"k%d-%d": 1' % (row, n) for n in range(99)) + b"}\n" for row in range(5)
        ),
        file="496 columns; at most 400",
    ),
    Hostile("long-line.jsonl", GOOD + line(2, "x" * 10_000_000) + line(3), 2, (Bad(2, "", "longer than"),)),
    Hostile("long-text.jsonl", GOOD + line(2, "x" * 20_000), 1, (Bad(2, "premise", "20002 characters"),)),
    Hostile(
        "wrong-types.jsonl",
        GOOD + b'[1]\n"text"\n{"text": 5}\n{"text": null}\n{"text": ["a"]}\n{"text": " \\u200b"}\n'
        b'{"text": "x", "premise_id": true}\n{"text": "x", "premise_id": {"a": 1}}\n{"other": 1}\n',
        1,
        (
            Bad(2, "", "no object"),
            Bad(3, "", "no object"),
            Bad(4, "premise", "has to be a text"),
            Bad(5, "premise", "missing"),
            Bad(6, "premise", "has to be a text"),
            Bad(7, "premise", "nothing that can be seen"),
            Bad(8, "premise_id", "whole number"),
            Bad(9, "premise_id", "whole number"),
            Bad(10, "premise", "missing"),
        ),
    ),
    Hostile(
        "class.jsonl",
        b'{"text": "a", "sentence_size": "multiple"}\n{"text": "b", "sentence_size": "chapter"}\n',
        1,
        (Bad(2, "sentence_class", "chapter"),),
    ),
    Hostile("blank-lines.jsonl", b"\n" + GOOD + b"  \n\n" + line(5), 2),
    Hostile("list.json", b'[{"text": "x"}, {"text": "a, \\"b\\\\"}, {"text": "[{"}]\n', 3),
    Hostile("list-empty.json", b"[]", file="No column is taken"),
    Hostile("list-comma.json", b'[{"text": "x"},]', 1, (Bad(2, "", NOT_JSON),)),
    Hostile(
        "list-mixed.json",
        b'[{"text": "x"}, 5, [{"text": "z"}], {"text": "y"} {"text": "z"}, {"text": "w"}]',
        2,
        (Bad(2, "", "no object"), Bad(3, "", "no object"), Bad(4, "", NOT_JSON)),
    ),
    Hostile("list-torn.json", b'[{"text": "x"}, {"text": "y', 1, (Bad(2, "", "does not end"),)),
    Hostile("list-behind.json", b'[{"text": "x"}] {"text": "y"}', 1, (Bad(2, "", "after the end"),)),
    Hostile("list-deep.json", b'[{"text": "x"}, ' + b"[" * 100_000, 1, (Bad(2, "", "does not end"),)),
    Hostile(
        "list-long.json",
        b'[{"text": "x"}, {"text": "' + b"x" * 10_000_000 + b'"}, {"text": "y"}]',
        2,
        (Bad(2, "", "longer than"),),
    ),
    Hostile("empty.jsonl", b"", file="empty"),
    Hostile("only-bom.jsonl", b"\xef\xbb\xbf", file="empty"),
    Hostile("cr-only.jsonl", (GOOD + line(2)).replace(b"\n", b"\r"), file="CR alone"),
    Hostile("no-text.jsonl", b'{"premise_id": 1}\n', file="No column is taken"),
    Hostile(
        "same-id.jsonl",
        line(1) + line(1) + b'{"premise_id": "p1", "text": "Lain."}\n',
        1,
        (Bad(3, "premise_id", "There: “Rina membeli ikan di pasar. 1” Here: “Lain.”"),),
    ),
    Hostile("dangers.jsonl", line(1, "../../etc/passwd file:///etc/passwd !!python/object <!ENTITY>"), 1),
)
CSV = (
    Hostile("plain.csv", HEAD + row(1) + row(2), 2),
    Hostile("bom.csv", b"\xef\xbb\xbf" + HEAD + row(1), 1),
    Hostile("semicolons.csv", HEAD.replace(b",", b";") + b'p1;"a;b"\n', 1),
    Hostile("tabs.tsv", HEAD.replace(b",", b"\t") + b"p1\ta b\n", 1),
    Hostile(
        "wide.csv",
        HEAD[:-1] + b"".join(b",c%d" % n for n in range(99_998)) + b"\n",
        file="100000 columns; at most 400",
    ),
    Hostile("lines-in-cells.csv", HEAD + b'p1,"a\nb\r\nc"\n' + row(2), 2),
    Hostile("line-marks.csv", HEAD + row(1, "a\u2028b\u0085c"), 1),
    Hostile("ragged.csv", HEAD + b"p1\np2,a,b\n" + row(3), 1, (Bad(2, "", "1 cells"), Bad(3, "", "3 cells"))),
    Hostile(
        "unclosed.csv",
        HEAD + b'p1,"a\n' + b"".join(row(n) for n in range(2, 900)),
        898,
        (Bad(2, "", "opened and not closed"),),
    ),
    Hostile("bad-quote.csv", HEAD + b'p1,"a"b\n' + row(2), 1, (Bad(2, "", "no CSV"),)),
    Hostile("cp1252.csv", HEAD + b"p1,caf\xe9\n" + row(2), 1, (Bad(2, "", NOT_UTF8),)),
    Hostile("nul.csv", HEAD + b"p1,a\0b\n" + row(2), 1, (Bad(2, "premise", "NUL"),)),
    Hostile("header-twice.csv", b"premise,premise\na,b\n", file="called “premise”"),
    Hostile("header-broken.csv", b'premise,"a\n', file="names its columns"),
    Hostile("no-text.csv", b"a,b\n1,2\n", file="No column is taken"),
    Hostile("formulas.csv", HEAD + b"p1,'=1+1\np2,'hello'\np3,=2\n", 3),
    Hostile("guarded.csv", b"premise_id,premise,mufakat_guarded\np1,'=1+1,\np2,'hello',\np3,''=2,\n", 3),
    Hostile("long-cell.csv", HEAD + b"p1," + b"x" * 2_000_000 + b"\n" + row(2), 1, (Bad(2, "", "longer than"),)),
)
PACKED = (
    Hostile("plain.jsonl.gz", gzip.compress(line(1) + line(2), mtime=0), 2),
    Hostile("plain.csv.gz", gzip.compress(HEAD + row(1), mtime=0), 1),
    Hostile("torn.jsonl.gz", gzip.compress(line(1) * 1000, mtime=0)[:-20], file="torn or damaged"),
    Hostile("twice.jsonl.gz", gzip.compress(gzip.compress(line(1), mtime=0), mtime=0), file="This is gzip"),
    Hostile("bomb.jsonl.gz", gzip.compress(b"a" * (64 << 20), mtime=0), file="far more than texts"),
    Hostile("archive.zip", b"PK\x03\x04" + b"\0" * 60, file="This is zip"),
    Hostile("picture.jsonl", bytes(range(256)) * 20 + b"\0" * 2000, file="None of the first rows"),
    Hostile("zeros.jsonl", b"\0" * 5000, file="UTF-16 or no text"),
)
PAIR = '{"pair_id": %d, "premise_id": 1, "premise": "Rina membeli ikan.", "hypothesis": "%s", %s}\n'


def pair(number: int, rest: str, hypothesis: str = "Ada ikan yang dibeli") -> bytes:
    return (PAIR % (number, f"{hypothesis} {number}.", rest)).encode()


PAIRS = (
    Hostile(
        "pairs.jsonl",
        pair(1, '"author_label": "e", "votes": ["e", "E", "unrelated"]')
        + pair(2, '"author_label": "unrelated", "votes": []')
        + pair(3, '"votes": ["e"]')
        + pair(
            4,
            '"author_label": "n", "votes": [{"annotator": "A", "label": "n"}, {"annotator": "A", "label": "e"}]',
        )
        + pair(5, '"author_label": "n", "author": "B", "votes": [{"annotator": "B", "label": "n"}]')
        + pair(6, '"author_label": "n", "votes": "n e"')
        + pair(7, '"author_label": "n", "votes": [1, {"label": null}, null, ""]')
        + pair(8, '"author_label": "n", "votes": {"A": "n"}')
        + pair(9, '"author_label": "c", "votes": [["e"]]')
        + pair(10, '"author_label": "contradiction"')
        + pair(11, '"author_label": "n", "votes": ["' + "x" * 50 + '"]')
        + pair(12, '"author_label": "n", "votes": [' + ",".join(['"e"'] * 300) + "]"),
        5,
        (
            Bad(2, "author_label", "no label here"),
            Bad(4, "votes", "votes twice"),
            Bad(5, "votes", "own pair"),
            Bad(8, "votes", "has to be a list"),
            Bad(9, "votes", "has to be a text"),
            Bad(11, "votes", "50 characters"),
            Bad(12, "votes", "more than 200"),
        ),
    ),
    Hostile(
        "labels.jsonl",
        b'{"id": 1, "sentence1": "Rina pergi.", "sentence2": "Ia pergi.", "label": "neutral", "label0": "entailment",'
        b' "label1": "entailment", "label2": "neutral", "label3": "", "label4": null}\n',
        1,
    ),
    Hostile(
        "snli.jsonl",
        b'{"pairID": "x#1", "captionID": "x", "sentence1": "Rina pergi.", "sentence2": "Ia pergi.",'
        b' "annotator_labels": ["entailment", "entailment", "neutral"], "gold_label": "entailment"}\n',
        1,
    ),
    Hostile("pairs.csv", b'pair_id,premise,hypothesis,label,votes\n1,Rina pergi.,Ia pergi.,e,"e,n"\n', 1),
    Hostile(
        "same-pair.jsonl",
        pair(1, '"label": "e"') + pair(1, '"label": "e"') + pair(1, '"label": "n"') + pair(1, '"label": "e"', "Lain"),
        2,
        (Bad(4, "pair_id", "There: “Ada ikan yang dibeli 1.” Here: “Lain 1.”"),),
    ),
)


def question_line(number: int, rest: str, *, question: str = "Untuk apa tikar dipakai", choices: str = "") -> bytes:
    """A question about a mat, as id-csqa publishes it."""
    given = choices or '{"label": ["A", "B", "C"], "text": ["duduk", "mandi", "masak"]}'
    return (
        f'{{"id": "q{number}", "category": "culture", "question_concept": "tikar", "question": "{question} '
        f'{number}?", "choices": {given}, "answer_creator": "A"{rest}}}\n'
    ).encode()


def answered_question_line(number: int, marks: str = "", *, answers: str = '"W2": "A", "W3": "B"') -> bytes:
    return question_line(number, f', "answers": {{{answers}}}{marks}')


IDCSQA = "idcsqa"
QUESTIONS = (
    Hostile(
        "questions.jsonl",
        answered_question_line(1)
        + question_line(2, "", choices='"duduk, mandi"')
        + question_line(3, "", choices='{"label": ["A", "B", "C", "D", "E"], "text": ["a", "b", "c", "d"]}')
        + question_line(4, "", choices='{"label": ["A", "F"], "text": ["a", "f"]}')
        + question_line(5, "", choices='{"label": ["A", "A"], "text": ["a", "b"]}')
        + question_line(6, "", choices='{"label": "A", "text": ["a"]}')
        + question_line(7, "", choices='[{"label": "A", "text": ""}]')
        + question_line(8, "", choices='["duduk", 7]')
        + question_line(9, "", choices="[]")
        + question_line(10, ', "answer_creator ": 1', choices='{"label": ["B", "C"], "text": ["b", "c"]}')
        + question_line(11, ', "distractor": "E"')
        + question_line(12, "").replace(b'"answer_creator": "A"', b'"answer_creator": ""')
        + question_line(13, "").replace(b'"answer_creator": "A"', b'"answer_creator": "mandi"')
        + question_line(14, "").replace(b'"tikar"', b'"' + b"x" * 301 + b'"')
        + question_line(15, "").replace(b'"tikar"', b"null")
        + question_line(16, "").replace(b'"tikar"', b'["tikar"]'),
        5,
        (
            Bad(2, "choices", "not a complete list"),
            Bad(3, "choices", "5 labels and 4 texts"),
            Bad(4, "choices", "“F” names no choice here: they are called A, B, C, D, E"),
            Bad(5, "choices", "Two choices are called “A”"),
            Bad(6, "choices", "list of labels and a list of texts"),
            Bad(7, "choices", "missing"),
            Bad(9, "choices", "no choices"),
            Bad(10, "answer", "“A” is none of the choices B, C"),
            Bad(11, "distractor", "“E” is none of the choices"),
            Bad(14, "concept", "301 characters"),
            Bad(16, "concept", "has to be a text"),
        ),
        preset=IDCSQA,
    ),
    Hostile(
        "answers.jsonl",
        answered_question_line(1, ', "reason": {"W2": "Ragu."}, "answers_uncertainty": {"W2": "uncertain"}')
        + answered_question_line(2, answers='"W2": "D"')
        + answered_question_line(3, answers='"W2": 5')
        + answered_question_line(4, answers='"W2": ["A"]')
        + answered_question_line(5, answers='"": "A"')
        + answered_question_line(6, answers='"W2": null, "W3": ""')
        + answered_question_line(7, ', "reason": {"W9": "Bukan saya."}')
        + answered_question_line(8, ', "reason": {"W9": "", "W2": 5}')
        + answered_question_line(9, ', "answers_uncertainty": {"W2": "perhaps"}')
        + answered_question_line(10, ', "question_ambiguity": ["clear"]')
        + answered_question_line(11, ', "option_ambiguity": {"W2": ["clear", "ambiguous"]}')
        + answered_question_line(12, ', "option_ambiguity": {"W2": ["ambiguous", "clear", "ambiguous"]}')
        + answered_question_line(13, ', "option_ambiguity": {"W2": "clear"}')
        + answered_question_line(14, ', "creator": "W2"')
        + answered_question_line(15, ', "reason": {"W2": "a\\u0000b"}')
        + answered_question_line(16, answers=", ".join(f'"W{n}": "A"' for n in range(201)))
        + question_line(17, ', "answers": [{"annotator": "W2", "label": "A"}, {"annotator": "W2", "label": "A"}]')
        + question_line(18, ', "answers": ["A", null, "B"]')
        + question_line(19, ', "answers": "{W2: A}"'),
        8,
        (
            Bad(2, "answers", "W2 answers “D”, which is none of the choices A, B, C"),
            Bad(3, "answers", "W2 answers “5”"),
            Bad(4, "answers", "has to be a text"),
            Bad(5, "answers", "no name"),
            Bad(7, "reason", "W9 does not answer this question"),
            Bad(8, "reason", "has to be a text"),
            Bad(14, "answers", "the own question"),
            Bad(15, "reason", "NUL"),
            Bad(16, "answers", "more than 200"),
            Bad(17, "answers", "votes twice"),
            Bad(19, "answers", "not a complete list"),
        ),
        preset=IDCSQA,
    ),
    Hostile(
        "commonsenseqa.jsonl",
        b'{"id": "c1", "answerKey": "B", "question": {"stem": "Untuk apa tikar?", "question_concept": "tikar",'
        b' "choices": [{"label": "A", "text": "mandi"}, {"label": "B", "text": "duduk"}]}}\n'
        b'{"id": "c2", "answerKey": "A", "question": {"stem": "Tanpa konsep?",'
        b' "choices": [{"label": "A", "text": "ya"}, {"label": "B", "text": "bukan"}]}}\n'
        b'{"id": "c3", "answerKey": "A", "question": {"choices": []}}\n'
        b'{"id": "c4", "answerKey": "A", "question": {"stem": "Apa?"}}\n',
        2,
        (Bad(3, "question", "missing"), Bad(4, "choices", "no choices")),
        preset=IDCSQA,
    ),
    Hostile(
        "questions.csv",
        b"id,category,concept,question,choice_a,choice_b,choice_c,choice_f,answer,answers\n"
        b'1,culture,tikar,Untuk apa?,duduk,mandi,,,A,"{""W2"": ""B""}"\n'
        b"2,culture,tikar,Untuk apa 2?,duduk,mandi,,masak,A,\n"
        b"3,culture,tikar,Untuk apa 3?,duduk,mandi,masak,,masak,\n",
        2,
        (Bad(3, "choices", "“F” names no choice"),),
        preset=IDCSQA,
    ),
    Hostile(
        "same-question.jsonl",
        question_line(1, "")
        + question_line(1, "")
        + question_line(1, "").replace(b'_creator": "A"', b'_creator": "B"')
        + question_line(1, "", question="Lain")
        + question_line(1, "").replace(b"duduk", b"tidur")
        + question_line(1, "").replace(b'"q1"', b'"q5"'),
        3,
        (
            Bad(4, "item_id", "There: “Untuk apa tikar dipakai 1?” Here: “Lain 1?”"),
            Bad(5, "item_id", "There: “A: duduk / B: mandi / C: masak” Here: “A: tidur"),
        ),
        preset=IDCSQA,
    ),
    Hostile(
        "concepts.csv",
        b"category,concept,shared_key,parallel\nculture,tikar,k1,mat\nculture,tikar,k1,mat\nplace,tikar,k1,mat\n"
        b"culture,,k2,\n,payung,k3,\nplace,payung,k4,\n",
        2,
        (
            Bad(4, "shared_key", "There: “culture: tikar” Here: “place: tikar”"),
            Bad(5, "concept", "missing"),
            Bad(6, "category", "missing"),
        ),
        preset=IDCSQA,
    ),
    Hostile("no-question.jsonl", b'{"id": 1}\n', file="nor for the concept", preset=IDCSQA),
)
CORPUS = (*JSONL, *CSV, *PACKED, *PAIRS, *QUESTIONS)
