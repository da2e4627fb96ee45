# The bot with its engines and an embedded Valkey. Matches are stored in /data: mount a volume there.
# `scripts/release` adds the digest.
FROM python:3.13.16-slim-trixie AS build
RUN apt-get update && apt-get install --yes --no-install-recommends g++ && rm -rf /var/lib/apt/lists/*
COPY locks/run.txt /locks/
RUN python -m venv /venv \
    && /venv/bin/pip install --no-cache-dir --no-deps --only-binary :all: --require-hashes -r /locks/run.txt
WORKDIR /app
COPY engine engine
# Build the native search cores; the compiler stays in this stage.
RUN /venv/bin/python -P engine/build.py --strict
COPY rules rules
COPY play play
COPY render render
COPY storage storage
COPY bot bot
COPY .env.example bot/
COPY deploy/klop.service bot/
COPY deploy/klop-backup.service bot/
COPY deploy/klop-backup.timer bot/
COPY deploy/image_root.py /
# What `klop --version` prints: docker build --build-arg COMMIT="$(git rev-parse --short HEAD)" .
ARG COMMIT=""
RUN echo "$COMMIT" > bot/commit.txt
RUN /venv/bin/python -P /image_root.py /image && install -d -m 0700 /owned/data

# No shell and no package manager: `docker exec klop python -m bot doctor` runs a command.
FROM scratch
COPY --from=build /image /
COPY --from=build --chown=10001:10001 /owned /
WORKDIR /app
ENV PATH=/venv/bin PYTHONUNBUFFERED=1 KLOP_DATA=/data
ENV SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt KLOP_METRICS_LISTEN=127.0.0.1:9464
USER 10001:10001
VOLUME /data
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s CMD ["python", "-m", "bot", "healthcheck"]
ENTRYPOINT ["python", "-m", "bot"]
