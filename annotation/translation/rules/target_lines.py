"""Targets of a translation as a lead types them, one a line: `code`, or `code, register` (LoraxBench: 22 of them).

What a target is called in addresses and files follows from both, and is for good. Which register of a language is the
formal one is told by the names that they are known by: Javanese ngoko and krama, Sundanese loma and lemes, Madurese
enja'iya and engghi-ethen (LoraxBench §3.2), Balinese kasar and alus; and the plain words.
"""

import re
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from hashlib import sha256

from annotation.text.gettext import gettext_noop as _
from annotation.text.language_codes import language_of
from annotation.text.normalise import storage_problem

LONGEST_KEY = 40
LONGEST_NAME = 80
MOST_TARGETS = 200


@dataclass(frozen=True)
class TargetLine:
    """One target: the language's tag and name, the register (empty for none), and its key."""

    language: str
    name: str
    register: str
    key: str


@dataclass(frozen=True)
class LineFault:
    """A line that names no target: its number (from 1), what stands there, and the reason (English, translatable)."""

    line: int
    text: str
    reason: str


def parse(text: str, taken: Collection[str] = (), source: str = "") -> tuple[list[TargetLine], list[LineFault]]:
    """Read the lines: the targets, and every line that is none.

    `taken` are keys that the project has already, `source` is the language that is translated from: a register of it
    can be a target, the language itself cannot. A name in place of a code is understood where it is a language's own
    in ISO 639-3; a third part is the name of a language that has no code there.
    """
    targets, faults, keys = list[TargetLine](), list[LineFault](), set(taken)
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        language, register, name = ([part.strip() for part in line.split(",", 2)] + ["", ""])[:3]
        target = read_target(language, register, name)
        reason = target if isinstance(target, str) else _refusal_reason(target, keys, source, len(targets))
        if isinstance(target, str) or reason:
            faults.append(LineFault(number, line.strip()[:120], reason))
            continue
        targets.append(target)
        keys.add(target.key)
    return targets, faults


def read_target(language: str, register: str = "", name: str = "") -> TargetLine | str:
    """One target, or the reason (English, translatable) why it is none."""
    if max(len(register), len(name)) > LONGEST_NAME or storage_problem(register + name):
        return _("a register or a name has at most 80 characters")
    known = None if storage_problem(language) else language_of(language)
    if known is None:
        return _(
            "this is no language code of ISO 639-3: look it up at iso639-3.sil.org (jv, mad, iba …); a language "
            "without a code takes one of qaa to qtz, with its name as the third part"
        )
    called = name or known.name
    if not called:
        return _("a language without a code needs its name, as the third part of the line")
    return TargetLine(known.code, called[:LONGEST_NAME], register, target_key(known.code, register))


def _refusal_reason(target: TargetLine, keys: Collection[str], source: str, there: int) -> str:
    """Say why a target is not taken beside the others; empty where it is."""
    if target.key in keys:
        return _("there is such a target already")
    if not target.register and target.language == source:
        return _("this is the language that is translated from; only a register of it can be a target")
    if there == MOST_TARGETS:
        return _("there are more than 200 lines")
    return ""


def target_key(language: str, register: str) -> str:
    """How files and addresses call a target: `jv-ngoko`; a register in other letters than a to z by a drawn name."""
    letters = "".join(c for c in unicodedata.normalize("NFKD", register) if not unicodedata.combining(c))
    plain = re.sub(r"[^a-z0-9]+", "-", letters.casefold()).strip("-")
    if register.strip() and not plain:
        plain = "r" + sha256(register.strip().encode("utf-8", "surrogatepass")).hexdigest()[:6]
    return "-".join(part for part in (language.lower(), plain) if part)[:LONGEST_KEY].rstrip("-")


_FORMAL = "formal resmi krama kromo krama-inggil krama-alus lemes alus halus engghi-ethen engghi-bhunten"
_CASUAL = "informal casual santai ngoko loma kasar akrab enja-iya enje-iye sehari-hari"
FORMAL, CASUAL = frozenset(_FORMAL.split()), frozenset(_CASUAL.split())


def formal_first(registers: Sequence[str]) -> tuple[int, int]:
    """The places of the formal and the casual one among two or more registers.

    One that is known to be formal and one that is known to be casual, or else no register at all, come first; where
    the names say nothing it is the first two as they stand.
    """
    keys = [target_key("", register) for register in registers]
    places = range(len(keys))
    formal = next((n for n in places if keys[n] in FORMAL), None)
    casual = next((n for n in places if keys[n] in CASUAL), None)
    if casual is None:
        casual = next((n for n in places if n != formal and not keys[n]), None)
    if formal is None:
        formal = next(n for n in places if n != casual)
    if casual is None:
        casual = next(n for n in places if n != formal)
    return formal, casual
