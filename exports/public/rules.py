"""How a release is cited: BibTeX, CITATION.cff, and DataCite's metadata, ready to be deposited for a DOI. Pure.

DataCite JSON as of schema 4.5, Citation File Format 1.2.0.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import orjson

from exports.releases.rules.markdown import as_yaml

LONGEST_LINE, MOST_CREATORS = 300, 100
LONGEST_REPORT, LONGEST_ITEM, MOST_LINKS = 2000, 200, 2
_ORCID = re.compile(r"(?:https?://orcid\.org/)?(\d{4}-\d{4}-\d{4}-\d{3}[\dX])")
DOI = re.compile(r"10\.\d{4,9}/\S+")
_TEX_ESCAPES = {
    **{mark: f"\\{mark}" for mark in "&%$#_{}"},
    **{"~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}"},
}
_LINK = re.compile(r"https?://|www\.", re.IGNORECASE)


class Creator(NamedTuple):
    """Who made the data set: a person ("Family, Given") or a group, their ORCID and affiliation where known."""

    name: str
    orcid: str = ""
    affiliation: str = ""

    @property
    def family(self) -> str:
        """The family name of a person, empty for a group."""
        return self.name.partition(",")[0].strip() if "," in self.name else ""

    @property
    def given(self) -> str:
        """The given name of a person."""
        return self.name.partition(",")[2].strip()


def parse_creators(text: str) -> list[Creator]:
    """One a line: `Family, Given; ORCID; affiliation`. Raises ValueError with the number of a line that is none."""
    found = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        name, *rest = (part.strip() for part in line.split(";"))
        orcid = next((match[1] for part in rest if (match := _ORCID.fullmatch(part))), "")
        other = [part for part in rest if part and not _ORCID.fullmatch(part)]
        if not name or len(line) > LONGEST_LINE or len(other) > 1 or (orcid and not _is_valid_orcid(orcid)):
            raise ValueError(number)
        found.append(Creator(name, orcid, other[0] if other else ""))
    if not 0 < len(found) <= MOST_CREATORS:
        raise ValueError(len(found) + 1)
    return found


def _is_valid_orcid(orcid: str) -> bool:
    """Whether an ORCID's last character is right (ISO 7064 11,2)."""
    total = 0
    for digit in orcid.replace("-", "")[:-1]:
        total = (total + int(digit)) * 2
    return "0123456789X"[(12 - total % 11) % 11] == orcid[-1]


def creators_text(creators: Sequence[Creator]) -> str:
    """The lines that were typed."""
    return "\n".join("; ".join(filter(None, each)) for each in creators)


@dataclass(frozen=True)
class Citation:
    """All that a citation says of a release; `files` (bytes, ending) of its files.

    `url` is its public page; `replaced_by` and `replaces` are those of other versions.
    """

    title: str
    creators: Sequence[Creator]
    publisher: str
    year: int
    version: str
    url: str
    language: str = ""
    licence: str = ""
    description: str = ""
    keywords: Sequence[str] = ()
    doi: str = ""
    rows: int = 0
    bytes: int = 0
    formats: Sequence[str] = field(default_factory=tuple)
    replaced_by: str = ""
    replaces: str = ""
    signing_key: str = ""
    manifest_sha256: str = ""


def bibtex(cited: Citation) -> str:
    """The entry for a bibliography."""
    first = cited.creators[0].family or cited.creators[0].name
    plain = unicodedata.normalize("NFKD", first).encode("ascii", "ignore").decode()
    word = re.sub(r"[^a-z0-9]", "", next(iter(cited.title.lower().split()), ""))
    key = re.sub(r"[^a-z0-9]", "", plain.lower()) + str(cited.year) + word
    # Braces keep the name of a group in one piece.
    names = [_tex(each.name) if each.family else f"{{{_tex(each.name)}}}" for each in cited.creators]
    fields = {
        "title": f"{{{_tex(cited.title)}}}",
        "author": " and ".join(names),
        "year": str(cited.year),
        "publisher": _tex(cited.publisher),
        "version": _tex(cited.version),
        "url": cited.url,
        "doi": cited.doi,
    }
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
    return "\n".join([f"@misc{{{key or 'dataset'},", *lines, "}"]) + "\n"


def _tex(text: str) -> str:
    return "".join(_TEX_ESCAPES.get(mark, mark) for mark in " ".join(text.split()))


def cff(cited: Citation) -> str:
    """CITATION.cff, which hosts of repositories read."""
    told: dict[str, Any] = {
        "cff-version": "1.2.0",
        "message": "If you use this data set, please cite it as below.",
        "type": "dataset",
        "title": cited.title,
        "version": cited.version,
        "authors": [_cff_author(each) for each in cited.creators],
        "url": cited.url,
    }
    told |= {"doi": cited.doi} if cited.doi else {}
    told |= {"license": cited.licence} if _spdx(cited.licence) else {}
    told |= {"abstract": cited.description} if cited.description else {}
    told |= {"keywords": list(cited.keywords)} if cited.keywords else {}
    return "".join(f"{name}: {as_yaml(orjson.dumps(value).decode())}\n" for name, value in told.items())


