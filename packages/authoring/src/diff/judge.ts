import type { Change } from './change.ts';
import { type Level, worse } from './levels.ts';
import { ruleOf } from './verdicts.ts';
import type { FoundInSchema } from './schema/schema-changes.ts';

/** A change with its verdict. */
export interface JudgedChange extends Change {
  /** The more severe of `rest` and `graphql`. */
  readonly level: Level;
  readonly rest: Level;
  readonly graphql: Level;
  /** The effect that callers see. */
  readonly effect: string;
  /** The differences of the GraphQL schemas that it makes. */
  readonly schema: readonly FoundInSchema[];
}

/**
 * Judges the changes of an endpoint by the rules, and by what the comparison of the schemas says of the same keys of
 * the header. A difference that only the schemas show becomes a change of its own.
 */
export function judge(changes: readonly Change[], found: readonly FoundInSchema[]): readonly JudgedChange[] {
  const schemaOf = new Map<Change, FoundInSchema[]>();
  const others: FoundInSchema[] = [];
  for (const one of found) {
    const owner = ownerOf(changes, one);
    if (owner === undefined) others.push(one);
    else schemaOf.set(owner, [...(schemaOf.get(owner) ?? []), one]);
  }
  return [
    ...changes.map((change) => withVerdict(change, schemaOf.get(change) ?? [])),
    ...others.map((one) =>
      withVerdict({ kind: 'schema-changed', path: one.header, text: one.message }, [one]),
    ),
  ];
}

/**
 * Of the changes at or below a key, the one that is the most severe in GraphQL, and of these the nearest; for the endpoint
 * as a whole, any. Without any, of the changes of the records around it, each of which may be another record now.
 */
function ownerOf(changes: readonly Change[], { header }: FoundInSchema): Change | undefined {
  const own = changes.filter(({ kind }) => kind !== 'description');
  const within = own.filter(({ path }) => header.every((key, at) => path[at] === key));
  const around = own.filter(({ path }) => path.every((key, at) => header[at] === key));
  const distance = ({ path }: Change) => Math.abs(path.length - header.length);
  return (within.length > 0 ? within : around).toSorted(
    (a, b) => severity(b) - severity(a) || distance(a) - distance(b),
  )[0];
}

const severity = ({ kind }: Change): number => ({ breaking: 2, dangerous: 1, safe: 0 })[ruleOf(kind).graphql];

function withVerdict(change: Change, schema: readonly FoundInSchema[]): JudgedChange {
  const { rest, graphql: byRule, effect, isStricterInSchema } = ruleOf(change.kind);
  const graphql = isStricterInSchema
    ? byRule
    : schema.reduce((level, found) => worse(level, found.level), byRule);
  return { ...change, rest, graphql, level: worse(rest, graphql), effect, schema };
}
