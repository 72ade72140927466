import { macros, macrosIn } from './macros.ts';

export const isMacro = (callee: string): boolean => callee.startsWith('bq.');

/** Whether the body of a macro contains a subquery, directly or through others: it can't be called in a lambda. */
export function hasSubquery(callee: string): boolean {
  const names = macrosIn(callee);
  return names.some((name) => {
    const known = withSubquery.get(name);
    if (known !== undefined) return known;
    withSubquery.set(name, false);
    const bodies = (macros.get(name) ?? []).map(({ body }) => body).join(' ');
    const found = /\(\s*select\b/i.test(bodies) || hasSubquery(bodies);
    withSubquery.set(name, found);
    return found;
  });
}

const withSubquery = new Map<string, boolean>();
