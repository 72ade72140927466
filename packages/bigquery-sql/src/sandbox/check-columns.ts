import type { ResolvedQuery } from '../rules/context.ts';
import { openColumns } from '../rules/queries/outputs.ts';
import { type Place, Unsupported } from '../rules/unsupported.ts';
import type { Query, Select } from '../syntax/nodes.ts';
import { describeType, sameName, type Type } from '../types.ts';

/** Names that a result can have in JSON and in GraphQL without escapes. */
export const columnName = /^[a-z_]\w{0,299}$/i;

/**
 * Requires that the columns of a caller's query can be those of a result: each has a name of its own, and a type that JSON
 * can express.
 *
 * @throws Unsupported
 */
export function requireColumns(query: Query, { columns, isValue }: ResolvedQuery): void {
  if (isValue)
    throw new Unsupported(
      query,
      'SELECT AS STRUCT and SELECT AS VALUE have no columns; select each by its name',
    );
  for (const [at, { name, type }] of columns.entries()) {
    if (name === openColumns) continue;
    const place = placeOf(query, name);
    if (!columnName.test(name))
      throw new Unsupported(
        place,
        'the name of a column of the result is letters, digits and _, and does not begin with a digit; give it an alias',
      );
    if (columns.slice(0, at).some((other) => sameName(other.name, name)))
      throw new Unsupported(place, `the result has two columns named ${name}; give one of them an alias`);
    const part = unsupportedPart(type);
    if (part)
      throw new Unsupported(
        place,
        `the column ${name} is ${describeType(part)}, which a result cannot have; CAST it to STRING`,
      );
  }
}

/** INTERVAL and RANGE have no form in JSON. */
function unsupportedPart(type: Type): Type | undefined {
  switch (type.kind) {
    case 'array':
      return unsupportedPart(type.element);
    case 'struct':
      return type.fields.map((field) => unsupportedPart(field.type)).find((part) => part !== undefined);
    case 'range':
      return type;
    case 'scalar':
      return type.name === 'INTERVAL' ? type : undefined;
    default:
      return undefined;
  }
}

/** Where a column is written; the beginning of the query if "*" selects it. */
function placeOf(query: Query, name: string): Place {
  const items = firstSelect(query)?.items ?? [];
  const written = items.findLast((item) => {
    if (item.kind !== 'SelectExpression') return false;
    const { alias, expression } = item;
    const own = alias?.name ?? (expression.kind === 'Path' ? expression.parts.at(-1)?.name : undefined);
    return own !== undefined && sameName(own, name);
  });
  return written ?? query;
}

function firstSelect({ body }: Query): Select | undefined {
  switch (body.kind) {
    case 'Select':
      return body;
    case 'Query':
      return firstSelect(body);
    case 'SetOperation': {
      const [first] = body.inputs;
      return first?.kind === 'Query' ? firstSelect(first) : first;
    }
    default:
      return undefined;
  }
}
