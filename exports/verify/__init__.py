"""`python -m exports.verify FOLDER` checks a release by its files, without Django, settings or a database."""
