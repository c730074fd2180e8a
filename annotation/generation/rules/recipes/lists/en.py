"""English."""

from annotation.generation.rules.recipes.lists.base import LATIN, Lists
from annotation.text.languages.base import listed, phrases

LISTS = Lists(
    code="en",
    aliases=("eng",),
    surface=phrases(
        """
        how many letters, number of letters, how many characters, number of characters, how many syllables,
        number of syllables, letter word, letters long, characters long, begins with the letter,
        starts with the letter, ends with the letter, begins with a vowel, starts with a vowel, rhymes with,
        spelled with, is spelled, the longest word, the shortest word, longest choice, shortest choice,
        in alphabetical order, contains the letter, of these choices, of the choices, of the options,
        of these options, the following options, the following choices, the first option, the second option,
        the third option, the other options, the first choice, the second choice, the third choice,
        the other choices, the correct answer is
        """
    ),
    opinions=phrases(
        """
        in your opinion, do you think, do you prefer, do you like, do you feel, your favorite, your favourite,
        would you rather, most beautiful, most delicious, most interesting, most boring, best way
        """
    ),
    harmless=phrases(
        "the most likely, the most common, the most commonly, the most often, the most probable, the most typical"
    ),
    refusals=phrases(
        """
        as an ai, as a language model, as an artificial intelligence, large language model, i am sorry, i'm sorry,
        i’m sorry, i apologize, i cannot, i can't, i can’t, i am unable, i'm unable, i’m unable, here is the question,
        here's the question, here’s the question, here is a question, here is the revised, revised question
        """
    ),
    offensive=listed(
        """
        asshole assholes bastard bastards bitch bitches bollocks boobs bullshit chink chinks cocksucker cunt cunts
        dickhead faggot faggots fuck fucked fucker fuckers fucking fucks genocide gook handjob horny jerkoff
        masturbate masturbating masturbation motherfucker motherfuckers nigger niggers orgasm orgasms orgy paki
        pedophile pedophilia piss pissed porn porno pornography prick pussy rape raped rapes raping rapist rapists
        retard retarded sex sexual sexually shit shits shitty slut sluts spastic tits tranny twat wanker whore whores
        """
    ),
    script=LATIN,
)
