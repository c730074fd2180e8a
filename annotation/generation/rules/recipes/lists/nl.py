"""Dutch."""

from annotation.generation.rules.recipes.lists.base import LATIN, Lists
from annotation.text.languages.base import listed, phrases

LISTS = Lists(
    code="nl",
    aliases=("nld", "dut"),
    small=listed(
        """
        de het een en of maar in op aan uit bij met naar van voor tot te om over onder door tussen achter naast
        sinds tijdens als hoe wie wat waar waarheen waarvoor waarmee waarom wanneer welk welke men er hij zij ze
        wij we jullie ik jij je u zich zijn zijne haar hun is was waren wordt worden werd werden heeft hebben had
        kan kunnen moet moeten zal niet geen ook alleen zeer zo dat die dit deze iemand iets vaak meestal
        """
    ),
    surface=phrases(
        """
        hoeveel letters, aantal letters, hoeveel lettergrepen, met de letter, begint met de, eindigt op de, rijmt op,
        het langste woord, het kortste woord, volgende opties, volgende keuzes, welke optie, antwoordmogelijkheden
        """
    ),
    opinions=phrases(
        """
        volgens jou, volgens u, naar jouw mening, denk je, denkt u, vind je, vindt u, je favoriete, jouw favoriete,
        het mooiste, de mooiste, het lekkerste, de lekkerste, het beste, de beste, het slechtste
        """
    ),
    refusals=phrases(
        """
        als ai, als taalmodel, als kunstmatige intelligentie, het spijt me, sorry maar, ik kan niet, ik kan geen,
        hier is de vraag, herziene vraag
        """
    ),
    offensive=listed(
        """
        flikker hoer hoeren hoerenzoon klootzak klootzakken kut masturbatie mongool neger neuken orgasme porno
        pornografie slet sletten verkrachten verkracht verkrachting verkrachter
        """
    ),
    script=LATIN,
)
