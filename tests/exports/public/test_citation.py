"""How a release is cited: creators as typed, BibTeX, CITATION.cff, DataCite's metadata against its own schema."""

from dataclasses import replace

import pytest
import yaml
from datacite import schema45

from exports.public.rules import (
    Citation,
    Creator,
    bibtex,
    cff,
    creators_text,
    datacite,
    parse_creators,
    parse_keywords,
    split_figures,
    too_many_links,
)

WHOLE = Citation(
    title="Pasar & {Sawah}: 100 % Bahasa_Sunda",
    creators=[Creator("Sartika, Ayu", "0000-0002-1825-0097", "Universitas Contoh"), Creator("Tim Mufakat")],
    publisher="Lembaga Contoh",
    year=2026,
    version="3",
    url="https://example.org/data/pasar/3/",
    language="su",
    licence="CC-BY-4.0",
    description='Pasangan kalimat: "entailment" # dan lainnya\nbaris dua',
    keywords=["nli", "bahasa Sunda"],
    doi="10.5281/zenodo.1",
    rows=10,
    bytes=2000,
    formats=["application/x-ndjson", "text/markdown", "application/x-ndjson"],
    manifest_sha256="0" * 64,
)
LEAST = Citation("Set", [Creator("Tim")], "Tim", 2026, "1", "https://example.org/data/a/1/")


@pytest.mark.parametrize("cited", [WHOLE, LEAST, replace(WHOLE, doi="", licence="our own words")])
def test_datacite_fits_its_schema(cited: Citation) -> None:
    told = datacite(cited)
    schema45.validator.validate(told)
    assert ("doi" in told) == bool(cited.doi)
    broken = {name: value for name, value in told.items() if name != "titles"}
    assert not schema45.validator.is_valid(broken)


@pytest.mark.parametrize("cited", [WHOLE, LEAST])
def test_citation_cff_is_yaml_with_what_it_needs(cited: Citation) -> None:
    told = yaml.safe_load(cff(cited))
    assert (told["cff-version"], told["type"], told["title"]) == ("1.2.0", "dataset", cited.title)
    assert len(told["authors"]) == len(cited.creators)
    assert told.get("abstract", "") == cited.description
    if cited is WHOLE:
        person = {"family-names": "Sartika", "given-names": "Ayu", "affiliation": "Universitas Contoh"}
        assert told["authors"][0] == {**person, "orcid": "https://orcid.org/0000-0002-1825-0097"}
        assert told["authors"][1] == {"name": "Tim Mufakat"}


def test_bibtex_escapes_what_tex_would_obey() -> None:
    told = bibtex(WHOLE)
    assert told.startswith("@misc{sartika2026pasar,\n")
    assert r"title = {{Pasar \& \{Sawah\}: 100 \% Bahasa\_Sunda}}" in told
    assert "author = {Sartika, Ayu and {Tim Mufakat}}" in told
    assert told.count("{") - told.count(r"\{") == told.count("}") - told.count(r"\}")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "Sartika, Ayu; 0000-0002-1825-0097; Universitas",
            [Creator("Sartika, Ayu", "0000-0002-1825-0097", "Universitas")],
        ),
        (
            "\nTim\n  Budi ; https://orcid.org/0000-0002-1825-0097\n",
            [Creator("Tim"), Creator("Budi", "0000-0002-1825-0097")],
        ),
    ],
)
def test_creators_are_read_as_they_are_typed(text: str, found: list[Creator]) -> None:
    assert parse_creators(text) == found
    assert parse_creators(creators_text(found)) == found


@pytest.mark.parametrize(
    ("text", "line"),
    [("", 1), ("A\n; x", 2), ("A; 0000-0002-1825-0098", 1), ("A; b; c", 1), ("A\n" * 101, 102)],
)
def test_a_line_that_names_nobody_is_told_by_its_number(text: str, line: int) -> None:
    with pytest.raises(ValueError, match=f"^{line}$"):
        parse_creators(text)


def test_small_rules() -> None:
    assert parse_keywords(" nli,  su nda ,nli,") == ["nli", "su nda"]
    assert too_many_links("see https://a www.b http://c")
    assert not too_many_links("see https://a www.b")
    counts = {"splits": {"test": {"rows": 2, "labels": {"e": 2}}, "train": {"rows": 1, "labels": {"n": 1}}}}
    assert split_figures(counts) == (["e", "n"], [("train", 1, [0, 1]), ("test", 2, [2, 0])])
    counts["splits"]["test"]["labels"] = {}  # hidden: unknown, not zero
    assert split_figures(counts) == (["n"], [("train", 1, [1]), ("test", 2, [None])])
