# docker build -t keywright .
# docker run -p 8000:8000 -v keywright:/data -e KEYWRIGHT_TOKEN=$(openssl rand -hex 24) keywright
FROM python:3.13-slim-bookworm

ENV PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    KEYWRIGHT_DATA_DIR=/data

RUN useradd --uid 10001 --home-dir /data --no-create-home --shell /usr/sbin/nologin keywright \
    && install --directory --owner=keywright --group=keywright /data

WORKDIR /srv/keywright
# Dependencies first: they change less often than the code, and Docker keeps the layer.
COPY requirements/runtime.txt requirements/runtime.in requirements/
RUN pip install --no-cache-dir --require-hashes -r requirements/runtime.txt

COPY pyproject.toml README.md alembic.ini ./
COPY app/ app/
COPY alembic/ alembic/
COPY static/ static/
COPY templates/ templates/
RUN pip install --no-cache-dir --no-deps --no-build-isolation --editable .

# By number, so that a cluster can see that it is not root.
USER 10001
VOLUME /data
EXPOSE 8000

HEALTHCHECK --interval=30s --timeout=5s --start-period=10s --retries=3 \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/healthz', timeout=3)"]

# Without KEYWRIGHT_TOKEN this refuses to start: the address can be reached from outside.
CMD ["keywright", "serve", "--host", "0.0.0.0", "--port", "8000"]
