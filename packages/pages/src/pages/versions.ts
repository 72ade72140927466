import { basePath } from '../base-path.ts';
import { element } from '../element.ts';
import type { Endpoint } from '../endpoint.ts';

/** The versions of one name. */
export interface Group {
  /** The endpoint whose name has no number; else the newest version. */
  readonly main: Endpoint;
  /** Each version by its own name, the newest first; none if there is only one. */
  readonly versions: readonly Endpoint[];
}

export function groupsOf(endpoints: readonly Endpoint[]): readonly Group[] {
  return [...Map.groupBy(endpoints, ({ base }) => base).values()].flatMap((group) => {
    const versions = group.filter(({ name, base }) => name !== base).sort((a, b) => b.version - a.version);
    const main = group.find(({ name, base }) => name === base) ?? versions[0];
    return main === undefined ? [] : [{ main, versions: versions.length > 1 ? versions : [] }];
  });
}

/** Links to all versions, with what they are. @param shown the name of the one that the page is about */
export function versionsLine({ main, versions }: Group, shown?: string): readonly HTMLElement[] {
  if (versions.length === 0) return [];
  const shadows = new Set(versions.map(({ shadow }) => shadow));
  const links = versions.flatMap((one) => [
    link(one, String(one.version), {
      'aria-label': `Version ${one.version} of ${one.base}`,
      'aria-current': one.name === shown && 'page',
    }),
    ...(main.name === main.base && one.version === main.version ? [' ', badge('default')] : []),
    ...(one.isDeprecated ? [' ', badge('deprecated')] : []),
    ...(shadows.has(one.version) ? [' ', badge('shadow')] : []),
    ' ',
  ]);
  return [element('p', { class: 'versions' }, 'Versions: ', ...links)];
}

export const badge = (text: string): HTMLElement => element('span', { class: 'badge' }, text);

export const link = (
  { name }: Endpoint,
  text: string,
  attributes: Parameters<typeof element>[1] = {},
): HTMLElement => element('a', { href: `${basePath}/queries/${name}`, ...attributes }, text);
