import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { didYouMean } from '@querygate/text';
import { z } from 'zod';
import type { Problem } from '../../errors.ts';
import { readYaml } from '../../files/read-yaml.ts';
import { describeIssue } from '../../files/schema-problems.ts';
import {
  type CatalogFiles,
  contentProblem,
  type FileContent,
  isTablePath,
  namesIn,
  readContent,
  statFile,
} from './read-folder.ts';
import {
  type AbsentField,
  absentTypes,
  type Field,
  type FieldType,
  fieldsOfOnePath,
  fieldTypes,
  fileColumn,
  pathInSql,
  type TableSchema,
} from '@querygate/bigquery-sql/table-schema';

interface LoadedTables {
  readonly tables: readonly TableSchema[];
  readonly problems: readonly Problem[];
}

export type ParsedTable =
  | { readonly table: TableSchema; readonly problems: readonly [] }
  | { readonly table?: undefined; readonly problems: readonly Problem[] };

/**
 * Loads the tables that saved queries may read: each file `<table>.json` of the folder, in the format that
 * `bq show --schema` prints. If the folder does not exist, there are no tables.
 *
 * @returns the tables without problems, ordered by name, and every problem of the others
 */
export function loadTables(folder: string): LoadedTables {
  const names = existsSync(folder) ? namesIn(folder, '.json') : [];
  const files = names.flatMap((name): [string, FileContent][] => {
    const stats = statFile(join(folder, name));
    return stats === undefined ? [] : [[name, readContent(join(folder, name), stats)]];
  });
  return parseTables(folder, files);
}

/** The tables among the files of a queries folder, as `loadTables` gives them. */
export function tablesOf(folder: string, files: CatalogFiles): LoadedTables {
  return parseTables(
    folder,
    [...files].filter(([path]) => isTablePath(path)),
  );
}

function parseTables(folder: string, files: readonly (readonly [string, FileContent])[]): LoadedTables {
  const parsed = files.map(([path, content]) => parseTableFile(join(folder, path), content));
  const tables = parsed.flatMap(({ table }) => table ?? []);
  const duplicates = duplicateTables(files.map(([path]) => join(folder, path)));
  return {
    tables: tables.filter(isFirstOfName),
    problems: [...parsed.flatMap(({ problems }) => problems), ...duplicates],
  };
}

/** A field as a file declares it; some types are those of BigQuery only. */
export interface DeclaredField
  extends Omit<Field, 'type' | 'fields' | 'absent' | 'parameters' | 'collation'> {
  readonly type: FieldType | (typeof absentTypes)[number];
  readonly maxLength?: string | undefined;
  readonly precision?: string | undefined;
  readonly scale?: string | undefined;
  readonly collation?: string | undefined;
  readonly fields?: readonly DeclaredField[];
}

/** `bq` prints a number of 64 bits as text. Only INFORMATION_SCHEMA shows it: another value is dropped. */
const typeParameter = z.coerce.string().regex(/^\d+$/).optional().catch(undefined);

const plainField = z
  .object({
    name: z.string().min(1, 'a field needs a name'),
    type: z
      .string()
      .toUpperCase()
      .pipe(z.enum([...fieldTypes, ...absentTypes], { error: ({ input }) => typeProblem(String(input)) })),
    mode: z
      .string()
      .toUpperCase()
      .pipe(z.enum(['NULLABLE', 'REQUIRED', 'REPEATED']))
      .default('NULLABLE'),
    description: z.string().exactOptional(),
    maxLength: typeParameter,
    precision: typeParameter,
    scale: typeParameter,
    collation: z.string().min(1).optional().catch(undefined),
    get fields() {
      return fieldsSchema.exactOptional();
    },
  })
  .superRefine(({ type, fields }, context) => {
    const nests = type === 'RECORD' || type === 'STRUCT';
    if (nests && !fields) context.addIssue(`a ${type} needs fields`);
    if (!nests && fields) context.addIssue(`only a RECORD has fields, not a ${type}`);
  });

