/** No part of it is `.` or `..`. */
const pathPattern = /^(?:\/(?!\.{1,2}(?:\/|$))[\w.~-]+)+$/;

const basePathText =
  'a path that begins with a slash, of letters, digits and any of . _ ~ -, as in /warehouse';

/** The gateway's own paths, and the beginnings of some: below one of them, a path would mean two things. */
const ownPaths =
  /^\/(?:api(?:\/(?:endpoints|live)(?:\/.*)?)?|healthz?|livez|readyz|metrics|openapi(?:\.json)?|agents|(?:graphql|queries|embed|assets|sql|mcp|\.well-known)(?:\/.*)?)$/;

const notOwnText = 'another path than those of the gateway itself, such as /api and /graphql';

/** The rule that a text breaks which is no path for a gateway; undefined if it is one. */
export const basePathRule = (text: string): string | undefined =>
  parseBasePath(text) === undefined
    ? basePathText
    : ownPaths.test(text.replace(/\/$/, ''))
      ? notOwnText
      : undefined;

/** The path below which callers reach a gateway, without a slash at its end: one alone means the root. undefined if it is not a path. */
export function parseBasePath(text: string): string | undefined {
  const path = text.replace(/\/$/, '');
  return path === '' || pathPattern.test(path) ? path : undefined;
}
