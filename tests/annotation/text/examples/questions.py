"""Sets that show the checks of `annotation/text/checks/questions.py`."""

from tests.annotation.text.examples.sets import Examples, asked

EXAMPLES = {
    "concept_missing": Examples(
        good=(
            asked("Apa yang dijual di pasar?"),
            asked("Siapa yang dikunjungi saat lebaran?", concept="berkunjung"),
            asked("Di mana anak-anak bermain catur?", concept="main catur"),
            asked("Naon anu dijual di warung?", concept="kios", own="warung", language="su"),
            asked("Apa ini?", concept=" "),
            asked(""),
        ),
        bad=(
            asked("Apa yang dijual di toko?"),
            asked("Di mana anak-anak bermain kartu?", concept="main catur"),
            asked("Naon anu dijual di kios?", concept="kios", own="warung", language="su"),
            asked("What is sold in the shops?", concept="market", language="en"),
        ),
    ),
    "concept_other_form": Examples(
        good=(asked("Apa yang dijual di pasar?"), asked("Apa yang dijual di toko?")),
        bad=(
            asked("Siapa yang dikunjungi saat lebaran?", concept="berkunjung"),
            asked("Apa yang dijual di pasarnya?"),
            asked("Dimana barudak sok ulin?", concept="budak", language="su"),
        ),
    ),
    "superlative": Examples(
        good=(
            asked("Terbuat dari apa keranjang di pasar?"),
            asked("Apa yang terjadi kalau pasar yang terkenal itu terlambat buka?"),
            asked("Siapa yang paling tidak datang ke pasar sekali seminggu?"),
            asked("Naon pangaruhna hujan ka pasar?", language="su"),
            asked("What do most people buy at the market, or at least look at?", language="en"),
            asked("Paling apa?", language="xx"),
        ),
        bad=(
            asked("Apa makanan paling enak di pasar?"),
            asked("Apa pasar TERBAIK di kotamu?"),
            asked("Naon kadaharan panggedéna di pasar?", language="su"),
            asked("Mana pasar nu pang-alusna?", language="su"),
            asked("What is the most popular food at the market?", language="en"),
            asked("What is the best market?", language="en"),
        ),
    ),
    "in_the_world": Examples(
        good=(
            asked("Apa yang dijual di pasar dunia buku?"),
            asked("Pasar apa yang ada di dunia maya?"),
            asked("Pasar naon anu aya di kota anjeun?", language="su"),
            asked("What does a market in the world of sports sell?", language="en"),
        ),
        bad=(
            asked("Pasar apa yang terkenal di seluruh dunia?"),
            asked("Pasar apa yang ada di dunia?"),
            asked("Pasar naon anu kasohor di sakuliah dunya?", language="su"),
            asked("Which market in the  world is known to all?", language="en"),
        ),
    ),
    "question_mark": Examples(
        good=(
            asked("Apa yang dijual di pasar? "),
            asked("Apa arti “hari pasar?”"),
            asked("市场上卖什么？", language="zh"),
            asked(""),
        ),
        bad=(
            asked("Apa yang dijual di pasar"),
            asked("Yang dijual di pasar adalah..."),
            asked("Apa? Pasar."),
        ),
    ),
}
