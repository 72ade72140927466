import { seenBySql, sqlParameter, unusedBySql } from '../../../catalog/binding/caller-sql.ts';
import type { SavedQuery } from '../../../catalog/model/saved-query.ts';
import { sqlArguments } from '../definitions/sql-tool.ts';
import type { JsonMembers } from '../protocol/message.ts';
import { type ReadArguments, readArguments } from './tool-arguments.ts';

/** The same for a tool that takes SQL: it is a parameter of REST, too. */
export function readSqlArguments(
  query: SavedQuery,
  given: JsonMembers,
  tenants: ReadonlySet<string> | undefined,
): ReadArguments {
  const { [sqlArguments.sql]: sql, [sqlArguments.dryRun]: _, ...others } = given;
  const read = readArguments(seenBySql(query), withoutUnused(query, others), tenants, {
    offered: Object.values(sqlArguments),
    passedOn: [],
  });
  const isText = typeof sql === 'string' && sql.trim() !== '';
  const mistakes = [
    ...(isText ? [] : [`${sqlArguments.sql}: is required: one SELECT, as text`]),
    ...(['', 'true', 'false'].includes(dryRunOf(given))
      ? []
      : [`${sqlArguments.dryRun}: must be true or false`]),
    ...Object.keys(others)
      .filter((name) => unusedBySql(query).has(name) && others[name] !== null)
      .map((name) => `${name}: has no effect on sql, whose tables do not use it; leave it out`),
    ...('mistakes' in read ? read.mistakes : []),
  ];
  if (!isText || 'mistakes' in read || mistakes.length > 0) return { mistakes };
  return { parameters: new Map([...read.parameters, [sqlParameter, [sql]]]) };
}

const withoutUnused = (query: SavedQuery, given: JsonMembers): JsonMembers =>
  Object.fromEntries(Object.entries(given).filter(([name]) => !unusedBySql(query).has(name)));

/** True if a call is only to be checked. */
export const isDryRun = (given: JsonMembers): boolean => dryRunOf(given) === 'true';

/** The text that a parameter of type boolean would have. */
function dryRunOf({ [sqlArguments.dryRun]: value }: JsonMembers): string {
  return typeof value === 'object' && value !== null ? 'an object' : String(value ?? '').toLowerCase();
}
