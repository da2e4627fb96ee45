# The bot with its engines and an embedded Valkey. Matches are stored in /data: mount a volume there.
# `scripts/release` adds the digest.
FROM python:3.13.16-slim-trixie AS base

FROM base AS build
WORKDIR /app
COPY locks/run.txt locks/
RUN python -m venv /venv \
    && /venv/bin/pip install --no-cache-dir --no-deps --only-binary :all: --require-hashes -r locks/run.txt
# Build the native search cores; the compiler stays in this stage.
RUN apt-get update && apt-get install --yes --no-install-recommends g++ && rm -rf /var/lib/apt/lists/*
COPY engine engine
RUN /venv/bin/python -P engine/build.py --strict

FROM base
RUN useradd --create-home --uid 10001 klop && install -d -m 0700 -o klop /data
WORKDIR /app
COPY --from=build /venv /venv
COPY rules rules
COPY play play
COPY --from=build /app/engine engine
COPY render render
COPY storage storage
COPY bot bot
# The user below may not write there, and to compile at each start takes a third of it.
RUN python -m compileall -q rules play engine render storage bot
# What `klop --version` prints: docker build --build-arg COMMIT="$(git rev-parse --short HEAD)" .
ARG COMMIT=""
RUN echo "$COMMIT" > bot/commit.txt
ENV PATH=/venv/bin:$PATH PYTHONUNBUFFERED=1 KLOP_DATA=/data
ENV KLOP_METRICS_LISTEN=127.0.0.1:9464
USER klop
VOLUME /data
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s CMD ["python", "-m", "bot", "healthcheck"]
ENTRYPOINT ["python", "-m", "bot"]