const knownTypes: readonly string[] = [...fieldTypes, ...absentTypes];

/** The type that an unknown one is meant to be: one of another database, or in the form of SQL. */
function typeProblem(type: string): string | undefined {
  const [, array] = /^ARRAY\s*<\s*(\w+)\s*>$/.exec(type) ?? [];
  const [, sized = '', first, second] = /^(\w+)\s*\(\s*(\d+)\s*(?:,\s*(\d+)\s*)?\)$/.exec(type) ?? [];
  const name = array ?? (sized === '' ? type : sized);
  const known = knownTypes.includes(name) ? name : otherTypes[name];
  const meant = known === undefined ? didYouMean(name, knownTypes) : `; did you mean ${known}?`;
  const size = known === 'STRING' || known === 'BYTES' ? 'maxLength' : 'precision';
  const others = [
    array !== undefined && '"mode": "REPEATED"',
    sized !== '' && `"${size}": "${first}"`,
    second !== undefined && `"scale": "${second}"`,
  ].filter((part) => part !== false);
  const beside = known === undefined || others.length === 0 ? '' : `; beside it, ${others.join(', ')}`;
  return `must be one of ${knownTypes.join(', ')}${meant}${beside}`;
}

const otherTypes: Readonly<Record<string, string>> = {
  ...{ VARCHAR: 'STRING', TEXT: 'STRING', CHAR: 'STRING', NVARCHAR: 'STRING', UUID: 'STRING' },
  ...{ INT: 'INTEGER', BIGINT: 'INTEGER', SMALLINT: 'INTEGER', TINYINT: 'INTEGER', LONG: 'INTEGER' },
  ...{ DOUBLE: 'FLOAT', REAL: 'FLOAT', FLOAT32: 'FLOAT', NUMBER: 'NUMERIC', DECIMAL: 'NUMERIC' },
  ...{ TIMESTAMPTZ: 'TIMESTAMP', BLOB: 'BYTES', VARBINARY: 'BYTES', OBJECT: 'RECORD', MAP: 'RECORD' },
};

/** Other properties that `bq` prints (policy tags, defaults) are dropped, not rejected; those that nearly have a name are. */
const fieldSchema: z.ZodType<DeclaredField> = z.preprocess((input, context) => {
  for (const message of misspeltProperties(input)) context.addIssue(message);
  return input;
}, plainField);

const ownProperties = ['name', 'type', 'mode', 'description', 'fields'];

function misspeltProperties(field: unknown): readonly string[] {
  if (typeof field !== 'object' || field === null) return [];
  const absent = ownProperties.filter((name) => !Object.hasOwn(field, name));
  return Object.entries(field).flatMap(([key, value]) => {
    if (Object.hasOwn(plainField.shape, key)) return [];
    const mode = absent.includes('mode') ? modeMeant(key.toLowerCase(), value) : undefined;
    const advice = mode === undefined ? didYouMean(key, absent) : `; write "mode": "${mode}"`;
    return advice === '' ? [] : [`unknown: ${key}${advice}`];
  });
}

/** The mode that other schemas have as a property of its own. */
function modeMeant(key: string, value: unknown): string | undefined {
  if (key === 'repeated') return value === false ? 'NULLABLE' : 'REPEATED';
  if (key === 'required') return value === false ? 'NULLABLE' : 'REQUIRED';
  if (key === 'nullable') return value === false ? 'REQUIRED' : 'NULLABLE';
  return undefined;
}

const fieldsSchema = z
  .array(fieldSchema, {
    error: ({ input }) =>
      input === undefined ? undefined : 'must be an array of fields, as bq show --schema prints it',
  })
  .min(1, 'at least one field is needed')
  .superRefine((fields, context) => {
    for (const { at, path, other } of fieldsOfOnePath(fields)) {
      const message =
        path.length === 1 && other.length === 1
          ? `a second field named ${path[0]?.toLowerCase()}`
          : `${pathInSql(path)} and ${pathInSql(other)} have one path: rename one of them`;
      context.addIssue({ code: 'custom', path: [at], message });
    }
  });

