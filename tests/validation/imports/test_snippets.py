"""Snippets of documents: cutting, rules, draws, dumps of Wikipedia, and files that must not be read (IndoNLI §3.1)."""

import bz2
import gzip
import io
import json
import resource
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from annotation.text.near_texts import NearTexts
from annotation.text.sentences import sentence_class
from annotation.text.snippets import broken_rule, class_quotas, snippets
from tests.data import DATA, needs_data
from validation.imports import wikitext_reader
from validation.imports.rules import FileRefused, Problem
from validation.imports.rules.documents import LONGEST_DOCUMENT, DocumentDefaults, documents
from validation.imports.rules.snippets import DocumentSkipped, Report, SnippetRules, sample_snippets
from validation.imports.rules.wikitext import HOLE, pages, plain_text
from validation.imports.wikitext_reader import WikitextReader

TEXT = """Pasar Lama

Pak R. Budi, S.Pd. menjual mangga sejak 1990. Istrinya menjual pisang, dll. di kios No. 5.
“Kami senang. Sangat!” katanya.

Hujan turun."""
WORDS = [
    *("pedagang", "nelayan", "guru", "petani", "penari", "perajin"),
    *("tukang", "kusir", "penjahit", "pelukis", "pemahat", "penabuh"),
]
PLACES = [
    *("pasar", "pantai", "sekolah", "sawah", "sanggar", "bengkel"),
    *("jalan", "kota", "ladang", "rumah", "gunung", "balai"),
]


