"""The concept in a question: as it stands, in another form, or not there; tables, wild text, published questions."""

import json
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.core.rules import draws
from annotation.text import languages
from annotation.text.affixes import (
    LONGEST_WORD,
    MOST_CHANGED,
    Presence,
    bases,
    presence,
    same_base,
)
from tests.data import DATA, needs_data

STANDS, OTHER_FORM, MISSING = Presence.STANDS, Presence.OTHER_FORM, Presence.MISSING
PUBLISHED = DATA / "idcsqa" / "human_gen_ind.json"
WORDS = st.text(st.sampled_from("aeiounkgbdlmprst-é"), max_size=50)
WILD = st.text(st.characters() | st.sampled_from("aeinkgt -é\u200b\ud800市ก"), max_size=60)
CODES = st.sampled_from(["id", "su", "jv", "en", "xx", ""])

INDONESIAN = [
    # the forms that the guideline names (id-csqa Appendix D)
    *(("berkunjung", form) for form in ("kunjungan", "mengunjungi", "dikunjungi")),
    # meN- and peN- by the letter that they meet
    *(("tulis", form) for form in ("menulis", "penulis", "tulisan", "ditulisnya", "tertulislah")),
    *(("pukul", form) for form in ("memukul", "pemukul", "pukulan", "kupukul")),
    *(("sapu", form) for form in ("menyapu", "penyapu", "nyapu")),
    *(("kirim", form) for form in ("mengirim", "pengiriman", "terkirim", "kaukirim")),
    *(("ambil", form) for form in ("mengambil", "pengambil", "diambilkan", "ngambil")),
    *(("baca", form) for form in ("membaca", "pembaca", "bacaan", "bacakan")),
    *(("cuci", form) for form in ("mencuci", "pencuci", "cucian")),
    *(("lari", form) for form in ("melarikan", "pelari", "berlari", "berlari-lari")),
    *(("cat", form) for form in ("mengecat", "dicat")),
    # the others
    *(("ajar", form) for form in ("belajar", "pelajar", "mengajar", "mempelajari", "pelajaran", "pengajaran")),
    *(("kerja", form) for form in ("bekerja", "pekerja", "pekerjaan", "mempekerjakan", "dikerjakan")),
    *(("renang", form) for form in ("berenang", "perenang")),
    *(("rasa", form) for form in ("terasa", "perasaan", "merasakan")),
    *(("adil", form) for form in ("keadilan", "pengadilan", "seadil-adilnya")),
    *(("tahu", form) for form in ("mengetahui", "ketahui", "pengetahuan")),
    *(("muka", form) for form in ("dikemukakan", "bermuka")),
    *(("eksotis", form) for form in ("eksotisme",)),
    *(("deklarasi", form) for form in ("mendeklarasikan", "dideklarasikannya")),
    *(("daun", form) for form in ("dedaunan", "daun-daunan", "daun-daunnya")),
    ("toleransi", "intoleransi"),
    ("sayur", "sayur-mayur"),
    ("kos", "kos-kosan"),
]
SUNDANESE = [
    *(("budak", form) for form in ("barudak", "budakna")),
    *(("cokot", form) for form in ("nyokot", "dicokot", "nyarokot", "nyokotan")),
    *(("dahar", form) for form in ("ngadahar", "dahareun", "kadaharan", "ngadaharna")),
    *(("tulis", form) for form in ("nulis", "panulis", "tulisan", "ditulisna")),
    *(("kirim", form) for form in ("ngirim", "pangirim", "kiriman", "dikirimkeun")),
    *(("baca", form) for form in ("maca", "pamaca", "bacaan", "macakeun")),
    *(("pacul", form) for form in ("macul", "pamacul")),
    *(("sapu", form) for form in ("nyapu", "sasapu")),
    *(("ulin", form) for form in ("ngulinkeun", "kaulinan", "arulin")),
    *(("geulis", form) for form in ("gareulis", "panggeulisna", "kageulisan")),
    *(("leutik", form) for form in ("laleutik", "pangleutikna")),
    *(("guruh", form) for form in ("gumuruh",)),
    *(("tangtu", form) for form in ("tinangtu",)),
    *(("tangkal", form) for form in ("tatangkalan", "tangkal-tangkalan")),
    *(("gunung", form) for form in ("gugunungan", "pagunungan")),
    *(("gedé", form) for form in ("panggedena", "ngagedean")),
    *(("poé", form) for form in ("sapoéna", "poe-poena")),
]
NOT_RELATED = [
    ("id", "perang", "serang"),
    ("id", "makan", "makar"),
    ("id", "bulan", "hilal"),
    ("id", "pasar", "besar"),
    ("id", "mati", "meninggal"),
    ("id", "ikan", "ik"),
    ("su", "budak", "badak"),
    ("su", "urang", "kurang"),
    ("jv", "tulis", "nulis"),
    ("xx", "walk", "walked"),
]


@pytest.mark.parametrize(
    ("code", "word", "form"),
    [("id", *pair) for pair in INDONESIAN] + [("su", *pair) for pair in SUNDANESE],
)
def test_forms_of_one_base(code, word, form):
    word, form = (languages.get(code).fold(each) for each in (word, form))
    assert same_base(word, form, code)
    # A part of what is said twice stands there as it is.
    assert presence(word, f"Apa {form} itu?", code) == (STANDS if word in form.split("-") else OTHER_FORM)
    assert presence(form, f"Apa {word.upper()} itu?", code) == OTHER_FORM


@pytest.mark.parametrize(("code", "one", "other"), NOT_RELATED)
def test_words_that_are_not_forms_of_each_other(code, one, other):
    assert not same_base(one, other, code)
    assert presence(one, f"Apa {other} itu?", code) == MISSING