const tableFieldsSchema = fieldsSchema.superRefine((fields, context) => {
  const at = fields.findIndex(({ name }) => name.toLowerCase() === fileColumn);
  if (at >= 0)
    context.addIssue({
      code: 'custom',
      path: [at],
      message: `${fileColumn} is a column of the store: rename it`,
    });
});

/** The fields of a table, as `bq show --schema` prints them. */
export const parseFields = (data: unknown) => tableFieldsSchema.safeParse(data, { error: describeIssue });

/** The table of one file, whose name is the table's. */
export function parseTableFile(file: string, content: FileContent): ParsedTable {
  const wrongName = nameProblem(basename(file, '.json'));
  if (wrongName !== undefined) return { problems: [{ file, message: wrongName }] };
  if ('problem' in content) return { problems: [contentProblem(file, content)] };
  const json = readYaml(content.text, 'json');
  if ('problems' in json) return { problems: json.problems.map((problem) => ({ file, ...problem })) };
  const parsed = parseFields(json.data);
  if (parsed.success) {
    const { fields, absent } = localFields(parsed.data);
    if (fields.length > 0)
      return { table: { name: basename(file, '.json'), fields, ...(absent && { absent }) }, problems: [] };
    return {
      problems: [{ file, message: `at least one field is needed that is not ${absentTypes.join(', ')}` }],
    };
  }
  const problems = parsed.error.issues.map(({ path, message }) => ({
    file,
    line: json.lineOf(path),
    // The line locates the field, so the message needs only the name of the property.
    message: [...path.slice(-1).filter((part) => typeof part === 'string'), message].join(': '),
  }));
  return { problems };
}

/** Why no query can name a table so. */
function nameProblem(name: string): string | undefined {
  if (name.includes('*'))
    return 'the name is that of one table: querygate tables add declares a table for each file of a wildcard';
  if (name.includes('.'))
    return `the name is the last part of the table's, without data set and project: ${name.slice(name.lastIndexOf('.') + 1)}.json`;
  return /[`\p{Cc}]/u.test(name) || name.trim() !== name
    ? 'the name has no backquotes, and no blanks at its ends'
    : undefined;
}

/** The fields that local data has, and those that it does not: a RECORD of nothing else is one of these. */
function localFields(declared: readonly DeclaredField[]): Pick<Field, 'absent'> & {
  readonly fields: readonly Field[];
} {
  const fields: Field[] = [];
  const absent: AbsentField[] = [];
  for (const { type, fields: inner, maxLength, precision, scale, collation, ...rest } of declared) {
    const nested = inner && localFields(inner);
    const parameters = [maxLength ?? precision, scale].filter((one) => one !== undefined).join(', ');
    if (isAbsentType(type) || nested?.fields.length === 0) absent.push({ name: rest.name, type });
    else
      fields.push({
        ...{ ...rest, type },
        ...(parameters !== '' && { parameters }),
        ...(collation !== undefined && { collation }),
        ...nested,
      });
  }
  return { fields, ...(absent.length > 0 && { absent }) };
}

/** True if no local table has columns of a type. */
export const isAbsentType = (type: DeclaredField['type']): type is (typeof absentTypes)[number] =>
  absentTypes.some((own) => own === type);

const isFirstOfName = ({ name }: TableSchema, index: number, tables: readonly TableSchema[]) =>
  tables.findIndex((other) => other.name.toLowerCase() === name.toLowerCase()) === index;

/** The files whose table is that of an earlier one. */
export function duplicateTables(files: readonly string[]): readonly (Problem & { readonly file: string })[] {
  const names = files.map((file) => file.toLowerCase());
  return files.flatMap((file) => {
    const first = files[names.indexOf(file.toLowerCase())];
    if (first === undefined || first === file) return [];
    const message = `the same table as ${basename(first)}: table names are not case-sensitive`;
    return [{ file, message }];
  });
}
