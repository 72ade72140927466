import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { z } from 'zod';
import type { Problem } from '../../errors.ts';
import { readYaml } from '../../files/read-yaml.ts';
import { describeIssue } from '../../files/schema-problems.ts';
import { type Field, fieldTypes, type TableSchema } from './table-schema.ts';

interface LoadedTables {
  readonly tables: readonly TableSchema[];
  readonly problems: readonly Problem[];
}

/**
 * Loads the tables that saved queries may read: each file `<table>.json` of the folder, in the format that
 * `bq show --schema` prints. If the folder does not exist, there are no tables.
 *
 * @returns the tables without problems, ordered by name, and every problem of the others
 */
export function loadTables(folder: string): LoadedTables {
  const files = existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith('.json')) : [];
  const loaded = files.sort().map((file) => loadTable(join(folder, file)));
  return {
    tables: loaded.flatMap(({ tables }) => tables).filter(isFirstOfName),
    problems: [...loaded.flatMap(({ problems }) => problems), ...duplicateNames(folder, files)],
  };
}

/** Other properties that `bq` prints (policy tags, lengths, defaults) are dropped, not rejected. */
const fieldSchema: z.ZodType<Field> = z
  .object({
    name: z.string().min(1, 'a field needs a name'),
    type: z.string().toUpperCase().pipe(z.enum(fieldTypes)),
    mode: z
      .string()
      .toUpperCase()
      .pipe(z.enum(['NULLABLE', 'REQUIRED', 'REPEATED']))
      .default('NULLABLE'),
    description: z.string().exactOptional(),
    get fields() {
      return fieldsSchema.exactOptional();
    },
  })
  .superRefine(({ type, fields }, context) => {
    const nests = type === 'RECORD' || type === 'STRUCT';
    if (nests && !fields) context.addIssue(`a ${type} needs fields`);
    if (!nests && fields) context.addIssue(`only a RECORD has fields, not a ${type}`);
  });

const fieldsSchema = z
  .array(fieldSchema)
  .min(1, 'at least one field is needed')
  .superRefine((fields, context) => {
    const names = fields.map(({ name }) => name.toLowerCase());
    for (const [index, name] of names.entries()) {
      if (names.indexOf(name) < index) {
        context.addIssue({ code: 'custom', path: [index], message: `a second field named ${name}` });
      }
    }
  });

const loadTable = (file: string): LoadedTables => parseTable(file, readFileSync(file, 'utf8'));

/** Parses the schema of one table. @param file its path, which has the name of the table */
export function parseTable(file: string, text: string): LoadedTables {
  const json = readYaml(text, 'json');
  if ('problems' in json)
    return { tables: [], problems: json.problems.map((problem) => ({ file, ...problem })) };
  const parsed = fieldsSchema.safeParse(json.data, { error: describeIssue });
  if (parsed.success) {
    return { tables: [{ name: basename(file, '.json'), fields: parsed.data }], problems: [] };
  }
  const problems = parsed.error.issues.map(({ path, message }) => ({
    file,
    line: json.lineOf(path),
    // The line locates the field, so the message needs only the name of the property.
    message: [...path.slice(-1).filter((part) => typeof part === 'string'), message].join(': '),
  }));
  return { tables: [], problems };
}

const isFirstOfName = ({ name }: TableSchema, index: number, tables: readonly TableSchema[]) =>
  tables.findIndex((other) => other.name.toLowerCase() === name.toLowerCase()) === index;

function duplicateNames(folder: string, files: readonly string[]): Problem[] {
  const names = files.map((file) => file.toLowerCase());
  return files.flatMap((file) => {
    const first = files[names.indexOf(file.toLowerCase())];
    if (first === undefined || first === file) return [];
    return [
      { file: join(folder, file), message: `the same table as ${first}: table names are not case-sensitive` },
    ];
  });
}
