# Builds the gateway from this repository. docs/deployment.md says how to run the image.
# The first stage has npm, TypeScript and strip; nothing of it but the results is in the image.
FROM node:24-bookworm AS build
WORKDIR /app
COPY package.json package-lock.json tsconfig.json tsconfig.build.json ./
COPY packages/pages/package.json ./packages/pages/package.json
COPY packages/bigquery-sql/package.json ./packages/bigquery-sql/package.json
COPY packages/text/package.json ./packages/text/package.json
COPY packages/duckdb-import/package.json ./packages/duckdb-import/package.json
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY packages/pages/built ./packages/pages/built
COPY packages/bigquery-sql ./packages/bigquery-sql
COPY packages/text ./packages/text
COPY packages/duckdb-import ./packages/duckdb-import
COPY src ./src
COPY release ./release
COPY queries ./queries
RUN node release/build.ts
RUN node release/image-dependencies.ts
RUN npm prune --omit=dev --ignore-scripts --no-audit --no-fund
RUN node release/published-manifest.ts replace
RUN node release/prune-modules.ts
RUN strip --strip-unneeded node_modules/@duckdb/node-bindings-linux-*/libduckdb.so
RUN strip -o node-stripped "$(command -v node)"

# glibc, libstdc++ and certificates; no shell and no package manager. The user is 65532.
FROM gcr.io/distroless/cc-debian12:nonroot
COPY --from=build /app/node-stripped /usr/local/bin/node
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/dist ./dist
COPY --from=build /app/queries ./queries
COPY --from=build /app/packages/pages/package.json ./packages/pages/
COPY --from=build /app/packages/pages/built ./packages/pages/built
COPY --from=build /app/packages/bigquery-sql/package.json ./packages/bigquery-sql/
COPY --from=build /app/packages/bigquery-sql/dist ./packages/bigquery-sql/dist
COPY --from=build /app/packages/text/package.json ./packages/text/
COPY --from=build /app/packages/text/dist ./packages/text/dist
COPY --from=build /app/packages/duckdb-import/package.json ./packages/duckdb-import/
COPY --from=build /app/packages/duckdb-import/dist ./packages/duckdb-import/dist
COPY --from=build /app/node_modules ./node_modules
ENV NODE_ENV=production HOST=0.0.0.0
USER 65532:65532
EXPOSE 4000 9464
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s CMD ["node", "dist/main.js", "health"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "dist/main.js"]
CMD ["start"]
