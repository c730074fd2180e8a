"""Sets that show the checks of `annotation/text/checks/questions.py`."""

from tests.annotation.text.examples.sets import Examples, question_example

EXAMPLES = {
    "concept_missing": Examples(
        good=(
            question_example("Apa yang dijual di pasar?"),
            question_example("Siapa yang dikunjungi saat lebaran?", concept="berkunjung"),
            question_example("Di mana anak-anak bermain catur?", concept="main catur"),
            question_example("Naon anu dijual di warung?", concept="kios", own="warung", language="su"),
            question_example("Apa ini?", concept=" "),
            question_example(""),
        ),
        bad=(
            question_example("Apa yang dijual di toko?"),
            question_example("Di mana anak-anak bermain kartu?", concept="main catur"),
            question_example("Naon anu dijual di kios?", concept="kios", own="warung", language="su"),
            question_example("What is sold in the shops?", concept="market", language="en"),
        ),
    ),
    "concept_other_form": Examples(
        good=(question_example("Apa yang dijual di pasar?"), question_example("Apa yang dijual di toko?")),
        bad=(
            question_example("Siapa yang dikunjungi saat lebaran?", concept="berkunjung"),
            question_example("Apa yang dijual di pasarnya?"),
            question_example("Dimana barudak sok ulin?", concept="budak", language="su"),
        ),
    ),
    "superlative": Examples(
        good=(
            question_example("Terbuat dari apa keranjang di pasar?"),
            question_example("Apa yang terjadi kalau pasar yang terkenal itu terlambat buka?"),
            question_example("Siapa yang paling tidak datang ke pasar sekali seminggu?"),
            question_example("Naon pangaruhna hujan ka pasar?", language="su"),
            question_example("What do most people buy at the market, or at least look at?", language="en"),
            question_example("Paling apa?", language="xx"),
        ),
        bad=(
            question_example("Apa makanan paling enak di pasar?"),
            question_example("Apa pasar TERBAIK di kotamu?"),
            question_example("Naon kadaharan panggedéna di pasar?", language="su"),
            question_example("Mana pasar nu pang-alusna?", language="su"),
            question_example("What is the most popular food at the market?", language="en"),
            question_example("What is the best market?", language="en"),
        ),
    ),
    "in_the_world": Examples(
        good=(
            question_example("Apa yang dijual di pasar dunia buku?"),
            question_example("Pasar apa yang ada di dunia maya?"),
            question_example("Pasar naon anu aya di kota anjeun?", language="su"),
            question_example("What does a market in the world of sports sell?", language="en"),
        ),
        bad=(
            question_example("Pasar apa yang terkenal di seluruh dunia?"),
            question_example("Pasar apa yang ada di dunia?"),
            question_example("Pasar naon anu kasohor di sakuliah dunya?", language="su"),
            question_example("Which market in the  world is known to all?", language="en"),
        ),
    ),
    "question_mark": Examples(
        good=(
            question_example("Apa yang dijual di pasar? "),
            question_example("Apa arti “hari pasar?”"),
            question_example("市场上卖什么？", language="zh"),
            question_example(""),
        ),
        bad=(
            question_example("Apa yang dijual di pasar"),
            question_example("Yang dijual di pasar adalah..."),
            question_example("Apa? Pasar."),
        ),
    ),
}
