"""Backup and restore of the whole: the database, and the files of imports, items and releases, in one tar."""

from annotation.media.rules.files import FOLDER as MEDIA
from exports.releases.build import FOLDER as RELEASES
from validation.imports.actions import FOLDER as IMPORTS

FOLDERS = (IMPORTS, MEDIA, RELEASES)
