# One image for web and background work; docker-compose.yml gives each its command.
ARG PYTHON_IMAGE=python:3.11-slim-trixie
FROM ${PYTHON_IMAGE} AS packages
RUN pip install --no-cache-dir "uv>=0.13,<1"
WORKDIR /srv/mufakat
# `traces` besides where they are sent somewhere (OTEL_EXPORTER_OTLP_ENDPOINT): other libraries load it where it is there.
ARG PACKAGE_GROUPS="--group s3"
COPY pyproject.toml uv.lock ./
# The libraries' own tests are a tenth of them.
RUN UV_PYTHON_DOWNLOADS=never uv sync --locked --no-dev ${PACKAGE_GROUPS} --no-install-project --compile-bytecode \
    && find .venv -type d -name tests -prune -exec rm -rf {} + \
    && uv export --locked --no-dev ${PACKAGE_GROUPS} --format cyclonedx1.5 --quiet --output-file sbom.cdx.json > /dev/null

FROM ${PYTHON_IMAGE}
# pg_dump of the major version of the service `db` (Debian 13 has 17): manage.py backup asks for just that.
RUN apt-get update \
    && apt-get install -y --no-install-recommends postgresql-client \
    && rm -rf /var/lib/apt/lists/*
RUN useradd --system --uid 10001 --home-dir /srv/mufakat mufakat \
    && mkdir -p /srv/mufakat/staticfiles /srv/data /srv/scratch /srv/counts \
    && chown mufakat /srv/mufakat/staticfiles /srv/data /srv/scratch /srv/counts
WORKDIR /srv/mufakat
# With what it brings of others: sbom.cdx.json (CycloneDX).
COPY --from=packages /srv/mufakat/.venv .venv
COPY --from=packages /srv/mufakat/sbom.cdx.json .
# Only what .dockerignore lets through: no key, no certificate, no .env, no data.
COPY . .
# Compiled here: no process may write into the image, and each would compile all that it imports at every start.
RUN .venv/bin/python -m compileall -q annotation config exports validation \
    && .venv/bin/python -m annotation.catalogues compile
ENV PATH=/srv/mufakat/.venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    DJANGO_SETTINGS_MODULE=config.settings.production \
    DATA_DIR=/srv/data
USER mufakat
# The settings ask for a key, a host and a database; collecting files uses none of them, and none is kept.
RUN SECRET_KEY="$(python -c 'import secrets; print(secrets.token_urlsafe(50))')" \
    ALLOWED_HOSTS=build.invalid DATABASE_URL=postgres://build.invalid/none \
    python manage.py collectstatic --no-input --verbosity 0
VOLUME /srv/data
EXPOSE 8000
CMD ["gunicorn", "config.wsgi", "--bind", "0.0.0.0:8000", "--preload", "--worker-class", "gthread", "--workers", "2", "--threads", "4", "--no-control-socket"]
