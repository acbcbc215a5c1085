# Martlet in a container: built with the whole toolchain, run without it.
#
#   docker build -t martlet .
#   docker run --rm martlet --help

FROM swift:6.3-bookworm AS build
RUN apt-get update -qq \
    && apt-get install -y --no-install-recommends libzmq3-dev \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /build

# Dependencies first: they change rarely, and this layer is kept while they do not.
COPY Package.swift ./
RUN swift package resolve

# The package manager wants to see the folders of the test targets, too.
COPY Sources Sources
COPY Tests Tests
RUN swift build -c release --product martlet --static-swift-stdlib \
    && cp "$(swift build -c release --static-swift-stdlib --show-bin-path)/martlet" /martlet

FROM debian:bookworm-slim
RUN apt-get update -qq \
    && apt-get install -y --no-install-recommends libzmq5 \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 7400 --create-home --home-dir /var/lib/martlet martlet
COPY --from=build /martlet /usr/local/bin/martlet
USER martlet
WORKDIR /var/lib/martlet
ENTRYPOINT ["martlet"]
CMD ["--help"]
