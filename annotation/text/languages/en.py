"""English."""

from annotation.text.languages.base import Language, NumberWords, listed, phrases, valued

LANGUAGE = Language(
    code="en",
    names=("English",),
    aliases=("eng",),
    abbreviations=listed(
        """
        mr mrs ms mx dr prof rev hon fr sr jr st mt ft messrs
        gen col maj capt cmdr lt sgt cpl adm pvt sen rep gov pres
        inc ltd co corp llc plc bros dept univ assn
        no nos vol vols ed eds fig figs pp ch sec al etc vs cf viz ca approx est esp incl
        ave rd blvd jan feb mar apr jun jul aug sep sept oct nov dec
        """
    ),
    stopwords=listed(
        """
        a an the this that these those such each every either neither some any no all both many much more most few
        fewer less least several other another same own one
        i me my mine myself we us our ours ourselves you your yours yourself he him his himself she her hers herself
        it its itself they them their theirs themselves who whom whose which what where when why how
        and or but nor so yet if unless because since although though while whereas whether than then as until
        of in on at by for with about against between into through during before after above below to from up down
        out off over under again further once here there within without upon towards among across along around near
        am is are was were be been being have has had having do does did doing can could may might must shall should
        will would not never only just very too also even still already ever quite rather almost
        s t d ll m re ve don doesn didn isn aren wasn weren hasn haven hadn won wouldn can couldn shouldn
        """
    ),
    negations=listed(
        """
        no not never none nobody nothing nowhere neither nor cannot without
        isn't aren't wasn't weren't don't doesn't didn't hasn't haven't hadn't won't wouldn't can't couldn't
        shouldn't mustn't needn't shan't ain't
        """
    ),
    superlatives=listed(
        """
        best worst greatest biggest largest smallest tallest highest lowest longest shortest widest deepest oldest
        youngest newest latest fastest quickest slowest strongest weakest richest poorest prettiest ugliest nicest
        finest tastiest sweetest spiciest hottest coldest easiest hardest cheapest happiest saddest funniest smartest
        safest cleanest busiest
        """
    )
    | phrases("the most, the least"),
    everywhere=phrases(
        """
        in the world, in the whole world, in the entire world, all over the world, around the world,
        throughout the world, across the world, across the globe, worldwide, on earth
        """
    ),
    harmless=phrases(
        "at the most, at the least, at best, best friend, best friends, best man, in the world of"
    ),
    numbers=NumberWords(
        words=valued(
            """
            first 1 second 2 third 3 fourth 4 fifth 5 sixth 6 seventh 7 eighth 8 ninth 9 tenth 10
            zero 0 one/once 1 two/twice 2 three/thrice 3 four 4 five 5 six 6 seven 7 eight 8 nine 9 ten 10 eleven 11
            twelve/dozen 12 thirteen 13 fourteen 14 fifteen 15 sixteen 16 seventeen 17 eighteen 18 nineteen 19
            twenty 20 thirty 30 forty 40 fifty 50 sixty 60 seventy 70 eighty 80 ninety 90
            """
        ),
        sizes=valued("hundred 100 thousand/k 1000 million/m 1000000 billion 1000000000"),
        joins=listed("and"),
    ),
)
