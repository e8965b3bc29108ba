# A small image of the server: docker build -t onefold . && docker run -p 127.0.0.1:8000:8000 -v onefold:/data onefold
# Builds from a checkout, or from a tarball of `make dist`, which brings the studio's pages along.
FROM debian:12-slim AS build
# optional: where npm cannot be reached, an image without the studio.
ARG STUDIO=required
WORKDIR /src
COPY . .
RUN apt-get update && apt-get install -y --no-install-recommends make && make deps && make install PREFIX=/usr DESTDIR=/out

FROM debian:12-slim
RUN apt-get update \
    && apt-get install -y --no-install-recommends liblmdb0 libuv1 libdeflate0 libxxhash0 libyaml-0-2 curl libsqlite3-0 libpq5 zlib1g libssl3 ca-certificates \
    && rm -rf /var/lib/apt/lists/* \
    && groupadd --gid 10001 onefold \
    && useradd --uid 10001 --gid 10001 --no-log-init --home-dir /data --no-create-home --shell /usr/sbin/nologin onefold \
    && install -d -m 700 -o onefold -g onefold /data
COPY --from=build /out/usr/bin/onefold /usr/bin/onefold
USER onefold
VOLUME /data
EXPOSE 8000
# ONEFOLD_STORE=postgres://... wins over the directory.
# Inside a container loopback is nobody's: who may reach the port is decided when it is published. With credentials and a
# certificate (ONEFOLD_CREDENTIALS, ONEFOLD_TLS_CERT, ONEFOLD_TLS_KEY) ONEFOLD_INSECURE can be emptied.
# Other containers call it by a name: ONEFOLD_ALLOW_HOST=onefold.
ENV ONEFOLD_DATA=/data ONEFOLD_BIND=0.0.0.0 ONEFOLD_PORT=8000 ONEFOLD_INSECURE=1 ONEFOLD_LOG_FORMAT=json
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s \
    CMD curl -fs "http://127.0.0.1:$ONEFOLD_PORT/healthz" || curl -fsk "https://127.0.0.1:$ONEFOLD_PORT/healthz"
ENTRYPOINT ["onefold"]
CMD ["serve"]
