import { textsOf } from '../catalog/binding/raw-texts.ts';
import { exampleValue } from '../catalog/example-parameters.ts';
import { camelCase } from '../catalog/names.ts';
import type { Catalog, Column, Parameter, ParameterText, SavedQuery } from '../catalog/saved-query.ts';
import { endpointPath } from './paths.ts';

/** An example request for every saved query in REST: the path with its query string. */
export function restExamples({ queries }: Catalog): readonly string[] {
  return queries.map((query) => {
    const parameters = exampleValues(query).flatMap(([{ name }, value]) =>
      textsOf(value).map((text) => `${name}=${encodeURIComponent(text)}`),
    );
    return [`${endpointPath}${query.name}`, parameters.join('&')].filter(Boolean).join('?');
  });
}

/** The same as GraphQL operations. */
export function graphqlExamples({ queries }: Catalog): readonly string[] {
  return queries.map((query) => {
    const field = camelCase(query.name);
    const values = exampleValues(query).map(
      ([parameter, value]) => `${camelCase(parameter.name)}: ${graphqlLiteral(parameter, value)}`,
    );
    const args = values.length === 0 ? '' : `(\n    ${values.join('\n    ')}\n  )`;
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

/** Parameters that have an example, and required ones without, with a placeholder. */
function exampleValues({ parameters }: SavedQuery): readonly (readonly [Parameter, ParameterText])[] {
  return parameters.flatMap((parameter) => {
    const value = exampleValue(parameter);
    return value === undefined ? [] : [[parameter, value] as const];
  });
}

function graphqlLiteral(parameter: Parameter, value: ParameterText): string {
  if (typeof value !== 'string') return `[${value.map((one) => graphqlLiteral(parameter, one)).join(', ')}]`;
  if (parameter.type === 'enum')
    return parameter.values.find((enumValue) => enumValue.value === value)?.name ?? value;
  return ['integer', 'float', 'boolean'].includes(parameter.type) ? value : JSON.stringify(value);
}
