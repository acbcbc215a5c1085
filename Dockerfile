# Martlet in a container: built with the whole toolchain, run without it.
#
#   docker build -t martlet .
#   docker run --rm --read-only --cap-drop ALL --security-opt no-new-privileges martlet --help
#
# It runs as user 7400, needs no capability, no shell, and nothing to write but /var/lib/martlet,
# and that only for a log, a disk tier or a queue of writes. Keys are mounted, never copied in:
# docs/operations.md, "Containers", and deploy/compose.yaml. There is no HEALTHCHECK: Docker starts
# nothing again for one, and the image has nothing that asks. An orchestrator that does asks /livez
# and /readyz of --http ("Monitoring"); what ends is started again by a restart policy.

FROM swift:6.3-bookworm AS build
RUN apt-get update -qq \
    && apt-get install -y --no-install-recommends libssl-dev libyaml-dev libzmq3-dev \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /build

# Dependencies first: they change rarely, and this layer is kept while they do not.
COPY Package.swift ./
RUN swift package --scratch-path .build-release resolve

# The package manager wants to see the folders of the test targets, too.
COPY Sources Sources
COPY Tests Tests
COPY deploy/build deploy/lib.sh deploy/
RUN deploy/build --output /martlet

FROM debian:bookworm-slim
RUN apt-get update -qq \
    && apt-get install -y --no-install-recommends ca-certificates libssl3 libyaml-0-2 libzmq5 \
    && rm -rf /var/lib/apt/lists/* \
    && groupadd --system --gid 7400 martlet \
    && useradd --system --uid 7400 --gid 7400 --no-create-home --home-dir /var/lib/martlet \
        --shell /usr/sbin/nologin martlet \
    && install -d -m 700 -o martlet -g martlet /var/lib/martlet
COPY --from=build --chmod=755 /martlet /usr/local/bin/martlet
COPY LICENSE NOTICE /usr/share/doc/martlet/
# Numbers, so that an orchestrator sees that it is not root.
USER 7400:7400
WORKDIR /var/lib/martlet
VOLUME /var/lib/martlet
# A backtrace of the Swift runtime may show what lies in memory.
ENV SWIFT_BACKTRACE=enable=no
ENTRYPOINT ["martlet"]
CMD ["--help"]
