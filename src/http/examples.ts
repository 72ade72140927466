import { exampleValue } from '../catalog/example-parameters.ts';
import { camelCase } from '../catalog/names.ts';
import type { Catalog, Column, Parameter, SavedQuery } from '../catalog/saved-query.ts';

/** A worked example for every saved query, as REST callers write it: the path with its query string. */
export function restExamples({ queries }: Catalog): readonly string[] {
  return queries.map((query) => {
    const given = exampleValues(query).map(([{ name }, value]) => `${name}=${encodeURIComponent(value)}`);
    return [`/api/endpoints/query/${query.name}`, given.join('&')].filter(Boolean).join('?');
  });
}

/** The same as GraphQL operations, one for each saved query. */
export function graphqlExamples({ queries }: Catalog): readonly string[] {
  return queries.map((query) => {
    const field = camelCase(query.name);
    const given = exampleValues(query).map(
      ([parameter, value]) => `${camelCase(parameter.name)}: ${literal(parameter, value)}`,
    );
    const args = given.length === 0 ? '' : `(\n    ${given.join('\n    ')}\n  )`;
    return `# ${query.description}
query ${field.charAt(0).toUpperCase()}${field.slice(1)} {
  ${field}${args} {
    rows {
${query.columns.map((column: Column) => `      ${camelCase(column.name)}`).join('\n')}
    }
    rowCount
    truncated
    computedAt
  }
}
`;
  });
}

/** The parameters that an example gives: those with an example, and required ones without, as a blank to fill in. */
function exampleValues({ parameters }: SavedQuery): readonly (readonly [Parameter, string])[] {
  return parameters.flatMap((parameter) => {
    const value = exampleValue(parameter);
    return value === undefined ? [] : [[parameter, value] as const];
  });
}

function literal(parameter: Parameter, value: string): string {
  if (parameter.type === 'enum') return parameter.values.find((one) => one.value === value)?.name ?? value;
  return ['integer', 'float', 'boolean'].includes(parameter.type) ? value : JSON.stringify(value);
}
