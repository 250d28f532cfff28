# The server in a container: docker build -t svc . ; docs/guide/deployment.md says how to run it.

FROM node:24-bookworm-slim AS build
WORKDIR /src
COPY . .
# Unix seconds that stand for all times of the build, for the same bytes again; the commit is not in the context.
ARG SOURCE_DATE_EPOCH
RUN npm ci --no-audit --no-fund \
  && npm run release \
  && npm install --global --prefix /opt/svc --no-audit --no-fund ./release/svc-*.tgz

FROM node:24-bookworm-slim
LABEL org.opencontainers.image.title="svc" org.opencontainers.image.licenses="MIT"
COPY --from=build /opt/svc /opt/svc
# Configuration, database and files of buckets: all that is ever written to.
RUN groupadd --system --gid 10001 svc \
  && useradd --system --uid 10001 --gid svc --home-dir /var/lib/svc --shell /usr/sbin/nologin svc \
  && install --directory --owner=svc --group=svc --mode=0700 /var/lib/svc
ENV PATH=/opt/svc/bin:$PATH NODE_ENV=production
WORKDIR /var/lib/svc
USER 10001:10001
VOLUME /var/lib/svc
EXPOSE 2211
STOPSIGNAL SIGTERM
# With another port or with TLS of its own: --health-cmd.
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:2211/svc/health').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# The first start makes the configuration. `exec`: signals reach the server.
CMD ["sh", "-c", "svc-server setup /var/lib/svc --listen 0.0.0.0:2211 && exec svc-server serve -c /var/lib/svc/server.toml"]
