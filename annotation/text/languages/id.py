"""Indonesian, standard and colloquial."""

from annotation.text.languages.base import (
    VOWELS,
    Affixes,
    Language,
    NumberWords,
    Prefix,
    listed,
    phrases,
    valued,
)

_CONSONANTS = tuple("bcdfghjklmnpqrstvwyz")
# meN- and peN- swallow k, p, s and t before a vowel; the rest keeps its first letter (mengopi, memukul, menari).
_NASAL = tuple(
    Prefix(head + spelled, before, restored)
    for head in ("me", "pe")
    for spelled, before, restored in (
        ("m", tuple("bfpv"), ""),
        ("m", VOWELS, "p"),
        ("n", tuple("cdjstz"), ""),
        ("n", VOWELS, "t"),
        ("ny", VOWELS, "s"),
        ("ng", (*VOWELS, "g", "h", "k", "q", "x"), ""),
        ("ng", VOWELS, "k"),
        ("nge", _CONSONANTS, ""),
    )
)
_AFFIXES = Affixes(
    prefixes=(
        *_NASAL,
        Prefix("me", tuple("lmnrwy")),
        Prefix("pe", _CONSONANTS),
        Prefix("pel", ("ajar",)),
        Prefix("per"),
        Prefix("ber"),
        Prefix("be", ("r", "kerja")),
        Prefix("bel", ("ajar",)),
        Prefix("ter"),
        Prefix("te", ("r",)),
        Prefix("di"),
        Prefix("se"),
        Prefix("ku"),
        Prefix("kau"),
        Prefix("ng", VOWELS),
        Prefix("ng", VOWELS, "k"),
        Prefix("ny", VOWELS, "s"),
        Prefix("nge", _CONSONANTS),
        *(Prefix(loan) for loan in ("anti", "antar", "in", "maha", "multi", "non", "pasca", "pra", "sub")),
    ),
    suffixes=(
        ("lah", "kah", "tah", "pun"),
        ("nya", "ku", "mu"),
        ("kan", "an", "i"),
        ("isasi", "isme", "asi", "atif", "if", "is", "wan", "wati"),
    ),
    circumfixes=(("ke", "an"), ("ke", "i"), ("ke", "kan")),
    doubled="e",
)
# Words in ter- are passives more often than superlatives (terbuat, terjadi, terkenal), hence adjectives by name.
_ADJECTIVES = """
    aman baik bagus banyak baru berat besar bersih buruk cantik canggih cepat dalam dangkal dingin enak favorit ganteng
    gurih hebat indah jauh jelek jarang kaya kecil keras kotor kuat kuno lama langka laris lebar lemah lezat luas lucu
    mahal malas manis mewah miskin muda mudah mulia murah padat pahit panas pandai panjang parah pedas pendek penting
    pintar populer rajin ramah ramai rendah ringan rumit sakti sedikit sehat sempit seram sering setia suci sulit susah
    tampan tinggi tua unggul unik
"""

LANGUAGE = Language(
    code="id",
    names=("Indonesian", "Bahasa Indonesia"),
    aliases=("ind",),
    abbreviations=listed(
        """
        dll dsb dst dkk tsb yth ybs dgn utk yg thn tgl jl jln gg no nmr hlm kav rt rw ds kec kab kel prov
        dr drs dra drg ir prof h hj kh ust tn ny nn sdr sdri bpk mr mrs ms st pdt rm sr br
        pt cv ud tbk ltd inc co corp bhd
        jend letjen mayjen brigjen kol letkol kapt lettu letda serma sertu kopda
        vol cet ed eds red ket lih bdk ay ps cf vs ca al tel telp ext fax lt min max maks
        jan feb mar apr jun jul agu agt sep sept okt nov des
        """
    ),
    stopwords=listed(
        """
        yang dan atau tetapi tapi namun serta maupun melainkan sedangkan sementara ketika saat sewaktu selagi sambil
        di ke dari pada kepada daripada dalam dengan untuk bagi oleh tentang terhadap antara hingga sampai sejak
        selama sebelum sesudah setelah karena sebab akibat agar supaya jika kalau apabila bila bilamana andai meski
        meskipun walau walaupun biarpun bahwa sebagai seperti ibarat bak secara menurut melalui lewat demi tanpa
        ini itu tersebut sini situ sana begini begitu demikian
        saya aku kami kita anda kamu engkau kau kalian dia ia beliau mereka nya
        adalah ialah yaitu yakni merupakan ada terdapat menjadi jadi adanya berada
        akan telah sudah sedang masih lagi belum pernah dapat bisa boleh harus mesti perlu mau ingin hendak
        tidak bukan tak jangan tiada tiadalah tidaklah bukanlah enggak nggak ngga gak ga ndak kagak takkan
        apa siapa mana kapan mengapa kenapa bagaimana berapa apakah siapakah manakah
        sangat amat sekali lebih paling kurang cukup terlalu agak hampir hanya cuma saja juga pun lah kah tah
        semua seluruh setiap tiap para beberapa banyak sedikit sebagian masing suatu sebuah seorang seekor satu
        salah lain lainnya sama sendiri hal para sang si pula malah bahkan justru kemudian lalu maka
        """
    ),
    negations=listed(
        """
        tidak tidaklah tidakkah bukan bukanlah bukankah bukannya belum belumlah jangan janganlah tak takkan
        tiada tiadalah tanpa enggak nggak ngga gak ga ndak kagak mustahil
        """
    ),
    affixes=_AFFIXES,
    superlatives=listed("paling") | {f"ter{adjective}" for adjective in _ADJECTIVES.split()},
    everywhere=phrases(
        """
        di dunia, di seluruh dunia, seluruh dunia, sedunia, di muka bumi, sejagat, di jagat raya,
        di belahan dunia, di berbagai belahan dunia, di seluruh penjuru dunia, di segala penjuru dunia
        """
    ),
    harmless=phrases(
        """
        paling tidak, paling-paling,
        di dunia bisnis, di dunia digital, di dunia gaib, di dunia hewan, di dunia hiburan, di dunia industri,
        di dunia kerja, di dunia malam, di dunia maya, di dunia medis, di dunia musik, di dunia nyata,
        di dunia olahraga, di dunia pendidikan, di dunia perfilman, di dunia persilatan, di dunia pertanian,
        di dunia pewayangan, di dunia politik, di dunia seni, di dunia usaha
        """
    ),
    numbers=NumberWords(
        words=valued(
            """
            pertama 1 kedua 2 ketiga 3 keempat 4 kelima 5 keenam 6 ketujuh 7 kedelapan 8 kesembilan 9 kesepuluh 10
            nol/kosong 0 satu/suatu 1 dua 2 tiga 3 empat 4 lima 5 enam 6 tujuh 7 delapan 8 sembilan 9
            sepuluh 10 sebelas 11 seratus 100 seribu 1000
            """
        ),
        sizes=valued("puluh 10 ratus 100 ribu/ribuan/rb/k 1000 juta/jt 1000000 miliar/milyar 1000000000"),
        teens=listed("belas"),
    ),
    doubling=True,
)
