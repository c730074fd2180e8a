"""Questions that a group answers before it writes prompts (Kalahi Appendix A has the kinds; the questions are ours).

They are asked in the project's language where it is one of these, else in English; a project edits its own copy.
"""

from collections.abc import Mapping
from typing import NamedTuple


def gettext_noop(text: str) -> str:
    """Mark a text for translation; templates translate it."""
    return text


EXPERIENCE, ELSEWHERE, LIKES, SIGNS, MEANING, DEBATE, SITUATION = (
    "experience",
    "elsewhere",
    "likes",
    "signs",
    "meaning",
    "debate",
    "situation",
)
KINDS: Mapping[str, str] = {
    EXPERIENCE: gettext_noop("What you have lived through as one of your people"),
    ELSEWHERE: gettext_noop("What is different among your neighbours"),
    LIKES: gettext_noop("What you like and dislike about being one of them"),
    SIGNS: gettext_noop("By what you know each other: thoughts, feelings, habits"),
    MEANING: gettext_noop("What it means to you to belong"),
    DEBATE: gettext_noop("What people among you would argue about"),
    SITUATION: gettext_noop("What you would do in a situation"),
}


class Question(NamedTuple):
    """An elicitation question: its stable key, its kind (one of `KINDS`), and its words by language."""

    key: str
    kind: str
    words: Mapping[str, str]

    def text(self, language: str) -> str:
        """Give the question in a language, or in English; `id-ID` reads as `id`."""
        return self.words.get(language.replace("_", "-").split("-")[0].lower(), self.words["en"])


def _ask(key: str, kind: str, english: str, indonesian: str) -> Question:
    return Question(key, kind, {"en": english, "id": indonesian})


QUESTIONS = (
    _ask(
        "first-guest",
        EXPERIENCE,
        "Tell about a day on which your home was full of guests. Who came, who did what, what was never left out?",
        "Ceritakan hari ketika rumah Anda penuh tamu. Siapa yang datang, siapa mengerjakan apa, apa yang selalu ada?",
    ),
    _ask(
        "learnt-as-a-child",
        EXPERIENCE,
        "Which rule did you learn as a child without anybody saying it aloud?",
        "Aturan apa yang Anda pelajari sewaktu kecil tanpa pernah diucapkan siapa pun?",
    ),
    _ask(
        "misunderstood",
        ELSEWHERE,
        "When did somebody from a neighbouring place misunderstand something that you meant well?",
        "Kapan orang dari daerah atau negeri tetangga salah paham terhadap sesuatu yang Anda maksudkan baik?",
    ),
    _ask(
        "missed-abroad",
        ELSEWHERE,
        "What would you have to explain first to somebody who moves to your town from far away?",
        "Apa yang pertama-tama perlu Anda jelaskan kepada orang dari jauh yang pindah ke kota Anda?",
    ),
    _ask(
        "keep-and-drop",
        LIKES,
        "Which custom would you hand on to your grandchildren, and which one would you rather let go? Why?",
        "Kebiasaan mana yang ingin Anda wariskan kepada cucu, dan mana yang lebih baik ditinggalkan? Mengapa?",
    ),
    _ask(
        "proud-and-tired",
        LIKES,
        "What makes you proud in how people here treat each other, and what tires you?",
        "Apa yang membuat Anda bangga dari cara orang di sini memperlakukan sesamanya, dan apa yang melelahkan?",
    ),
    _ask(
        "in-a-crowd",
        SIGNS,
        "At an airport far away, by which gesture, word or snack would you know one of your own?",
        "Di bandara yang jauh, dari gerak, kata, atau bekal apa Anda mengenali orang sekampung halaman?",
    ),
    _ask(
        "unsaid-no",
        SIGNS,
        "How do people here say no without saying it? How does the other one notice?",
        "Bagaimana orang di sini menolak tanpa berkata tidak? Bagaimana lawan bicaranya tahu?",
    ),
    _ask(
        "belonging",
        MEANING,
        "When do you feel most that you belong to your people, and when least?",
        "Kapan Anda paling merasa menjadi bagian dari masyarakat Anda, dan kapan paling tidak?",
    ),
    _ask(
        "generations",
        DEBATE,
        "On which custom do your parents' generation and yours disagree? Who is right, where you live?",
        "Tentang kebiasaan apa generasi orang tua dan generasi Anda berbeda pendapat? Siapa yang dibenarkan di sini?",
    ),
    _ask(
        "said-of-us",
        DEBATE,
        "What is often said about people from your region? Where is it true, and where is it a prejudice?",
        "Apa yang sering dikatakan tentang orang daerah Anda? Di mana itu benar, dan di mana itu prasangka?",
    ),
    _ask(
        "borrowed-money",
        SITUATION,
        "A cousin asks to borrow money and has not paid back the last loan. What do you do, and what do you say?",
        "Sepupu ingin meminjam uang, padahal pinjaman lalu belum kembali. Apa yang Anda lakukan dan katakan?",
    ),
    _ask(
        "teacher-mistaken",
        SITUATION,
        "A teacher whom everybody respects makes a mistake in front of all. Do you say something? How, and when?",
        "Guru yang dihormati semua orang keliru di depan umum. Apakah Anda berbicara? Bagaimana, dan kapan?",
    ),
    _ask(
        "house-of-mourning",
        SITUATION,
        "A neighbour whom you hardly know has died. What is expected of you in the days after?",
        "Tetangga yang hampir tidak Anda kenal meninggal. Apa yang diharapkan dari Anda pada hari-hari berikutnya?",
    ),
    _ask(
        "child-with-fever",
        SITUATION,
        "A child at home has a fever at night and the clinic is closed. What is done first, and who is asked?",
        "Anak di rumah demam pada malam hari dan puskesmas tutup. Apa yang dilakukan dulu, dan siapa yang ditanya?",
    ),
)
