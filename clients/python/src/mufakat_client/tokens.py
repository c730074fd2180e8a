"""Where a token comes from: given, from the environment, or from a file of this machine, each for one address."""

import os
import tomllib
from pathlib import Path

from mufakat_client.errors import UnsafeAddress
from mufakat_client.transport import checked_address

URL, TOKEN, FILE = "MUFAKAT_URL", "MUFAKAT_TOKEN", "MUFAKAT_TOKENS"


def tokens_file() -> Path:
    """`~/.config/mufakat/tokens.toml`, or what MUFAKAT_TOKENS names."""
    if named := os.environ.get(FILE):
        return Path(named)
    home = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(home) / "mufakat" / "tokens.toml"


def kept_tokens(path: Path | None = None) -> dict[str, str]:
    """Address to token, in the order in which they were kept."""
    path = path or tokens_file()
    if not path.exists():
        return {}
    return {str(url): str(token) for url, token in tomllib.loads(path.read_text("utf-8")).items()}


def keep_token(url: str, token: str, path: Path | None = None) -> Path:
    """Keep a token for one address, in a file that only its owner can read."""
    path = path or tokens_file()
    kept = kept_tokens(path) | {checked_address(url): token}
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    text = "".join(f'"{_escaped(url)}" = "{_escaped(token)}"\n' for url, token in kept.items())
    new = path.with_name(path.name + ".new")
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(new, path)
    return path


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def address_and_token(url: str | None, token: str | None) -> tuple[str, str]:
    """Which server, with which token. A token that was kept for one address is never sent to another.

    Raises UnsafeAddress where there is none for the address.
    """
    url = url or os.environ.get(URL) or next(iter(kept_tokens()), None)
    if not url:
        raise UnsafeAddress(f"Which server? Give its address, set {URL}, or run `mufakat login`.")
    url = checked_address(url)
    # A token of the environment is for the address of the environment.
    if token is None and checked_address(os.environ.get(URL) or url) == url:
        token = os.environ.get(TOKEN)
    token = token or kept_tokens().get(url)
    if not token:
        raise UnsafeAddress(f"There is no token for {url}. Make one on *Account → API tokens*, then `mufakat login`.")
    return url, token
