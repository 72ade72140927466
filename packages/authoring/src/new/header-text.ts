import { Document, isCollection, isPair, isScalar } from 'yaml';
import { columnTypes, fillIn, pascalCase } from 'querygate/catalog';
import type { ResultColumn } from 'querygate';
import type { DescribedParameter } from '../proposals/describe-parameters.ts';
import type { DescribedColumn, SqlDescription } from '../proposals/describe-sql.ts';

/** The texts of an existing file of the same name, which stay. */
export interface EarlierHeader {
  readonly id?: string;
  readonly description?: string;
  /** Descriptions by path: `columns.count`. */
  readonly descriptions: ReadonlyMap<string, string>;
}

interface HeaderOptions {
  readonly name: string;
  readonly id: string;
  readonly description: SqlDescription;
  /** The parameter that is the tenant. */
  readonly tenant: string | undefined;
  readonly earlier: EarlierHeader;
}

const defaultMaxRows = 1000;
const mostMaxRows = 100_000;

/** The YAML between the marks of a saved query's header. */
export function headerText({ name, id, description, tenant, earlier }: HeaderOptions): string {
  const { columns, limit, parameters } = description;
  const textAt = (path: string, otherwise: string) => earlier.descriptions.get(path) ?? otherwise;
  const document = new Document({
    id,
    description:
      earlier.description ?? description.description ?? fillIn('what the query returns, and for which time.'),
    max_rows: limit === undefined || limit === 0 ? defaultMaxRows : Math.min(limit, mostMaxRows),
    caching: 'disabled',
    ...(parameters.length > 0 && {
      parameters: Object.fromEntries(
        parameters.map((parameter) => [
          parameter.name,
          parameterData(name, parameter, parameter.name === tenant, textAt),
        ]),
      ),
    }),
    columns: Object.fromEntries(columns.map((column) => [column.name, columnData(column, textAt)])),
  });
  const caching = document.get('caching', true) as { comment?: string } | undefined;
  if (caching) caching.comment = ' how long a result is fresh, as in 60s';
  quoteCommentEnds(document.contents);
  const text = document.toString({ lineWidth: 0 });
  return text.replaceAll('*/', '*\\/');
}

/** The header is a comment to BigQuery, which `* /` without the blank would end: in double quotes the slash may be escaped. */
function quoteCommentEnds(node: unknown): void {
  if (isScalar(node) && String(node.value).includes('*/')) node.type = 'QUOTE_DOUBLE';
  if (isCollection(node)) for (const item of node.items) quoteCommentEnds(item);
  if (!isPair(node)) return;
  quoteCommentEnds(node.key);
  quoteCommentEnds(node.value);
}

type TextAt = (path: string, otherwise: string) => string;

function parameterData(
  query: string,
  parameter: DescribedParameter,
  isTenant: boolean,
  textAt: TextAt,
): object {
  const { name, bind, declared, isList, repeated, required, type, values } = parameter;
  if (declared !== undefined) {
    const { tenant: _, tenant_pattern: __, ...others } = declared;
    const description = textAt(`parameters.${name}`, String(declared.description));
    return { ...(isTenant ? declared : others), description, ...(isTenant && { tenant: true }) };
  }
  const what = isList ? `which values of ${name} are returned, separated by commas.` : `what ${name} means.`;
  return {
    type,
    ...(type === 'enum' && { enum: pascalCase(`${query}.${name}`) }),
    description: textAt(
      `parameters.${name}`,
      parameter.description ?? fillIn(isTenant ? 'whose rows are returned.' : what),
    ),
    ...(repeated && { repeated }),
    // The type of a list says what it is bound as.
    ...(bind !== undefined && !repeated && { bind }),
    ...(parameter.default === undefined || isTenant
      ? required && { required }
      : { default: yamlValue(type, parameter.default) }),
    // No caller should get the rows of a tenant that it did not name.
    ...(isTenant && parameter.default !== undefined && { example: parameter.default }),
    ...Object.fromEntries(
      Object.entries(parameter.bounds ?? {}).map(([key, bound]) => [key, yamlValue(type, bound)]),
    ),
    ...(isTenant && { tenant: true }),
    ...(type === 'enum' && { values: enumValues(name, values, textAt) }),
  };
}

type Literal = NonNullable<DescribedParameter['default']>;

/** Numbers need no quotes, unless YAML would round them. */
function yamlValue(type: DescribedParameter['type'], value: Literal): unknown {
  if (typeof value !== 'string') return value.map((item) => yamlValue(type, item));
  return type === 'integer' && Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

function enumValues(parameter: string, values: readonly string[], textAt: TextAt): object {
  const names = new Set<string>();
  return Object.fromEntries(
    values.map((value) => {
      const plain =
        value
          .toUpperCase()
          .replace(/[^A-Z0-9_]+/g, '_')
          .replace(/^__+/, '_') || 'VALUE';
      let name = /^\d/.test(plain) ? `_${plain}` : plain;
      while (names.has(name)) name += '_';
      names.add(name);
      return [
        value,
        {
          name,
          description: textAt(`parameters.${parameter}.values.${value}`, fillIn(`what ${value} means.`)),
        },
      ];
    }),
  );
}

function columnData(
  { name, type, repeated, required, description, fields }: DescribedColumn,
  textAt: TextAt,
): object {
  const otherwise = description ?? fillIn(`what ${name} contains.`);
  return {
    type: type ?? 'string',
    ...(repeated && { repeated }),
    ...(required && { required }),
    description: textAt(
      `columns.${name}`,
      type === undefined
        ? fillIn(`what ${name} contains, and its type: the SQL returns only NULL.`)
        : otherwise,
    ),
    ...(fields && { fields: fieldsData(fields, `columns.${name}.fields`, textAt) }),
  };
}

function fieldsData(fields: readonly ResultColumn[], path: string, textAt: TextAt): object {
  return Object.fromEntries(
    fields.map(({ name, type: found, repeated, fields: inner }) => {
      const type = columnTypes.find((one) => one === found) ?? 'json';
      const own = `${path}.${name}`;
      const description = textAt(own, '');
      if (!repeated && inner === undefined && description === '') return [name, type];
      return [
        name,
        {
          type,
          ...(repeated && { repeated }),
          ...(description !== '' && { description }),
          ...(inner && { fields: fieldsData(inner, `${own}.fields`, textAt) }),
        },
      ];
    }),
  );
}
