"""English forms of one word, and whether a concept is something that one does (id-csqa §4.1).

The questions that are adapted are English ones. Languages without tenses say “passed” and “passing” with one word, so
choices that differ in their tense only would be equal afterwards; and a concept that is a verb is asked about in other
words than a thing. Both are told by rules and short lists, without a tagger.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from annotation.text.languages import get
from annotation.text.languages.base import listed
from annotation.text.normalise import key_form

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_VOWEL = re.compile("[aeiouy]")
SHORTEST_STEM = 2
# One verb a line: its base form, and the forms that no rule makes of it.
_IRREGULAR = """
be am is are was were been being / become became / begin began begun / bend bent / bite bit bitten / bleed
bled / blow blew blown / break broke broken / bring brought / build built / burn burnt / buy bought / catch
caught / choose chose chosen / come came / creep crept / deal dealt / dig dug / do did done does / draw drew
drawn / dream dreamt / drink drank drunk / drive drove driven / eat ate eaten / fall fell fallen / feed fed
/ feel felt / fight fought / find found / flee fled / fly flew flown flies / forget forgot forgotten /
forgive forgave forgiven / freeze froze frozen / get got gotten / give gave given / go went gone goes / grow
grew grown / hang hung / have had has / hear heard / hide hid hidden / hold held / keep kept / kneel knelt /
know knew known / lay laid / lead led / learn learnt / leave left / lend lent / lie lay lain lying / light
lit / lose lost / make made / mean meant / meet met / pay paid / ride rode ridden / ring rang rung / rise
rose risen / run ran / say said / see saw seen / seek sought / sell sold / send sent / sew sewn / shake
shook shaken / shine shone / shoot shot / show shown / shrink shrank shrunk / sing sang sung / sink sank
sunk / sit sat / sleep slept / slide slid / speak spoke spoken / spend spent / spin spun / stand stood /
steal stole stolen / stick stuck / sting stung / strike struck stricken / swear swore sworn / sweep swept /
swim swam swum / swing swung / take took taken / teach taught / tear tore torn / tell told / think thought /
throw threw thrown / understand understood / wake woke woken / wear wore worn / weave wove woven / weep wept
/ win won / wind wound / write wrote written / die dying dies died / tie tying ties tied
"""
# Verbs that a concept or choice begins with (`eat dinner`); said alone they are verbs too.
_VERBS = listed(
    """
    accept achieve act admit agree analyse analyze answer apologize appear apply argue arrive ask attend avoid
    bake bathe be become begin believe borrow breathe bring build burn buy calculate carry celebrate change
    chat chew choose clean climb close collect come communicate compete complain compute cook count create cry
    cut dance decide deliver destroy die dig discover dive do dream drink drive eat enjoy enlist enter examine
    exercise expand explain fall feed feel fight find finish fish fix fly follow forget forgive freeze get
    give go grow have hear help hide hike hold hunt imagine improve join jog judge jump keep kill kiss knit
    know laugh lay learn leave lend lie lift listen live lose love make marry meet memorize move obey obtain
    open paint pay perform plan play pray prepare procreate propose punish push put read receive recognize
    relax remember repair reply reproduce return ride run sail save say see seek sell send sew shop sing sit
    skate ski sleep smile smoke sneeze socialise socialize speak spend stand start stay steal stop study surf
    swim take talk teach tell think throw touch travel type understand use visit vote wait wake walk wash
    watch wear weep win work worry write
    """
)
# Those of them that alone are things (a drink), and those that stand in the names of things (fish tank).
_ALONE_THINGS = listed(
    """
    answer change chat count cry cut dance die dream drink exercise fall fight finish fish fix help hike hold hunt
    judge jump kiss knit laugh lie lift look love move paint pay plan play propose push reply return ride run sail save
    shop sink ski sleep smile smoke sneeze stand start stay stop study surf talk taste think throw touch travel type
    visit vote wait walk wash watch wave win work worry
    """
)
_IN_THINGS = listed(
    "answer count dance dream exercise fight fish judge light paint play shop ski smoke type watch work"
)
# Words in -ing that are things.
_THINGS = listed(
    """
    being building ceiling clothing darling duckling dumpling earring evening everything icing inning king lightning
    lining living meaning morning nothing offspring painting pudding railing ring roofing sibling something spring
    sterling sting string swing thing topping wedding wing anything bling bring ding fling ping sing sling
    """
)


def _irregular() -> dict[str, str]:
    verbs = (line.split() for line in _IRREGULAR.replace("\n", " ").split("/"))
    return {form: verb[0] for verb in verbs for form in verb}


_BASES = _irregular()


def is_verb(concept: str) -> bool:
    """Whether a concept is something that one does: it begins with a verb, with `to`, or with a word in -ing.

    A word in -ing that is a thing (string, wedding) is none, nor is a verb that alone is a thing (a drink), or stands
    in the name of one (fish tank, but: fish for trout).
    """
    found = _WORD.findall(key_form(concept, casefold=True))
    if found[:1] == ["to"] and len(found) > 1:
        return True
    first = found[0] if found else ""
    if first.endswith("ing") and len(first) > len("king"):
        return first not in _THINGS
    if first not in _VERBS:
        return False
    if len(found) == 1:
        return first not in _ALONE_THINGS
    return first not in _IN_THINGS or found[1] in get("en").stopwords


@lru_cache(maxsize=16_384)
def bases(word: str) -> frozenset[str]:
    """Everything that an English word (in lower case) may be a form of, itself included."""
    known = _BASES.get(word)
    return frozenset({word, known} if known else {word, *_undone(word)})


def _undone(word: str) -> Iterator[str]:
    """What is left without an ending: passed and passing, stopped, cried, makes, making."""
    for ending, instead in (("ies", "y"), ("ied", "y"), ("es", ""), ("s", ""), ("ed", ""), ("ing", "")):
        stem = word.removesuffix(ending)
        if stem == word or len(stem) < SHORTEST_STEM or not _VOWEL.search(stem + instead):
            continue
        if ending == "s" and stem.endswith("s"):
            continue
        yield stem + instead
        if ending in ("ed", "ing"):
            yield stem + "e"
            if len(stem) > SHORTEST_STEM and stem[-1] == stem[-2]:
                yield stem[:-1]


def same_but_for_tense(left: str, right: str) -> bool:
    """Whether two English texts are, word for word, forms of the same words."""
    one, other = (_WORD.findall(key_form(text, casefold=True)) for text in (left, right))
    return (
        bool(one)
        and len(one) == len(other)
        and all(bases(mine) & bases(theirs) for mine, theirs in zip(one, other, strict=True))
    )
