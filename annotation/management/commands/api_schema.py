"""`manage.py api_schema`: write the OpenAPI schema, after a resource changed."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from annotation.api import pages


class Command(BaseCommand):
    """Writes docs/openapi.yaml, and the same as JSON for the pages of the documentation."""

    help = "Write the OpenAPI schema of the REST API into docs/openapi.yaml and annotation/api/openapi.json."

    def handle(self, *args: Any, **options: Any) -> None:
        from annotation.api import openapi

        pages.SCHEMA_FILE.write_bytes(openapi.as_json())
        (settings.BASE_DIR / "docs" / "openapi.yaml").write_bytes(openapi.as_yaml())