@pytest.mark.parametrize(
    ("code", "concept", "text", "expected"),
    [
        # in any order and with others between; function words do not count
        ("id", "main catur", "Catur biasa kita main di mana?", STANDS),
        ("id", "main catur", "Di mana orang bermain catur?", OTHER_FORM),
        ("id", "main catur", "Di mana orang bermain kartu?", MISSING),
        ("id", "makan tidak habis", "Mengapa makanannya harus dihabiskan?", OTHER_FORM),
        ("id", "duduk di depan pintu", "Mengapa tidak boleh duduk depan pintu?", STANDS),
        # case, marks and forms of letters
        ("id", "Nasi Goreng", "Siapa menjual (nasi) GORENG?", STANDS),
        ("su", "poé", "Naon nu aya dina poe éta?", STANDS),
        ("su", "poe\u0301", "Naon nu aya dina poé éta?", STANDS),
        # said twice: a part of it is the concept, not the other way round where it is a function word
        ("id", "anak", "Apa yang anak-anak suka?", STANDS),
        ("id", "oleh-oleh", "Apa oleh-oleh dari Bandung?", STANDS),
        ("id", "oleh-oleh", "Apa yang dibeli oleh ibu?", MISSING),
        ("id", "kupu-kupu", "Apa warna kupu itu?", OTHER_FORM),
        # one word or two
        ("id", "air fryer", "Apa yang dimasak dengan airfryer?", OTHER_FORM),
        ("id", "olahraga", "Apa olah raga di sekolah?", OTHER_FORM),
        ("id", "tanggung jawab", "Siapa yang bertanggungjawab di sini?", OTHER_FORM),
        ("id", "pesawat terbang", "Apa pesawat itu?", MISSING),
        # nothing but function words: then they count
        ("id", "yang lain", "Apa yang lain?", STANDS),
        ("id", "yang lain", "Apa ini?", MISSING),
        # a language without affixes compares as it stands
        ("en", "market", "Who goes to a Market?", STANDS),
        ("en", "market", "Who goes to markets?", MISSING),
        ("en", "ice cream", "Who sells ice-cream?", STANDS),
        # scripts without blanks
        ("zh", "市场", "人们在市场上买什么？", STANDS),
        ("zh", "市场", "人们在哪里买菜？", MISSING),
        ("th", "ตลาด", "คนไปตลาดทำไม", STANDS),
        # nothing to look for, nothing to look at
        ("id", "", "Apa ini?", STANDS),
        ("id", "…", "Apa ini?", STANDS),
        ("id", "pasar", "", MISSING),
    ],
)
def test_how_a_text_contains_a_concept(code, concept, text, expected):
    assert presence(concept, text, code) == expected


def test_affixes_are_looked_for_in_words_only():
    long = "ber" + "a" * LONGEST_WORD
    assert bases(long, "id") == {long}
    assert bases("makan", "xx") == {"makan"}
    many = " ".join(f"kata{chr(97 + n)}" for n in range(MOST_CHANGED + 1))
    changed = " ".join(f"{word}nya" for word in many.split())
    assert presence(many, many, "id") == STANDS
    assert presence(many, changed, "id") == MISSING
    assert presence(many.rpartition(" ")[0], changed, "id") == OTHER_FORM


@given(WORDS, WORDS, CODES)
def test_being_forms_of_one_base_has_no_direction(one, other, code):
    assert same_base(one, other, code) == same_base(other, one, code)
    assert same_base(one, one, code)
    assert one in bases(one, code)


@given(WILD, WILD, CODES)
def test_never_raises_and_what_is_the_text_is_in_the_text(concept, text, code):
    assert presence(concept, text, code) in Presence
    assert presence(concept, concept, code) == STANDS
    assert presence(concept, f"{text} {concept} {text}", code) == STANDS


@given(st.permutations(["siapa", "yang", "menjual", "nasi", "di", "pasar", "malam"]))
def test_the_order_of_the_words_does_not_matter(order):
    assert presence("pasar malam", " ".join(order), "id") == STANDS
    assert presence("jual nasi", " ".join(order), "id") == OTHER_FORM


def _published():
    return json.loads(PUBLISHED.read_text(encoding="utf-8"))


@needs_data
@pytest.mark.data
def test_published_questions_contain_their_concept():
    """Of the 1,498 published questions 1,336 hold the concept as it stands, 149 in another form, 13 not at all.

    All 13 were read: nine have a synonym or nothing (the moon by its Arabic name), four a spelling that differs.
    """
    found = Counter(presence(row["question_concept"], row["question"], "id") for row in _published())
    assert found == {STANDS: 1336, OTHER_FORM: 149, MISSING: 13}
    bare = Counter(presence(row["question_concept"], row["question"], "xx") for row in _published())
    assert bare == {STANDS: 1336, MISSING: 162}


@needs_data
@pytest.mark.data
@pytest.mark.parametrize(("seed", "stands", "other"), [("1", 5, 3), ("2", 6, 0), ("3", 4, 1)])
def test_concepts_dealt_out_anew_are_missing(seed, stands, other):
    """A question that is given another's concept by a seeded draw is accepted 5 to 8 times in 1,498, rightly."""
    rows = _published()
    concepts = {row["id"]: row["question_concept"] for row in rows}
    dealt = draws.order(seed, "deal", concepts)
    found = Counter(
        presence(concepts[other_id], row["question"], "id") for row, other_id in zip(rows, dealt, strict=True)
    )
    assert (found[STANDS], found[OTHER_FORM]) == (stands, other)
