"""German."""

from annotation.generation.rules.recipes.lists.base import LATIN, Lists
from annotation.text.languages.base import listed, phrases

LISTS = Lists(
    code="de",
    aliases=("deu", "ger"),
    small=listed(
        """
        der die das den dem des ein eine einen einem einer eines kein keine und oder aber in im ins an am ans auf
        aus bei beim mit nach von vom vor zu zum zur für gegen ohne um über unter durch zwischen hinter neben seit
        während bis als wie wer was wen wem wo wohin woher wann warum welche welcher welches welchen welchem womit
        wodurch wofür man es er sie wir ihr ich du sich sein seine seinen seinem seiner ihre ihren ihrem ihrer ist
        sind war waren wird werden wurde wurden hat haben hatte kann können könnte muss müssen soll nicht auch nur
        sehr so dass wenn ob etwas jemand
        """
    ),
    surface=phrases(
        """
        wie viele buchstaben, anzahl der buchstaben, wie viele silben, mit dem buchstaben, beginnt mit dem,
        endet mit dem, reimt sich, das längste wort, das kürzeste wort, folgenden optionen, folgenden antworten,
        welche option, der auswahlmöglichkeiten, antwortmöglichkeiten
        """
    ),
    opinions=phrases(
        """
        deiner meinung nach, ihrer meinung nach, denkst du, denken sie, findest du, finden sie, dein lieblings,
        am schönsten, am besten, am leckersten, am schlechtesten, der beste, die beste, das beste, der schönste,
        die schönste, das schönste
        """
    ),
    refusals=phrases(
        """
        als ki, als sprachmodell, als künstliche intelligenz, es tut mir leid, tut mir leid, ich kann nicht,
        ich kann keine, hier ist die frage, überarbeitete frage
        """
    ),
    offensive=listed(
        """
        arschloch arschlöcher ficken fickt fotze hure huren hurensohn kanake kanaken masturbation neger nutte nutten
        orgasmus porno pornografie scheiße scheisse schlampe vergewaltigen vergewaltigt vergewaltigung wichser
        """
    ),
    script=LATIN,
)
