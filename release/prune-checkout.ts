import { globSync, rmSync } from 'node:fs';

/**
 * Removes from `node_modules` of a checkout what nothing reads there, a fifth of it: npm calls it after `npm ci`. An image is
 * pruned more (`prune-modules.ts`).
 */
const unused = [
  // Headers of V8 and OpenSSL, for packages that are compiled when they are installed.
  'node_modules/node-*/include',
  'node_modules/**/*.map',
  // Node has these itself; the package is for old versions.
  'node_modules/web-streams-polyfill',
];

for (const path of globSync(unused)) rmSync(path, { recursive: true, force: true });
