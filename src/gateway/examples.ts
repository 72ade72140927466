import { canonicalText } from '../catalog/binding/check-value.ts';
import { exampleValue } from '../catalog/binding/example-parameters.ts';
import { textsOf } from '../catalog/binding/list-values.ts';
import type {
  Catalog,
  Parameter,
  ParameterText,
  RecordField,
  SavedQuery,
} from '../catalog/model/saved-query.ts';
import { mainNames, type PublicName } from '../catalog/model/versions.ts';
import { camelCase, graphqlNames, pascalCase } from '../names/graphql-names.ts';
import { endpointPath } from '../http/message/paths.ts';
import { argumentType } from '../http/graphql/schema/arguments.ts';

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
    const comment = query.description.split(/\r\n|[\r\n]/).map((line) => `# ${line}`.trimEnd());
    return `${comment.join('\n')}
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

/** The fields of a result: its rows and what is known of them. */
const selection = (query: SavedQuery): string => `rows {
${columnLines(query)}
    }
    rowCount
    truncated
    computedAt`;

/** All columns, with so many fields of records that an example stays readable. */
function columnLines({ columns }: SavedQuery): string {
  const left = { fields: maxRecordFields };
  return columns
    .flatMap((column) => fieldLines(column, camelCase(column.name), left))
    .map((line) => `      ${line}`)
    .join('\n');
}

/** Fields of records in one example. */
const maxRecordFields = 24;
/** Fields of one record that are not records. */
const maxPlainFields = 3;

function fieldLines({ fields }: RecordField, name: string, left: { fields: number }): readonly string[] {
  if (fields === undefined) return [name];
  const names = graphqlNames(fields);
  const lines: string[] = [];
  let plain = 0;
  for (const [at, field] of fields.entries()) {
    if (left.fields <= 0 && lines.length > 0) break;
    if (field.fields === undefined && plain === maxPlainFields) continue;
    if (field.fields === undefined) {
      plain += 1;
      left.fields -= 1;
    }
    lines.push(...fieldLines(field, names[at] ?? '', left));
  }
  return [`${name} {`, ...lines.map((line) => `  ${line}`), '}'];
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
  // GraphQL has fewer spellings: neither True nor +5 nor .5.
  return ['integer', 'float', 'boolean'].includes(parameter.type)
    ? canonicalText(parameter, value)
    : JSON.stringify(value);
}
