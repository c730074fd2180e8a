"""Whether a project is as it must be: a registry of checks that `manage.py check_integrity` runs.

An app names its modules with checks in its AppConfig (`integrity`), so that nothing here knows of them.
"""

from validation.integrity.base import Breach, Check, register, registered, run

__all__ = ["Breach", "Check", "register", "registered", "run"]
