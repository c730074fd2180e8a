"""The fifteen phenomenon tags that expert writers put on a pair (IndoNLI Appendix F).

A tag names what a reader has to master to reach the label. The tags and what they cover are the
paper's; definitions and examples are our own.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal


def gettext_noop(text: str) -> str:
    """Mark a text for translation; templates translate it."""
    return text


@dataclass(frozen=True, slots=True)
class Phenomenon:
    """One tag: its code, name and definition, and an Indonesian pair with its label (e, n, c).

    The examples are in the language of the data; ``premise_gloss`` and ``hypothesis_gloss`` say
    them in English.
    """

    code: str
    name: str
    definition: str
    example_premise: str
    example_hypothesis: str
    example_label: Literal["e", "n", "c"]
    premise_gloss: str
    hypothesis_gloss: str


ALIASES = {"SEMLEX": "LEXSEM"}

PHENOMENA: tuple[Phenomenon, ...] = (
    Phenomenon(
        "MORPH",
        gettext_noop("Word formation"),
        gettext_noop(
            "A word comes back in another form of the same base, often in another word class: "
            "a verb made into a noun, a noun into a verb."
        ),
        "Pemilik warung itu menaikkan harga kopi mulai Senin.",
        "Kenaikan harga kopi di warung itu berlaku mulai Senin.",
        "e",
        "The stall's owner raises the price of coffee from Monday.",
        "The rise in the stall's coffee price takes effect on Monday.",
    ),
    Phenomenon(
        "STRUCT",
        gettext_noop("Sentence structure"),
        gettext_noop(
            "The same participants stand in another build of sentence: active and passive, another "
            "order, or the roles exchanged."
        ),
        "Kucing hitam mengejar anjing tetangga sampai ke jalan.",
        "Kucing hitam dikejar anjing tetangga sampai ke jalan.",
        "c",
        "A black cat chased the neighbour's dog out to the road.",
        "A black cat was chased out to the road by the neighbour's dog.",
    ),
    Phenomenon(
        "LSUB",
        gettext_noop("Overlapping words"),
        gettext_noop(
            "The hypothesis is the premise with words left out or put in and its structure kept, so "
            "that likeness alone invites a guess."
        ),
        "Adik pelatih renang itu memenangkan lomba.",
        "Pelatih renang itu memenangkan lomba.",
        "n",
        "The swimming coach's younger sibling won the race.",
        "The swimming coach won the race.",
    ),
    Phenomenon(
        "NEG",
        gettext_noop("Negation"),
        gettext_noop("The label hangs on a word that denies, such as tidak, bukan, belum, tanpa or jangan."),
        "Perpustakaan desa belum menerima buku sumbangan dari alumni.",
        "Buku sumbangan dari alumni sudah sampai di perpustakaan desa.",
        "c",
        "The village library has not yet received the books given by former pupils.",
        "The books given by former pupils have arrived at the village library.",
    ),
    Phenomenon(
        "COORD",
        gettext_noop("Coordination"),
        gettext_noop(
            "Parts of a sentence are joined by words such as dan, atau, tetapi, and one has to work out "
            "what the joined whole says of each part."
        ),
        "Panitia akan menyewa tenda atau meminjam aula sekolah.",
        "Panitia akan menyewa tenda.",
        "n",
        "The committee will rent a tent or borrow the school hall.",
        "The committee will rent a tent.",
    ),
    Phenomenon(
        "QUANT",
        gettext_noop("Quantifiers"),
        gettext_noop(
            "Words for all, some, most or none (semua, setiap, beberapa, kebanyakan, ada) decide how "
            "many things a statement covers."
        ),
        "Setiap pedagang di gang itu menerima pembayaran tunai.",
        "Sebagian pedagang di gang itu hanya menerima pembayaran digital.",
        "c",
        "Every trader in the alley accepts cash.",
        "Some of the traders in the alley accept digital payment only.",
    ),
    Phenomenon(
        "COMP",
        gettext_noop("Comparison"),
        gettext_noop("Things are compared by degree or amount: more, less, as much as, the most, the least."),
        "Jalan lewat bukit lebih pendek, tetapi lebih terjal daripada jalan lewat pantai.",
        "Jalan lewat pantai lebih panjang daripada jalan lewat bukit.",
        "e",
        "The road over the hill is shorter but steeper than the road along the beach.",
        "The road along the beach is longer than the road over the hill.",
    ),
    Phenomenon(
        "LEXSEM",
        gettext_noop("Meaning of words"),
        gettext_noop(
            "Two words are related in meaning: the same, opposite, or one a kind of the other, and the "
            "label follows from that relation."
        ),
        "Nenek menanam melati dan kenanga di halaman belakang.",
        "Nenek menanam bunga di halaman belakang.",
        "e",
        "Grandmother plants jasmine and ylang-ylang in the back yard.",
        "Grandmother plants flowers in the back yard.",
    ),
    Phenomenon(
        "NUM",
        gettext_noop("Numbers"),
        gettext_noop(
            "Numbers, ranks, shares or sums of money have to be understood, counted or calculated with."
        ),
        "Dari 40 kursi di bus itu, 28 sudah dipesan.",
        "Masih ada 15 kursi yang kosong di bus itu.",
        "c",
        "Of the 40 assignments on the bus, 28 are booked.",
        "There are still 15 assignments free on the bus.",
    ),
    Phenomenon(
        "COREF",
        gettext_noop("Reference"),
        gettext_noop(
            "A pronoun, a name or another phrase points to someone or something named elsewhere, and one "
            "has to find out to whom or what."
        ),
        "Ratna meminjam payung Sinta karena miliknya tertinggal di kantor.",
        "Payung Ratna tertinggal di kantor.",
        "e",
        "Ratna borrowed Sinta's umbrella because hers had been left at the office.",
        "Ratna's umbrella was left at the office.",
    ),
    Phenomenon(
        "IDIOM",
        gettext_noop("Idioms"),
        gettext_noop("An expression means something else than its words put together."),
        "Pak Tarno gulung tikar dua tahun lalu dan kini kembali bertani.",
        "Pak Tarno sudah menutup usahanya.",
        "e",
        "Pak Tarno 'rolled up the mat' two years ago and now farms again.",
        "Pak Tarno has closed his business.",
    ),
    Phenomenon(
        "SPAT",
        gettext_noop("Space"),
        gettext_noop(
            "Places, directions and positions matter: what is inside, above, near or on the way to what."
        ),
        "Kantor pos terletak di antara masjid dan lapangan desa.",
        "Masjid itu berada di sebelah utara kantor pos.",
        "n",
        "The post office stands between the mosque and the village field.",
        "The mosque is to the north of the post office.",
    ),
    Phenomenon(
        "TEMP",
        gettext_noop("Time"),
        gettext_noop(
            "One has to reason about time: what comes first, how long something lasts, when it is "
            "usually done."
        ),
        "Rapat dimulai pukul sembilan dan selesai dua jam kemudian, lalu peserta makan bersama.",
        "Peserta makan bersama setelah pukul sepuluh.",
        "e",
        "The meeting began at nine and ended two hours later; then those present ate together.",
        "Those present ate together after ten o'clock.",
    ),
    Phenomenon(
        "CS",
        gettext_noop("Common sense"),
        gettext_noop(
            "Everyday knowledge that nearly everybody shares, wherever they come from: how things behave, "
            "how people act, what causes what."
        ),
        "Gelas kaca itu jatuh dari lantai tiga ke trotoar dan hancur berkeping-keping.",
        "Gelas itu masih bisa dipakai untuk minum sesudahnya.",
        "c",
        "The drinking glass fell from the third floor onto the pavement and broke into pieces.",
        "The glass could still be drunk from afterwards.",
    ),
    Phenomenon(
        "WORLD",
        gettext_noop("World knowledge"),
        gettext_noop(
            "Facts about named places, people, history, culture or a field of work are needed that the "
            "text does not give."
        ),
        "Rombongan itu berangkat dari Surabaya menuju Banyuwangi dengan kereta pagi.",
        "Rombongan itu melakukan perjalanan di dalam Provinsi Jawa Timur.",
        "e",
        "The party left Surabaya for Banyuwangi by the morning train.",
        "The party travelled within the province of East Java.",
    ),
)

_BY_CODE = {phenomenon.code: phenomenon for phenomenon in PHENOMENA}
_ORDER = {phenomenon.code: place for place, phenomenon in enumerate(PHENOMENA)}


def get(code: str) -> Phenomenon:
    """The phenomenon of this code in any case, ``SEMLEX`` included. Raises KeyError for another code."""
    key = code.strip().upper()
    try:
        return _BY_CODE[ALIASES.get(key, key)]
    except KeyError:
        raise KeyError(f"no phenomenon {code!r}") from None


def canonical(codes: Iterable[str]) -> tuple[str, ...]:
    """These codes as they are stored: aliases resolved, each once, in the order of PHENOMENA.

    Raises KeyError for a code that is none of the fifteen.
    """
    return tuple(sorted({get(code).code for code in codes}, key=_ORDER.__getitem__))
