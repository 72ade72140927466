import { globSync, rmSync } from 'node:fs';

/**
 * Removes from `node_modules` what a service never reads, for the container image: types, source maps, documents, builds
 * for other module systems, and the pinned Node of a checkout.
 */
const unused = [
  'node_modules/**/*.{map,md,markdown,tsbuildinfo,flow}',
  // Node strips no types below node_modules.
  'node_modules/**/*.{ts,mts,cts}',
  'node_modules/{node,node-bin-*,node-linux-*,node-darwin-*,node-win-*}',
  'node_modules/.bin/node',
  // Node loads `build/src` of these.
  'node_modules/@opentelemetry/*/build/{esm,esnext}',
  'node_modules/@duckdb/node-bindings-*-musl',
  'node_modules/bintrees/test',
  // Node has these itself; the package is for old versions.
  'node_modules/web-streams-polyfill',
];

// The link of the workspace to itself, through which patterns would find the sources.
rmSync('node_modules/querygate', { force: true });

let removed = 0;
for (const path of globSync(unused)) {
  rmSync(path, { recursive: true, force: true });
  removed += 1;
}
process.stdout.write(`removed ${removed} files and folders\n`);
