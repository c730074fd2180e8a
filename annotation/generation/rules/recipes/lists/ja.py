"""Japanese."""

from annotation.generation.rules.recipes.lists.base import HAN, KANA, Lists
from annotation.text.languages.base import listed

LISTS = Lists(
    code="ja",
    aliases=("jpn",),
    surface=listed(
        """
        何文字 文字数 文字で始ま 文字で終わ 文字目 字数 画数 何画 何音節 五十音順 から始まる言葉 で始まる言葉
        で終わる言葉 から始まる単語 で始まる単語 で終わる単語 ひらがなで カタカナで 漢字で 選択肢

        """
    ),
    opinions=listed(
        """
        あなたにとって どう思い どう思う と思いますか 一番好きな 最も好きな あなたが好きな あなたの好きな
        一番嫌いな あなたが嫌いな お気に入り 最も美し 一番美し 最も美味 一番美味 最もおいし 一番おいし 最高の
        最悪の おすすめ
        """
    ),
    refusals=listed(
        """
        言語モデル aiとして 人工知能として 申し訳ありません 申し訳ございません できません。 お答えできません
        以下は質問 以下の質問 問題文: 問題文： 質問: 質問：
        """
    ),
    offensive=listed(
        """
        強姦 レイプ 売春 ポルノ 自慰 オナニー セックス 性交 乱交 痴漢 きちがい キチガイ 死ね 殺してやる 糞野郎
        くそったれ 部落民 チョン公 土人
        """
    ),
    script=HAN + KANA,
    blanks=False,
)
