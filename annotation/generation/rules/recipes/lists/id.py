"""Indonesian."""

from annotation.generation.rules.recipes.lists.base import LATIN, Lists
from annotation.text.languages.base import listed, phrases

LISTS = Lists(
    code="id",
    aliases=("ind",),
    surface=phrases(
        """
        berapa huruf, jumlah huruf, berapa suku kata, jumlah suku kata, diawali huruf, diawali dengan huruf,
        dimulai dengan huruf, berawalan huruf, diakhiri huruf, diakhiri dengan huruf, berakhiran huruf,
        terdiri dari huruf, kata terpanjang, kata terpendek, urutan abjad, pilihan pertama, pilihan kedua,
        pilihan ketiga, pilihan di atas, pilihan di bawah, pilihan berikut, opsi pertama, opsi kedua, opsi ketiga,
        opsi berikut, jawaban yang benar adalah
        """
    ),
    opinions=phrases(
        """
        menurut anda, menurut kamu, menurut pendapat anda, menurut pendapatmu, menurutmu, pendapat anda, pendapatmu,
        kesukaan anda, kesukaanmu, favorit anda, favoritmu
        """
    ),
    harmless=phrases("paling sering, paling umum, paling mungkin, paling biasa, paling lazim"),
    refusals=phrases(
        """
        sebagai model bahasa, sebagai ai, sebagai kecerdasan buatan, saya tidak dapat, saya tidak bisa, mohon maaf,
        maaf saya, berikut adalah pertanyaan, berikut pertanyaan, pertanyaan yang diperbaiki
        """
    ),
    offensive=listed(
        """
        anjir bacot bajingan bangsat bego bencong brengsek cabul cukimai goblok idiot jablay jancok
        jancuk jembut kampret keparat kontol lonte masturbasi memek memperkosa ngentot orgasme pelacur pemerkosa
        pemerkosaan perek perkosa pornografi porno sange sundal tolol
        """
    ),
    script=LATIN,
)
