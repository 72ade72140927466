import type { Kind, Stability } from './stability.ts';

/** A name that callers use. */
export interface Name {
  readonly stability: Stability;
  /** What it is, as a text that differs when it means something else. */
  readonly form: string;
}

/** Everything that callers use, by kind and name. What is not in it is internal. */
export interface Surface {
  readonly version: string;
  readonly names: Readonly<Record<Kind, Readonly<Record<string, Name>>>>;
}

/** A change that has no version yet: a file of `.changeset`. */
export interface Change {
  readonly bump: 'major' | 'minor' | 'patch';
  readonly text: string;
}

/**
 * The stable names of the last release that are gone or differ, without a change that names them, a line each. While the
 * version is 0.x, a change that breaks callers is `minor`, from 1.0 on `major`.
 */
export function surfaceProblems(last: Surface, now: Surface, changes: readonly Change[]): readonly string[] {
  const breaking = now.version.startsWith('0.') ? ['minor', 'major'] : ['major'];
  return Object.entries(last.names).flatMap(([kind, names]) =>
    Object.entries(names).flatMap(([name, { stability, form }]) => {
      if (stability === 'experimental') return [];
      const next = now.names[kind as Kind]?.[name];
      if (next?.form === form && next.stability === 'stable') return [];
      const what =
        next === undefined
          ? 'is gone'
          : next.stability === 'experimental'
            ? 'is experimental now'
            : `was ${form || '(nothing)'}, and is ${next.form || '(nothing)'}`;
      // What is added to a name, as another value of a setting, breaks no caller: a person judges it.
      const isBreaking = next?.stability !== 'stable';
      const isNamed = changes.some(
        ({ bump, text }) => (!isBreaking || breaking.includes(bump)) && mentions(text, name),
      );
      const kindOfChange = isBreaking ? `of the kind ${breaking[0]} ` : '';
      return isNamed
        ? []
        : [
            `${kind}: ${name} ${what}: keep it, or name \`${shortName(name)}\` in a file of .changeset ${kindOfChange}`.trim(),
          ];
    }),
  );
}

const mentions = (text: string, name: string): boolean =>
  [name, shortName(name)].some((one) => text.includes(`\`${one}\``));

/** The last part of a name, as in `createGateway` for `querygate: createGateway`. */
const shortName = (name: string): string => name.split(/: | → | (?=--)/).at(-1) ?? name;
