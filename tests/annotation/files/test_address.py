"""What an address of an object store may say."""

import pytest
from django.core.exceptions import ImproperlyConfigured

from annotation.files import LocalFiles, storage_at
from annotation.files.object_store import ObjectStore, object_store
from annotation.files.rules import LINK_SECONDS, StoreAddress


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("s3://sets", StoreAddress("sets", "", None, None, True, LINK_SECONDS)),
        ("s3://sets/mufakat/a/", StoreAddress("sets", "mufakat/a", None, None, True, LINK_SECONDS)),
        (
            "s3://sets?endpoint=https://s3.example.org:9000&region=eu-1&links=no&link_seconds=60",
            StoreAddress("sets", "", "https://s3.example.org:9000", "eu-1", False, 60),
        ),
    ],
)
def test_an_address_is_read(url: str, expected: StoreAddress) -> None:
    assert object_store(url).address == expected


@pytest.mark.parametrize(
    ("url", "word"),
    [
        ("s3:///prefix", "names no bucket"),
        ("s3://key:secret@sets", "AWS_SECRET_ACCESS_KEY"),
        ("s3://sets?endpint=https://x", "no option endpint"),
        ("s3://sets?endpoint=x", "endpoint is no address"),
        ("s3://sets?endpoint=file:///etc", "endpoint is no address"),
        ("s3://sets?links=maybe", "yes or no"),
        ("s3://sets?link_seconds=0", "from 1 to 604800"),
        ("s3://sets?link_seconds=ten", "from 1 to 604800"),
    ],
)
def test_what_an_address_cannot_be(url: str, word: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=word) as refused:
        object_store(url)
    assert "secret@" not in str(refused.value)


def test_a_folder_is_the_default() -> None:
    assert isinstance(storage_at("/srv/data"), LocalFiles)
    assert isinstance(storage_at("s3://sets"), ObjectStore)
