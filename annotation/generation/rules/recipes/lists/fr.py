"""French."""

from annotation.generation.rules.recipes.lists.base import LATIN, Lists
from annotation.text.languages.base import listed, phrases

LISTS = Lists(
    code="fr",
    aliases=("fra", "fre"),
    small=listed(
        """
        le la les l un une des du de d au aux et ou mais en dans sur sous avec sans pour par vers chez entre
        depuis pendant avant après contre comme que qu qui quoi dont où quand comment pourquoi combien quel quelle
        quels quelles est ce c cet cette ces on il elle ils elles nous vous je j tu se s sa son ses leur leurs ne
        n pas plus sont était étaient être a ont avoir peut peuvent doit fait y à très si lorsque lequel laquelle
        """
    ),
    surface=phrases(
        """
        combien de lettres, nombre de lettres, combien de syllabes, par la lettre, rime avec, le mot le plus long,
        le mot le plus court, options suivantes, choix suivants, quelle option, propositions suivantes
        """
    ),
    opinions=phrases(
        """
        selon vous, selon toi, à votre avis, à ton avis, pensez-vous, penses-tu, préférez-vous, préfères-tu,
        votre préféré, ton préféré, le plus beau, la plus belle, le meilleur, la meilleure, le pire, la pire
        """
    ),
    refusals=phrases(
        """
        en tant qu'ia, en tant qu’ia, en tant que modèle, je suis désolé, désolé, je ne peux pas, voici la question,
        question révisée
        """
    ),
    offensive=listed(
        """
        bougnoule connard connards connasse enculé enculés masturbation négresse nègre nègres orgasme pédé
        pédophile porno pornographie putain putains pute putes salope salopes viol violer violeur
        """
    ),
    script=LATIN,
)
