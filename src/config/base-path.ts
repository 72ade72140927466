/** No part of it is `.` or `..`. */
const pathPattern = /^(?:\/(?!\.{1,2}(?:\/|$))[\w.~-]+)+$/;

export const basePathText =
  'a path that begins with a slash, of letters, digits and any of . _ ~ -, as in /warehouse';

/** The path below which callers reach a gateway, without a slash at its end: one alone means the root. undefined if it is not a path. */
export function parseBasePath(text: string): string | undefined {
  const path = text.replace(/\/$/, '');
  return path === '' || pathPattern.test(path) ? path : undefined;
}
