"""Which register is the formal one, by its name."""

import pytest

from annotation.translation.rules.target_lines import formal_first


@pytest.mark.parametrize(
    ("registers", "formal", "casual"),
    [
        (["ngoko", "krama"], "krama", "ngoko"),
        (["Krama", "Ngoko"], "Krama", "Ngoko"),
        (["loma", "lemes"], "lemes", "loma"),
        (["enja'iya", "engghi-ethen"], "engghi-ethen", "enja'iya"),
        (["informal", "formal"], "formal", "informal"),
        (["", "krama"], "krama", ""),
        (["ngoko", ""], "", "ngoko"),
        (["madya", "ngoko", "krama"], "krama", "ngoko"),
        # Names that say nothing stay in their order.
        (["utara", "selatan"], "utara", "selatan"),
        (["krama", "krama inggil"], "krama", "krama inggil"),
    ],
)
def test_the_formal_register_is_known_by_its_name(registers: list[str], formal: str, casual: str) -> None:
    found = formal_first(registers)
    assert (registers[found[0]], registers[found[1]]) == (formal, casual)
