"""Javanese, ngoko and krama."""

from annotation.rules.languages.base import Language, listed, phrases

LANGUAGE = Language(
    code="jv",
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
)
