import { textsOf } from '../catalog/binding/raw-texts.ts';
import { exampleValue } from '../catalog/example-parameters.ts';
import { camelCase, pascalCase } from '../catalog/names.ts';
import type { Catalog, Parameter, ParameterText, SavedQuery } from '../catalog/saved-query.ts';
import { mainNames, type PublicName } from '../catalog/versions/versions.ts';
import { argumentType } from './graphql/schema/arguments.ts';
import { endpointPath } from './paths.ts';

/** An example request for every saved query in REST: the path with its query string. */
export function restExamples(catalog: Catalog): readonly string[] {
  return [...mainNames(catalog).values()].map(({ name, query }) => {
    const parameters = exampleValues(query).flatMap(([{ name }, value]) =>
      textsOf(value).map((text) => `${name}=${encodeURIComponent(text)}`),
    );
    return [`${endpointPath}${name}`, parameters.join('&')].filter(Boolean).join('?');
  });
}

/** The same as GraphQL operations. */
export function graphqlExamples(catalog: Catalog): readonly string[] {
  return [...mainNames(catalog).values()].map(({ field, query }) => {
    const values = exampleValues(query).map(
      ([parameter, value]) => `${camelCase(parameter.name)}: ${graphqlLiteral(parameter, value)}`,
    );
    const args = values.length === 0 ? '' : `(\n    ${values.join('\n    ')}\n  )`;
    return `# ${query.description}
query ${field.charAt(0).toUpperCase()}${field.slice(1)} {
  ${field}${args} {
    ${selection(query)}
  }
}
`;
  });
}

/** A saved query as a GraphQL document for all values, and the variable of each parameter. */
export function graphqlOperation({ field, query }: Pick<PublicName, 'field' | 'query'>): {
  readonly document: string;
  readonly variables: Readonly<Record<string, string>>;
} {
  const declared = query.parameters.map((parameter) => {
    const name = camelCase(parameter.name);
    return {
      name: parameter.name,
      field: name,
      variable: `$${name}: ${argumentType(parameter)}`,
      argument: `${name}: $${name}`,
    };
  });
  const [variables, args] = [
    declared.map(({ variable }) => variable).join(', '),
    declared.map(({ argument }) => argument).join(', '),
  ].map((text) => (text === '' ? '' : `(${text})`));
  const document = `query ${pascalCase(field)}${variables} {
  ${field}${args} {
    ${selection(query)}
  }
}
`;
  return { document, variables: Object.fromEntries(declared.map(({ name, field }) => [name, field])) };
}

/** All columns, and what a result says of itself. */
const selection = ({ columns }: SavedQuery): string => `rows {
${columns.map(({ name }) => `      ${camelCase(name)}`).join('\n')}
    }
    rowCount
    truncated
    computedAt`;

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
