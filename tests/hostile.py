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

    @property
    def id(self) -> str:
        return self.name


def line(number: int, text: str = "Rina membeli ikan di pasar.") -> bytes:
    return f'{{"premise_id": "p{number}", "text": "{text} {number}"}}\n'.encode()


def row(number: int, text: str = "Rina membeli ikan di pasar.") -> bytes:
    return f'p{number},"{text} {number}"\n'.encode()


GOOD, HEAD = line(1), b"premise_id,premise\n"
JSON, UTF8 = "no whole JSON value", "is not UTF-8"

JSONL = (
    Hostile("plain.jsonl", line(1) + line(2), 2),
    Hostile("bom.jsonl", b"\xef\xbb\xbf" + line(1), 1),
    Hostile("crlf.jsonl", line(1).replace(b"\n", b"\r\n") + b"\r\n" + line(2), 2),
    Hostile("no-last-line-end.jsonl", line(1) + line(2).rstrip(), 2),
    Hostile("torn.jsonl", line(1) + line(2)[:30], 1, (Bad(2, "", JSON),)),
    Hostile("cp1252.jsonl", GOOD + line(2, "\u201c").decode().encode("cp1252"), 1, (Bad(2, "", UTF8),)),
    Hostile("utf16.jsonl", GOOD.decode().encode("utf-16"), file="UTF-16"),
    Hostile("utf16-no-bom.jsonl", GOOD.decode().encode("utf-16-le"), file="UTF-16"),
    Hostile("raw-nul.jsonl", GOOD + line(2, "a\0b"), 1, (Bad(2, "", JSON),)),
    Hostile("nul.jsonl", GOOD + line(2, "a\\u0000b"), 1, (Bad(2, "premise", "NUL"),)),
    Hostile("surrogate.jsonl", GOOD + line(2, "a\\ud800b"), 1, (Bad(2, "", JSON),)),
    Hostile("line-marks.jsonl", line(1, "a\u2028b\u0085c\u2029d\x0b".replace("\x0b", "")), 1),
    Hostile("nan.jsonl", GOOD + b'{"premise_id": NaN, "text": "x"}\n', 1, (Bad(2, "", JSON),)),
    Hostile(
        "key-twice.jsonl",
        GOOD + b'{"text": "x", "text" : "y"}\n{"text": "he said: \\"a\\":b", "premise_id": 3}\n',
        2,
        (Bad(2, "", "stands twice"),),
    ),
    Hostile(
        "huge-number.jsonl",
        GOOD + b'{"text": "x", "premise_id": 1' + b"0" * 5000 + b"}\n"
        b'{"text": "y", "premise_id": 18446744073709551616}\n',
        1,
        (Bad(2, "", JSON), Bad(3, "premise_id", "whole number")),
    ),
    Hostile(
        "deep.jsonl", GOOD + b'{"text": ' + b"[" * 100_000 + b"]" * 100_000 + b"}\n", 1, (Bad(2, "", JSON),)
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
    Hostile("list-comma.json", b'[{"text": "x"},]', 1, (Bad(2, "", JSON),)),
    Hostile(
        "list-mixed.json",
        b'[{"text": "x"}, 5, [{"text": "z"}], {"text": "y"} {"text": "z"}, {"text": "w"}]',
        2,
        (Bad(2, "", "no object"), Bad(3, "", "no object"), Bad(4, "", JSON)),
    ),
    Hostile("list-torn.json", b'[{"text": "x"}, {"text": "y', 1, (Bad(2, "", "does not end"),)),
    Hostile("list-behind.json", b'[{"text": "x"}] {"text": "y"}', 1, (Bad(2, "", "behind the end"),)),
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
    Hostile("cp1252.csv", HEAD + b"p1,caf\xe9\n" + row(2), 1, (Bad(2, "", UTF8),)),
    Hostile("nul.csv", HEAD + b"p1,a\0b\n" + row(2), 1, (Bad(2, "premise", "NUL"),)),
    Hostile("header-twice.csv", b"premise,premise\na,b\n", file="called “premise”"),
    Hostile("header-broken.csv", b'premise,"a\n', file="names its columns"),
    Hostile("no-text.csv", b"a,b\n1,2\n", file="No column is taken"),
    Hostile("formulas.csv", HEAD + b"p1,'=1+1\np2,'hello'\np3,=2\n", 3),
    Hostile(
        "long-cell.csv", HEAD + b"p1," + b"x" * 2_000_000 + b"\n" + row(2), 1, (Bad(2, "", "longer than"),)
    ),
)
PACKED = (
    Hostile("plain.jsonl.gz", gzip.compress(line(1) + line(2)), 2),
    Hostile("plain.csv.gz", gzip.compress(HEAD + row(1)), 1),
    Hostile("torn.jsonl.gz", gzip.compress(line(1) * 1000)[:-20], file="torn or damaged"),
    Hostile("twice.jsonl.gz", gzip.compress(gzip.compress(line(1))), file="This is gzip"),
    Hostile("bomb.jsonl.gz", gzip.compress(b"a" * (64 << 20)), file="far more than texts"),
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
        4,
        (
            Bad(2, "author_label", "no label here"),
            Bad(3, "author_label", "missing"),
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
        pair(1, '"label": "e"')
        + pair(1, '"label": "e"')
        + pair(1, '"label": "n"')
        + pair(1, '"label": "e"', "Lain"),
        2,
        (Bad(4, "pair_id", "There: “Ada ikan yang dibeli 1.” Here: “Lain 1.”"),),
    ),
)
CORPUS = (*JSONL, *CSV, *PACKED, *PAIRS)