def corpus(n: int = 40) -> list[dict[str, str]]:
    """Documents whose sentences differ."""
    found = []
    for i in range(n):
        who, where, other = WORDS[i % 12], PLACES[(i * 5 + i // 12) % 12], WORDS[(i * 7 + 3) % 12]
        text = (
            f"Seorang {who} tua dari keluarga ke-{i} tinggal di dekat {where} besar itu. "
            f"Setiap pagi anak {other} mengantar {i + 2} keranjang buah ke {where} lain. "
            f"Pada malam hari mereka menonton {who} menari bersama {i * 3 + 1} tamu.\n\n"
            f"Tahun {1900 + i} seluruh {where} terbakar karena api dari dapur {other}."
        )
        found.append({"id": f"d{i}", "text": text, "topic": where})
    return found


def written(path: Path, rows: list[dict[str, str]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def draw(path: Path, rules: SnippetRules, there: tuple[str, ...] = ()) -> Report:
    report = Report()
    return sample_snippets(
        documents(path, path.name, DocumentDefaults("Buku", "", "CC0-1.0"), report),
        rules,
        "id",
        there,
        report,
        plain_text=lambda title, text: plain_text(text),
    )


def test_a_document_is_cut_where_its_sentences_end() -> None:
    """Abbreviations, initials, titles and numbers end no sentence; each candidate is a piece of its paragraph."""
    found = [(each.sentence_class, each.place, each.text) for each in snippets(TEXT, "id")]
    assert [text for name, _, text in found if name == "single"][1:3] == [
        "Pak R. Budi, S.Pd. menjual mangga sejak 1990.",
        "Istrinya menjual pisang, dll. di kios No. 5.",
    ]
    assert [place for name, place, _ in found if name == "paragraph"] == ["1.0+4"]
    assert all(text in " ".join(TEXT.split()) for _, _, text in found)
    assert len({place for _, place, _ in found}) == len(found)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("Budi menjual mangga di pasar pagi.", ""),
        ("“Budi menjual mangga di pasar,” kata ibu.", ""),
        ("kata " * 201 + ".", "too_many_words"),
        ("Hujan turun.", "too_few_words"),
        (f"Luas kota itu {HOLE} dan terus bertambah luas.", "markup"),
        ("Lihat juga https://example.org untuk keterangan lebih lanjut.", "markup"),
        ("Daftar kota besar di Pulau Jawa", "no_end"),
        ("dan kemudian ia pulang ke rumah.", "fragment"),
        ("Budi (adik Rina menjual mangga di pasar.", "unbalanced"),
        ('Ia berkata "saya mau pulang ke rumah.', "unbalanced"),
        ("1 2 3 4 5 6 7 8 9 10 11 kg.", "few_letters"),
    ],
)
def test_each_rule_has_its_reason(text: str, rule: str) -> None:
    assert broken_rule(text, 4, 200) == rule


@pytest.mark.parametrize(
    ("n", "shares", "want"),
    [
        (100, (60, 25, 15), (60, 25, 15)),
        (10, (1, 1, 1), (4, 3, 3)),
        (7, (60, 25, 15), (4, 2, 1)),
        (3, (0, 100, 0), (0, 3, 0)),
    ],
)
def test_shares_are_met_to_the_last_snippet(n: int, shares: tuple[int, ...], want: tuple[int, ...]) -> None:
    names = ("single", "double", "paragraph")
    assert class_quotas(n, dict(zip(names, shares, strict=True))) == dict(zip(names, want, strict=True))


def test_the_same_seed_draws_the_same_whatever_the_order(tmp_path: Path) -> None:
    """At most five of a document, no sentence twice, the shares as asked; every candidate is accounted for."""
    rules = SnippetRules(n=40, seed="s")
    one = draw(written(tmp_path / "a.jsonl", corpus()), rules)
    other = draw(written(tmp_path / "b.jsonl", corpus()[::-1]), rules)
    assert [(each.document.key, each.snippet) for each in one.taken] == [
        (each.document.key, each.snippet) for each in other.taken
    ]
    counts = one.counts()
    assert counts["taken"] == counts["asked"] == {"single": 24, "double": 10, "paragraph": 6}
    by_document: dict[str, list[Any]] = {}
    for each in one.taken:
        by_document.setdefault(each.document.key, []).append(each.snippet)
        assert (each.document.source, each.document.licence) == ("Buku", "CC0-1.0")
        assert each.document.topic in PLACES
    assert max(map(len, by_document.values())) <= 5
    for mine in by_document.values():
        assert not any(a.overlaps(b) for i, a in enumerate(mine) for b in mine[:i])
    used = len(one.taken) + one.of_candidates.total()
    assert (counts["documents"], used) == (40, counts["candidates"])
    assert draw(tmp_path / "a.jsonl", SnippetRules(n=40, seed="other")).taken != one.taken


def test_no_document_gives_a_second_before_each_gave_one(tmp_path: Path) -> None:
    path = written(tmp_path / "a.jsonl", corpus())
    rules = SnippetRules(n=40, single=100, double=0, paragraph=0, seed="s")
    few, many = (draw(path, replace(rules, n=n)).taken for n in (30, 40))
    assert len({taken.document.key for taken in few}) == 30
    # Some documents are nearly the same as others: they give none, and then others a second.
    keys = [taken.document.key for taken in many]
    there = len(set(keys))
    assert len(set(keys[:there])) == there < 40
    assert max(Counter(keys).values()) == 2


def test_of_a_long_document_few_candidates_are_kept(tmp_path: Path) -> None:
    """All are counted."""
    text = " ".join(row["text"].split("\n\n")[0] for row in corpus(12))
    path = written(tmp_path / "a.jsonl", [{"id": "d", "text": text}])
    counts = draw(path, SnippetRules(n=3, single=100, double=0, paragraph=0, per_document=2, seed="s")).counts()
    assert (counts["taken"]["single"], counts["documents_used"]) == (2, 1)
    assert counts["candidates"] == 2 + sum(counts["candidates_left"].values())


def test_what_is_nearly_there_is_not_taken(tmp_path: Path) -> None:
    rules = SnippetRules(n=4, single=100, double=0, paragraph=0, seed="s")
    path = written(tmp_path / "a.jsonl", corpus(1))
    there = ("Seorang pedagang tua dari keluarga ke-0 tinggal di dekat pasar besar ini.",)
    found = draw(path, rules, there)
    assert found.of_candidates["near"] == 1
    assert len(found.taken) == 3
    assert found.counts()["asked"]["single"] == 4


def test_near_texts_share_words_and_nearly_all_characters() -> None:
    texts = NearTexts()
    texts.add("Budi menjual mangga di pasar pagi.")
    assert list(texts.near("Budi menjual mangga di pasar pagi!")) == [0]
    assert list(texts.near("BUDI menjual mangga di pasar pagi.")) == []
    assert list(texts.near("BUDI menjual mangga di pasar pagi.", equal=True)) == [0]
    assert list(texts.near("Budi menjual mangga di Surabaya.")) == []


@pytest.mark.parametrize(
    "changed",
    [
        {"n": 0},
        {"single": 0, "double": 0, "paragraph": 0},
        {"single": 101},
        {"per_document": 0},
        {"least_words": 20, "most_words": 10},
        {"seed": "x" * 101},
        {"seed": "\0"},
    ],
)
def test_rules_that_cannot_be_followed_are_refused(changed: dict[str, Any]) -> None:
    with pytest.raises(FileRefused, match="cannot be followed"):
        SnippetRules(**changed)


# --- files --------------------------------------------------------------------------------

WIKI = """<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/"><siteinfo><sitename>W</sitename></siteinfo>
<page><title>Pasar</title><ns>0</ns><id>7</id><revision><id>99</id><text xml:space="preserve">{{Infobox|a=b}}
'''Pasar''' adalah [[tempat]] bertemunya [[pedagang|para pedagang]] dan pembeli.&lt;ref&gt;Buku.&lt;/ref&gt;
Luasnya {{ubah|5|km}} lebih.&lt;!-- x --&gt;

== Sejarah ==
[[Berkas:Pasar.jpg|jmpl|Pasar di pagi hari.]]
* satu [http://a.example tautan]
{| class="wikitable"
| sel
|}
[[Kategori:Pasar]]</text></revision></page>
<page><title>Pembicaraan:Pasar</title><ns>1</ns><revision><text>Kapan?</text></revision></page>
<page><title>Pekan</title><ns>0</ns><redirect title="Pasar"/><revision><text>x</text></revision></page>
<page><title>Jalan</title><ns>0</ns><revision><text>#ALIH [[Pasar]]</text></revision></page>
<page><title>Apel</title><ns>0</ns><revision><text>Apel {{disambig}}</text></revision></page>
</mediawiki>"""


def test_a_dump_is_read_page_by_page_and_its_wikitext_becomes_text(tmp_path: Path) -> None:
    path = tmp_path / "wiki.xml.bz2"
    path.write_bytes(bz2.compress(WIKI.encode()))
    report = Report()
    (found,) = documents(path, path.name, DocumentDefaults(), report)
    assert (found.key, found.wikitext) == ("Pasar", True)
    assert report.of_documents == {"no_article": 4}
    assert plain_text(found.text).split("\n\n")[0].replace("\n", " ").strip() == (
        f"Pasar adalah tempat bertemunya para pedagang dan pembeli. Luasnya {HOLE} lebih."
    )
    assert all(word not in plain_text(found.text) for word in ("jmpl", "Kategori", "sel", "Buku", "Sejarah"))


def test_half_a_character_is_a_hole() -> None:
    assert plain_text("Satu &#xD800; dua &amp; &#55296;.") == f"Satu {HOLE} dua & {HOLE}."


# Each of them costs the parser the square of its length: hours for a page that may be kept.
HOSTILE = {"attributes": "<b a=", "templates": "{{a|", "references": "<ref "}


@pytest.mark.parametrize("piece", HOSTILE.values(), ids=list(HOSTILE))
def test_a_page_that_takes_too_long_is_skipped_and_the_next_one_read(
    piece: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wikitext_reader, "CPU_SECONDS", 0.2)
    with WikitextReader() as reader:
        with pytest.raises(DocumentSkipped, match="too_slow"):
            reader.plain_text("Pasar", (piece * LONGEST_DOCUMENT)[:LONGEST_DOCUMENT])
        assert reader.plain_text("Pekan", "''Budi'' pulang &amp; \ud800.") == "Budi pulang & \ud800."


def test_a_page_that_needs_too_much_memory_is_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    with WikitextReader() as reader:
        assert reader.plain_text("Pekan", "Budi.") == "Budi."
        child = reader._child
        assert child is not None
        resource.prlimit(child.pid, resource.RLIMIT_AS, (64 << 20, 64 << 20))
        with pytest.raises(DocumentSkipped, match="too_large"):
            reader.plain_text("Pasar", "[[a]]" * (LONGEST_DOCUMENT // 5))
        assert reader.plain_text("Pekan", "Budi.") == "Budi."
        assert reader._child is not child


def test_too_many_slow_pages_end_the_look_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wikitext_reader, "CPU_SECONDS", 0.1)
    monkeypatch.setattr(wikitext_reader, "MOST_SLOW_PAGES", 1)
    page = HOSTILE["attributes"] * 20_000
    with WikitextReader() as reader:
        with pytest.raises(DocumentSkipped):
            reader.plain_text("A", page)
        with pytest.raises(FileRefused, match="More than 1 pages take too long to read, the last one is “B”"):
            reader.plain_text("B", page)


ENTITIES = (
    b'<!DOCTYPE a [<!ENTITY b "' + b"x" * 1000 + b'"><!ENTITY c "' + b"&b;" * 1000 + b'">]>'
    b"<mediawiki><page><text>&c;</text></page></mediawiki>"
)


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("bomb.xml", ENTITIES, "document type or entities"),
        ("outside.xml", b'<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>', "document type"),
        ("deep.xml", b"<a>" * 50, "nested too deeply"),
        ("tag.xml", b'<a b="' + b"x" * (3 << 20), "longer than any dump"),
        ("bomb.xml.gz", gzip.compress(b"<a>" + b" " * (64 << 20), mtime=0), "far more than texts"),
        ("bomb.xml.bz2", bz2.compress(b"<a>" + b" " * (64 << 20)), "far more than texts"),
        ("torn.txt.bz2", bz2.compress(b"Budi pulang. " * 9000)[:-20], "torn or damaged"),
        ("a.zip", b"PK\x03\x04", "no file of documents"),
        ("a.txt", b"PK\x03\x04zip", "This is zip"),
        ("a.txt", b"Caf\xe9 lama.", "not UTF-8"),
        ("a.jsonl", b'{"x": "y"}\n', "No column is taken for the text"),
        ("../../x", b"x", "no file of documents"),
    ],
)
def test_what_must_not_be_read_is_refused_in_words(name: str, data: bytes, words: str, tmp_path: Path) -> None:
    path = tmp_path / "given"
    path.write_bytes(data)
    with pytest.raises(FileRefused, match=words):
        list(documents(path, name, DocumentDefaults(), Report()))


def test_a_torn_dump_gives_the_pages_before_the_tear() -> None:
    found = list(pages(io.BytesIO(WIKI.encode()[:-60]), 1000))
    assert isinstance(found[-1], Problem)
    assert [each.title for each in found if not isinstance(each, Problem)][:2] == [
        "Pasar",
        "Pembicaraan:Pasar",
    ]


def test_a_page_is_never_kept_longer_than_a_document_may_be(tmp_path: Path) -> None:
    path = tmp_path / "long.xml"
    path.write_text(f"<m><page><title>A</title><text>{'kata ' * (LONGEST_DOCUMENT // 4)}</text></page></m>")
    report = Report()
    assert list(documents(path, path.name, DocumentDefaults(), report)) == []
    assert report.of_documents == {"too_long": 1}


@pytest.mark.parametrize(
    ("name", "data", "keys"),
    [
        ("a.txt", "Budi pulang.", ["a.txt"]),
        ("a.csv", "judul,isi,kategori\nPasar,Budi pulang.,desa\n,Rina pergi.,kota\n", ["Pasar", "3"]),
        ("a.json", '[{"doc_id": 5, "content": ["Budi pulang.", "Rina pergi."]}]', ["5"]),
    ],
)
def test_documents_come_in_many_forms(name: str, data: str, keys: list[str], tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(data, encoding="utf-8")
    assert [each.key for each in documents(path, name, DocumentDefaults(), Report())] == keys


@needs_data
def test_sentences_of_published_premises_are_counted_as_published() -> None:
    """IndoNLI's expert premises: 241 of 254 have the published size (pysbd 236, nupunkt 239)."""
    sizes = {"single": "single", "double": "double", "multiple": "paragraph"}
    rows = {}
    for line in (DATA / "indonli/expert_replay.jsonl").read_text(encoding="utf-8").split("\n"):
        if line:
            row = json.loads(line)
            rows[row["premise_id"]] = row
    right = sum(sentence_class(row["premise"], "id") == sizes[row["sentence_size"]] for row in rows.values())
    assert (right, len(rows)) == (241, 254)
