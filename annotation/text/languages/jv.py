"""Javanese, ngoko and krama."""

from annotation.text.languages.base import Language, NumberWords, listed, phrases, valued

LANGUAGE = Language(
    code="jv",
    names=("Javanese", "Jawa"),
    aliases=("jav",),
    abbreviations=listed(
        "lsp lsl dr drs dra drg ir prof h hj kh r rm rr ra kgph kph tn ny sdr jl jln gg no nmr taun kab kec pt cv vol"
    ),
    stopwords=listed(
        """
        lan saha kaliyan karo utawa utawi nanging ananging déné dene nalika rikala wektu karo sinambi
        ing neng ning menyang dhateng teka saka saking kanggo kangge kagem déning dening dening bab antara nganti
        ngantos wiwit suwene sadurunge sakdurunge sasampunipun sawise bubar sebab amarga amargi jalaran supaya supados
        yèn yen menawa menawi manawa sanajan senajan kaya kados miturut tanpa
        iki iku kuwi kae punika menika niki niku kéné kene kana kono mangkono ngono ngene mekaten
        aku kula kita kowe sampeyan panjenengan dhèwèké dheweke piyambakipun dèwèké deweke
        sing kang ingkang ya nggih uga ugi mung namung baé wae kemawon banget sanget luwih langkung paling rada
        yaiku inggih minangka dadi dados ana wonten arep bakal badhe wis sampun lagi saweg isih taksih
        isa bisa saged kudu kedah gelem pengin
        ora dudu durung aja boten mboten dede sanes dereng nora
        apa punapa menapa sapa sinten endi pundi kapan kenapa kepriye kados pira pinten
        kabeh sedaya saben pirang akeh kathah sithik sekedhik siji setunggal salah liya sanesipun para si sang
        """
    ),
    negations=listed(
        "ora orak dudu durung aja ojo ampun boten mboten dede sanes dereng nora tanpa gak ndak ogak emoh wegah"
    ),
    folds={"é": "e", "è": "e"},
    superlatives=listed("paling"),
    everywhere=phrases("ing donya, ing saindenging donya, saindenging donya, sak donya, sadonya"),
    harmless=phrases("paling ora, paling boten"),
    numbers=NumberWords(
        words=valued(
            """
            nol 0 siji/siyi/sawiji/satunggal/setunggal 1 loro/pindho/pindo/rong/ro/kalih 2 telu/telung/tiga/tigang 3
            papat/patang/pat/sekawan/kawan 4 lima/limang/gangsal 5 enem/nem/nenem 6 pitu/pitung 7 wolu/wolung 8
            sanga/sangang 9 sepuluh/sapuluh/sedasa/sadasa 10 sewelas/suwelas/setunggalwelas 11 rolas/kalihwelas 12
            telulas/tigawelas 13 patbelas/kawanwelas 14 limalas/gangsalwelas 15 nembelas 16 pitulas 17 wolulas 18
            sangalas 19 selikur 21 rolikur 22 telulikur 23 patlikur 24 selawe 25 nemlikur 26 pitulikur 27 wolulikur 28
            sangalikur 29 rongpuluh 20 telungpuluh 30 patangpuluh 40 seket 50 sewidak/suwidak 60 pitungpuluh 70
            wolungpuluh 80 sangangpuluh 90 satus/setunggalatus 100 rongatus 200 telungatus 300 patangatus 400
            limangatus 500 nematus 600 pitungatus 700 wolungatus 800 sangangatus 900 sewu/sèwu 1000 rongewu 2000
            telungewu 3000 patangewu 4000 limangewu 5000
            """
        ),
        sizes=valued(
            "puluh/dasa 10 atus/ratus 100 ewu/éwu/èwu/ribu/rb 1000 yuta/juta/jt 1000000 milyar/miliar 1000000000"
        ),
        teens=listed("welas"),
    ),
    doubling=True,
)
