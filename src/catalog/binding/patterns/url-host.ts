import { RE2JS } from 're2js';
import { isQuantifier, literalOf } from './pattern-tokens.ts';

/** True if what follows a text is in the host of a URL: after `//`, or what browsers read alike, as in `https:\`. */
export function isBeforeHost(text: string): boolean {
  return /[:/\\][/\\][^/\\?#]*$/.test(text);
}

/**
 * True if a pattern ends the host of a URL in the tokens from `at` on: with the label that is the tenant, or with a dot
 * and more of the host, then perhaps a port. Until then nothing may match `@`, before which a URL has a name and a
 * password that the caller has chosen, as in `https://tenant.example.com@other.example.com/`.
 */
export function endsHost(tokens: readonly string[], at: number): boolean {
  const restAt = literalOf(tokens[at]) === '.' ? skipHost(tokens, at) : at;
  return restAt !== undefined && isHostEnd(tokens, skipPort(tokens, restAt));
}

/** @returns where the host may end; undefined if the first dot is optional */
function skipHost(tokens: readonly string[], dotAt: number): number | undefined {
  let at = dotAt + 1;
  if (isQuantifier(tokens[at])) return undefined;
  while (isInsideHost(tokens[at])) {
    at += 1;
    while (isQuantifier(tokens[at])) at += 1;
  }
  return at;
}

/** True for a token that matches one or more characters, but none that ends a host or a name before it. */
function isInsideHost(token = ''): boolean {
  const literal = literalOf(token);
  if (literal !== undefined) return /^[\w.-]$/.test(literal);
  if (!/^(?:\[.|\\[dw]$)/.test(token)) return false;
  try {
    const pattern = RE2JS.compile(`^${token}$`);
    return !['/', '?', '#', '@'].some((end) => pattern.matcher(end).find());
  } catch {
    return false;
  }
}

/** `:\d+` or `(?::\d+)?`, if it is there. */
function skipPort(tokens: readonly string[], at: number): number {
  const port = /^(?::\\d(?:[+*]|\{[\d,]+\})|\((?:\?:)?:\\d(?:[+*]|\{[\d,]+\})\)\?)/.exec(
    tokens.slice(at).join(''),
  );
  if (port === null) return at;
  let length = 0;
  for (let end = at; ; end += 1) {
    if (length === port[0].length) return end;
    length += tokens[end]?.length ?? 0;
  }
}

/** `/`, `\?`, `#`, one of them, or the end of the text; also as alternatives in a group. */
function isHostEnd(tokens: readonly string[], at: number): boolean {
  if (tokens[at] !== '(') return isEndToken(tokens[at]) && !isQuantifier(tokens[at + 1]);
  const close = tokens.indexOf(')', at);
  const inside = tokens.slice(at + (tokens[at + 1] === '?' ? 3 : 1), close);
  const areEnds = inside.every((token, index) => (index % 2 === 0 ? isEndToken(token) : token === '|'));
  return close > 0 && inside.length % 2 === 1 && areEnds && !isQuantifier(tokens[close + 1]);
}

function isEndToken(token = ''): boolean {
  return token === '$' || /^[/?#]$/.test(literalOf(token) ?? '') || /^\[(?:[/?#]|\\[/?#\\])+\]$/.test(token);
}
