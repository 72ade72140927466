/**
 * An origin as browsers send it, in lowercase and without its default port; undefined if the text is not an origin.
 */
export function parseOrigin(text: string): string | undefined {
  const url = URL.parse(text.trim());
  const isOrigin = url !== null && /^https?:\/\/[^\s/?#@\\*]+$/i.test(text.trim());
  return isOrigin && url.origin !== 'null' ? url.origin : undefined;
}

/** The problem with texts that should be origins; undefined if all are. A value that may have a password is left out. */
export function originsProblem(given: unknown, texts: readonly string[], right: string): string | undefined {
  const problems = texts.flatMap((text) => originProblem(text.trim()) ?? []);
  if (problems.length === 0) return undefined;
  const got = JSON.stringify(given);
  return `${got.includes('@') ? '' : `got ${got}; `}must be ${right}; ${problems.join(', ')}`;
}

function originProblem(text: string): string | undefined {
  if (parseOrigin(text) !== undefined) return undefined;
  if (text.includes('@')) return 'a user and a password are not parts of an origin';
  const shown = JSON.stringify(text);
  if (/^(?:https?:\/\/)?[\w.:-]*\*[\w.:*-]*$/.test(text))
    return `${shown} has a *, which no origin has: name each one`;
  const several = text.split(/[\s;|]+/).filter((part) => part !== '');
  if (several.length > 1 && several.every((part) => parseOrigin(part) !== undefined))
    return `${shown} is more than one: join them by commas`;
  const url = URL.parse(text);
  if (url !== null && /^https?:\/\/./i.test(text))
    return `${shown} has ${extraPart(url)}: write ${url.origin}`;
  return parseOrigin(`https://${text}`) === undefined
    ? `${shown} is not one`
    : `${shown} has no https:// before it`;
}

function extraPart({ pathname, search, hash }: URL): string {
  if (pathname !== '/') return 'a path, which an origin has not';
  if (search !== '') return 'a query, which an origin has not';
  return hash === '' ? 'a / at its end' : 'a fragment, which an origin has not';
}
