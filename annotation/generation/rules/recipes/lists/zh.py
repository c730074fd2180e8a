"""Chinese, simplified and traditional."""

from annotation.generation.rules.recipes.lists.base import HAN, Lists
from annotation.text.languages.base import listed

LISTS = Lists(
    code="zh",
    aliases=("zho", "cmn", "yue"),
    surface=listed(
        """
        几个字 幾個字 多少个字 多少個字 字数 字數 笔画 筆畫 拼音 偏旁 部首 音节 音節 首字母 开头的字 開頭的字
        开头的词 開頭的詞 结尾的词 結尾的詞 下列选项 下列選項 以下选项 以下選項 选项中 選項中 哪个选项 哪個選項
        """
    ),
    opinions=listed(
        """
        你认为 你認為 您认为 您認為 你觉得 你覺得 您觉得 您覺得 你最喜欢 你最喜歡 你喜欢 你喜歡 最好吃 最美丽
        最美麗 最漂亮 最有趣
        """
    ),
    refusals=listed(
        """
        作为ai 作為ai 语言模型 語言模型 人工智能助手 对不起， 對不起， 抱歉， 我无法 我無法 我不能 问题： 問題：
        问题: 問題: 以下是问题 以下是問題
        """
    ),
    offensive=listed(
        "强奸 強姦 卖淫 賣淫 嫖娼 色情 手淫 自慰 性交 操你 肏 傻逼 傻屄 婊子 妓女 他妈的 他媽的 支那 王八蛋 狗娘养"
    ),
    script=HAN,
    blanks=False,
)
