import type { Field } from '@querygate/bigquery-sql/table-schema';

/** The type of a column or nested field, as BigQuery's SQL writes it. */
export function sqlType({ type, mode, fields = [] }: Field): string {
  const element = type === 'RECORD' || type === 'STRUCT' ? structType(fields) : (sqlNames[type] ?? type);
  return mode === 'REPEATED' ? `array<${element}>` : element;
}

function structType(fields: readonly Field[]): string {
  return `struct<${fields.map((field) => `\`${field.name}\` ${sqlType(field)}`).join(', ')}>`;
}

const sqlNames: Readonly<Record<string, string>> = { INTEGER: 'INT64', FLOAT: 'FLOAT64', BOOLEAN: 'BOOL' };

/** A value of an NDJSON row as a literal of BigQuery's SQL. */
export function literal(field: Field, value: unknown): string {
  if (value === undefined || value === null) return `cast(null as ${sqlType(field)})`;
  if (field.mode === 'REPEATED') {
    const element: Field = { ...field, mode: 'NULLABLE' };
    const items = (value as readonly unknown[]).map((item) => literal(element, item));
    return items.length === 0 ? `cast([] as ${sqlType(field)})` : `[${items.join(', ')}]`;
  }
  switch (field.type) {
    case 'RECORD':
    case 'STRUCT': {
      const record = value as Readonly<Record<string, unknown>>;
      const fields = field.fields ?? [];
      return `struct(${fields.map((one) => `${literal(one, record[one.name])} as \`${one.name}\``).join(', ')})`;
    }
    case 'INTEGER':
    case 'INT64':
    case 'BOOLEAN':
    case 'BOOL':
      return String(value);
    case 'FLOAT':
    case 'FLOAT64':
      return `cast(${value} as float64)`;
    case 'STRING':
      return JSON.stringify(value);
    default:
      return `${field.type.toLowerCase()} ${JSON.stringify(value)}`;
  }
}
