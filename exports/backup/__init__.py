"""Backup and restore of the whole: the database, and the files of imports and releases, in one tar."""

from exports.releases.build import FOLDER as RELEASES
from validation.imports.actions import FOLDER as IMPORTS

FOLDERS = (IMPORTS, RELEASES)
