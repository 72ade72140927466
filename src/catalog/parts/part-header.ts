import { z } from 'zod';
import {
  describeIssue,
  otherWords,
  type SchemaProblem,
  schemaProblems,
} from '../../files/schema-problems.ts';
import { checkNames } from '../header/check-names.ts';
import { checkParameters } from '../header/check-parameters.ts';
import { headerSchema } from '../header/header-schema.ts';
import type { HeaderAndSql } from '../header/split-file.ts';

/** The header of a query that only others read. */
const partShape = {
  serve: z.literal('off', 'must be off; the header of a query that is served has no serve'),
  description: headerSchema.shape.description.optional(),
  parameters: headerSchema.shape.parameters,
  materialize: z.literal('refresh', 'must be refresh').optional(),
};

const partSchema = z.strictObject(partShape, {
  error: otherWords({ params: 'parameters', arguments: 'parameters' }),
});

/** True if a header says how its query is served: that it is not. */
export const hasServe = (header: unknown): boolean =>
  typeof header === 'object' && header !== null && 'serve' in header;

/** True if its rows are computed once for the queries that are refreshed together. */
export const isMaterialized = (header: unknown): boolean =>
  hasServe(header) && partSchema.safeParse(header).data?.materialize !== undefined;

/** Reports keys that only the header of a served query may have, as one problem. */
function withoutServedKeys(problems: readonly SchemaProblem[], header: unknown): readonly SchemaProblem[] {
  const keys = Object.keys(header ?? {}).filter(
    (key) => Object.hasOwn(headerSchema.shape, key) && !Object.hasOwn(partSchema.shape, key),
  );
  const [first] = keys;
  if (first === undefined) return problems;
  const others = problems.filter(({ path }) => !keys.includes(String(path[0])));
  // With an id and another value of serve it is rather a query that is served.
  if (keys.includes('id') && others.some(({ path }) => path[0] === 'serve')) return others;
  return [...others, { path: [first], message: `a query with serve: off has no ${keys.join(', ')}` }];
}

/** The problems of the header of a query that is not served. */
export function partHeaderProblems({ header }: HeaderAndSql): readonly SchemaProblem[] {
  const parsed = partSchema.safeParse(header, { error: describeIssue });
  return parsed.success
    ? [...checkParameters(parsed.data), ...checkNames({ ...parsed.data, columns: {} })]
    : withoutServedKeys(schemaProblems(parsed.error), header);
}