def _cff_author(each: Creator) -> dict[str, str]:
    named = {"family-names": each.family, "given-names": each.given} if each.family else {"name": each.name}
    more = {"orcid": f"https://orcid.org/{each.orcid}" if each.orcid else "", "affiliation": each.affiliation}
    return {name: value for name, value in {**named, **more}.items() if value}


def _spdx(licence: str) -> bool:
    """Whether a licence is named as SPDX does: one word of its own marks, with a version."""
    return bool(re.fullmatch(r"[A-Za-z][A-Za-z0-9.+-]*[0-9][A-Za-z0-9.+-]*|MIT|ISC|Unlicense", licence))


def datacite(cited: Citation) -> dict[str, Any]:
    """DataCite's metadata: what a repository deposits for a DOI; without one the repository gives it."""
    told: dict[str, Any] = {
        "creators": [_datacite_creator(each) for each in cited.creators],
        "titles": [{"title": cited.title}],
        "publisher": {"name": cited.publisher},
        "publicationYear": str(cited.year),
        "types": {"resourceType": "Annotated text corpus", "resourceTypeGeneral": "Dataset"},
        "version": cited.version,
        "url": cited.url,
        "schemaVersion": "http://datacite.org/schema/kernel-4",
    }
    told |= {"doi": cited.doi} if cited.doi else {}
    if cited.manifest_sha256:
        anchor = {"alternateIdentifier": cited.manifest_sha256, "alternateIdentifierType": "SHA-256 of manifest.json"}
        told["alternateIdentifiers"] = [anchor]
    told |= {"language": cited.language} if cited.language else {}
    told |= {"sizes": [f"{cited.rows} rows", f"{cited.bytes} bytes"]} if cited.rows else {}
    told |= {"formats": sorted(set(cited.formats))} if cited.formats else {}
    told |= {"subjects": [{"subject": each} for each in dict.fromkeys(cited.keywords)]} if cited.keywords else {}
    if cited.licence:
        spdx = {"rightsIdentifier": cited.licence, "rightsIdentifierScheme": "SPDX"} if _spdx(cited.licence) else {}
        told["rightsList"] = [{"rights": cited.licence, **spdx}]
    related = [("IsObsoletedBy", cited.replaced_by), ("Obsoletes", cited.replaces)]
    if links := [(relation, url) for relation, url in related if url]:
        told["relatedIdentifiers"] = [
            {"relationType": relation, "relatedIdentifier": url, "relatedIdentifierType": "URL"}
            for relation, url in links
        ]
    if cited.description:
        told["descriptions"] = [{"description": cited.description, "descriptionType": "Abstract"}]
    return told


def _datacite_creator(each: Creator) -> dict[str, Any]:
    told: dict[str, Any] = {"name": each.name, "nameType": "Personal" if each.family else "Organizational"}
    if each.family:
        told |= {"givenName": each.given, "familyName": each.family}
    if each.orcid:
        identifier = {"nameIdentifier": f"https://orcid.org/{each.orcid}", "nameIdentifierScheme": "ORCID"}
        told["nameIdentifiers"] = [{**identifier, "schemeUri": "https://orcid.org"}]
    if each.affiliation:
        told["affiliation"] = [{"name": each.affiliation}]
    return told


def too_many_links(text: str) -> bool:
    """Whether a report holds more links than one about an error needs."""
    return len(_LINK.findall(text)) > MOST_LINKS


def parse_keywords(text: str) -> list[str]:
    """Keywords with commas between."""
    return list(dict.fromkeys(filter(None, (" ".join(each.split()) for each in text.split(",")))))


def split_figures(counts: Mapping[str, Any]) -> tuple[list[str], list[tuple[str, int, list[int | None]]]]:
    """The rows of a project by split and label, as its manifest counts them: the labels, then name, rows, by label.

    None where the manifest does not tell a split's labels, as of hidden answers.
    """
    splits = counts.get("splits") or {}
    labels = list(dict.fromkeys(label for split in splits.values() for label in split.get("labels", {})))
    known = ("train", "dev", "test")
    names = [*(name for name in known if name in splits), *sorted(set(splits) - set(known))]
    return labels, [
        (
            name,
            splits[name]["rows"],
            [told.get(label, 0) if told or not splits[name]["rows"] else None for label in labels],
        )
        for name in names
        for told in [splits[name].get("labels", {})]
    ]
