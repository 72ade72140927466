import { problem, type SchemaProblem } from '../../files/schema-problems.ts';
import type { Deprecation, Shadow } from '../model/saved-query.ts';
import { parseVersionName } from '../model/version-name.ts';
import type { Header } from './header-schema.ts';

/** The share of requests whose rows are compared, unless a header gives one. */
const defaultShare = 0.1;

/** Checks `deprecated` and `shadow` as far as one file shows it. */
export function checkVersion(name: string, { deprecated, shadow }: Header): readonly SchemaProblem[] {
  const problems: SchemaProblem[] = [];
  const { since, sunset } = deprecated ?? {};
  // RFC 9745, 4: the sunset is not before the deprecation.
  if (since !== undefined && sunset !== undefined && sunset < since) {
    problems.push(problem(['deprecated', 'sunset'], `must not be before since (${since})`));
  }
  if (shadow === undefined) return problems;
  const { base, version } = parseVersionName(name);
  const target = targetOf(shadow);
  if (typeof target === 'string' && parseVersionName(target).base !== base) {
    problems.push(problem(['shadow'], `must be a version of ${base}, as in ${base}@${version + 1}`));
  } else if (numberOf(target) === version) {
    problems.push(problem(['shadow'], `version ${version} is this file; it must be another version`));
  }
  return problems;
}

export const toDeprecation = ({ deprecated }: Header): Deprecation | undefined =>
  deprecated && {
    since: deprecated.since,
    sunset: deprecated.sunset,
    reason: deprecated.reason,
    successor: deprecated.successor,
  };

export function toShadow({ shadow }: Header): Shadow | undefined {
  if (shadow === undefined) return undefined;
  const { share = defaultShare } = typeof shadow === 'object' ? shadow : {};
  return { version: numberOf(targetOf(shadow)), share };
}

type HeaderShadow = NonNullable<Header['shadow']>;

const targetOf = (shadow: HeaderShadow): string | number =>
  typeof shadow === 'object' ? shadow.version : shadow;

const numberOf = (target: string | number): number =>
  typeof target === 'number' ? target : parseVersionName(target).version;
