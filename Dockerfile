# docker build -t animal-store . && docker run -p 8080:8080 -v animal-store:/app/data animal-store
# Not tried with an engine; its steps were run by hand.

FROM node:22-bookworm AS build
WORKDIR /app
COPY package.json package-lock.json ./
# otherwise the driver of SQLite would be downloaded as a binary that no checksum is known of; the image has the headers
ENV npm_config_build_from_source=better-sqlite3 npm_config_nodedir=/usr/local
RUN npm ci --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json openapi.yaml ./
COPY generated generated
COPY scripts scripts
COPY src src
RUN npm run build && npm prune --omit=dev --no-audit --no-fund
# some 50 MB that only `animal-store contract generate` needs
RUN rm -rf node_modules/typescript node_modules/openapi-typescript node_modules/prettier node_modules/@redocly
# of the driver the binary alone: no sources, and nothing that the compiler left
RUN for driver in node_modules/better-sqlite3*; do rm -rf $driver/deps $driver/src; find $driver -path '*/build/*' -type f ! -path '*/build/Release/better_sqlite3.node' -delete; done

FROM node:22-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0
WORKDIR /app
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
# the help of serve lists the settings of the README
COPY package.json README.md ./
RUN install -d -o node -g node -m 700 data
USER node
VOLUME /app/data
EXPOSE 8080
HEALTHCHECK CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT || 8080) + '/livez').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "dist/scripts/animal-store.js"]
CMD ["serve"]
