# Three stages: bundle, fetch the runtime packages, and an image that holds only what serving needs.

FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
COPY server/package.json server/
COPY web/api/package.json web/api/
COPY web/console/package.json web/console/
RUN npm ci --no-audit --no-fund
COPY server server
COPY web web
RUN node server/build.mjs --no-check

FROM node:24-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
COPY server/package.json server/
COPY web/api/package.json web/api/
COPY web/console/package.json web/console/
RUN npm ci --omit=dev --no-audit --no-fund \
 && npm sbom --omit=dev --sbom-format=cyclonedx --sbom-type=application > sbom.cdx.json

FROM node:24-slim
ARG VERSION=0.1.0
LABEL org.opencontainers.image.title="Gatehouse" \
      org.opencontainers.image.description="A multi-tenant identity provider: OAuth 2.0, OpenID Connect, SAML 2.0, directory, MFA" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}"

# The server needs Node alone: package managers would only be of use to an intruder.
RUN rm -rf /usr/local/lib/node_modules /opt/yarn-* \
           /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /usr/local/bin/yarn /usr/local/bin/yarnpkg \
 && install -d -o 1000 -g 1000 -m 0700 /data \
 && install -d /etc/gatehouse \
 && ln -s /app/server/dist/main.js /usr/local/bin/gatehouse

# Owned by root, so that the server cannot change its own code.
COPY --from=packages /app /app
COPY --from=build /app/server/dist /app/server/dist
COPY server/migrations /app/server/migrations
RUN chmod 0755 /app/server/dist/main.js

# Hashing, signing, files and DNS share Node's thread pool, which has 4 threads unless configured before Node starts; idle ones cost nothing.
ENV NODE_ENV=production \
    UV_THREADPOOL_SIZE=16 \
    GATEHOUSE_HOST=0.0.0.0 \
    GATEHOUSE_DATA_DIR=/data

# By number, so that an orchestrator can see that it is not root. Writes go to /data (and /tmp) only: the root may be read-only.
USER 1000:1000
VOLUME /data
EXPOSE 8080

# The working directory is where gatehouse.yaml is looked for.
WORKDIR /etc/gatehouse
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 CMD ["gatehouse", "healthcheck"]
ENTRYPOINT ["gatehouse"]
CMD ["start"]
