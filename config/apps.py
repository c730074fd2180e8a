"""Django's own apps as this project configures them."""

from django.contrib.admin import apps


class AdminConfig(apps.AdminConfig):
    """Django's admin with a site on which nothing can be changed."""

    default_site = "annotation.core.admin_site.ReadOnlySite"
