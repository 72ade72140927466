import { hash } from 'node:crypto';

/**
 * The longest name. Model APIs take 64 characters, and clients put the name of a server before it, as in
 * `mcp__server__errors_by_day`.
 */
const maxLength = 48;

/**
 * Names as clients of models take them: letters, digits and `_`, each another one. One name that they refuse hides all tools.
 *
 * A name that is one already stays as it is. Of several that would become the same one none does, so that a client that has
 * kept a list never means another tool by it: a hash of the whole name follows.
 *
 * @param reserved names that mean something else
 * @returns by the names as they are
 */
export function clientNames(
  names: readonly string[],
  reserved: ReadonlySet<string> = new Set(),
): ReadonlyMap<string, string> {
  const own = new Set(names);
  const sameName = Map.groupBy(own, plainName);
  const isFree = (name: string) => !reserved.has(name) && name !== '' && name.length <= maxLength;
  return new Map(
    [...own].map((name) => {
      const plain = plainName(name);
      const isAlone = sameName.get(plain)?.length === 1;
      return [name, isFree(plain) && (plain === name || isAlone) ? plain : hashedName(name, plain)];
    }),
  );
}

const plainName = (name: string): string => name.replaceAll(/[^a-zA-Z0-9_]+/g, '_');

/** Digits of a hash: of a thousand names that need one, two are equal once in 10^13 catalogs. */
const hashLength = 16;

const hashedName = (name: string, plain: string): string =>
  `${plain.slice(0, maxLength - hashLength - 1)}_${hash('sha256', name).slice(0, hashLength)}`;
