"""Where static files are collected: compressed, and under names that say what they hold."""

from whitenoise.storage import CompressedManifestStaticFilesStorage


class CollectedStaticFiles(CompressedManifestStaticFilesStorage):  # type: ignore[misc] # untyped
    """Also what our scripts import is called by such a name: kept for long, never mixed with another version's.

    Scripts of other people's packages stay as they are: some import what their package does not have.
    """

    support_js_module_import_aggregation = True
    _js_module_import_aggregation_patterns = (
        "js/*.js",
        CompressedManifestStaticFilesStorage._js_module_import_aggregation_patterns[1],
    )
