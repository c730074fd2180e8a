"""Portuguese."""

from annotation.generation.rules.recipes.lists.base import LATIN, Lists
from annotation.text.languages.base import listed, phrases

LISTS = Lists(
    code="pt",
    aliases=("por",),
    small=listed(
        """
        o a os as um uma uns umas de do da dos das em no na nos nas num numa e ou mas para pra por pelo pela pelos
        pelas com sem sobre sob entre até desde durante antes depois como que quem qual quais onde aonde quando
        quanto porque é são foi era eram ser está estão estar há ter tem têm pode podem deve se seu sua seus suas
        ele ela eles elas nós você eu não mais muito também só isso isto esse essa este esta ao à aos às
        """
    ),
    surface=phrases(
        """
        quantas letras, número de letras, quantas sílabas, com a letra, rima com, a palavra mais longa,
        a palavra mais curta, opções a seguir, seguintes opções, qual opção, alternativas a seguir,
        seguintes alternativas
        """
    ),
    opinions=phrases(
        """
        na sua opinião, em sua opinião, você acha, você pensa, você prefere, você gosta, seu favorito, sua favorita,
        o mais bonito, a mais bonita, o melhor, a melhor, o pior, a pior
        """
    ),
    refusals=phrases(
        """
        como ia, como um modelo de linguagem, como modelo de linguagem, sinto muito, me desculpe, desculpe, não posso,
        aqui está a pergunta, pergunta revisada
        """
    ),
    offensive=listed(
        """
        boceta buceta caralho crioulo estuprador estuprar estupro foder masturbação merda orgasmo porno
        pornografia pornô porra puta putas viado vadia vadias
        """
    ),
    script=LATIN,
)
