"""What gunicorn serves: `gunicorn config.wsgi`."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.production")
# A request that waits longer than this for the database is answered with 503; jobs and commands may take their time.
os.environ.setdefault("STATEMENT_SECONDS", "30")
os.environ.setdefault("LOCK_SECONDS", "5")
application = get_wsgi_application()
