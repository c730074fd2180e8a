"""Amounts written out in words, so that whoever typed one sees what was read."""

from decimal import Decimal


def _list(words: str) -> list[str]:
    return words.split()


_ENGLISH = _list(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_ENGLISH_TENS = _list("ten twenty thirty forty fifty sixty seventy eighty ninety")
# Of languages that count as Indonesian does: the digits, what “one” is before a size, the sizes, the point.
_MALAYIC = {
    "id": (_list("nol satu dua tiga empat lima enam tujuh delapan sembilan"), "se", "ribu", "koma"),
    "su": (_list("enol hiji dua tilu opat lima genep tujuh dalapan salapan"), "sa", "rebu", "koma"),
}


def _english(number: int) -> str:
    if number < 20:
        return _ENGLISH[number]
    if number < 100:
        tens, rest = _ENGLISH_TENS[number // 10 - 1], number % 10
        return f"{tens}-{_ENGLISH[rest]}" if rest else tens
    size, name = next(each for each in ((10**6, "million"), (1000, "thousand"), (100, "hundred")) if number >= each[0])
    count, rest = divmod(number, size)
    return f"{_english(count)} {name}" + (f" {_english(rest)}" if rest else "")


def _malayic(number: int, digits: list[str], one: str, thousand: str) -> str:
    if number < 10:
        return digits[number]
    if 10 < number < 20:
        return f"{one}belas" if number == 11 else f"{digits[number - 10]} belas"
    sizes = ((10**6, "juta"), (1000, thousand), (100, "ratus"), (10, "puluh"))
    size, name = next(each for each in sizes if number >= each[0])
    count, rest = divmod(number, size)
    before = f"{one}{name}" if count == 1 and size < 10**6 else f"{_malayic(count, digits, one, thousand)} {name}"
    return before + (f" {_malayic(rest, digits, one, thousand)}" if rest else "")


def number_in_words(number: Decimal, language: str) -> str:
    """A number below a thousand million in words of Indonesian, Sundanese, or else English."""
    whole, _, decimals = f"{abs(number):f}".partition(".")
    if language in _MALAYIC:
        digits, one, thousand, point = _MALAYIC[language]
        words = _malayic(int(whole), digits, one, thousand)
    else:
        digits, point, words = _ENGLISH, "point", _english(int(whole))
    after = [digits[int(digit)] for digit in decimals.rstrip("0")]
    return " ".join([words, *([point, *after] if after else [])])
