import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isNode, LineCounter, parseDocument } from 'yaml';
import { z } from 'zod';
import type { Problem } from '../../errors.ts';
import { type Field, fieldTypes, type TableSchema } from './table-schema.ts';

export interface LoadedTables {
  readonly tables: readonly TableSchema[];
  readonly problems: readonly Problem[];
}

/**
 * The tables that saved queries may read: each file `<table>.json` of the folder, in the format that
 * `bq show --schema` prints. A folder that does not exist is a catalog without tables.
 *
 * @returns the tables without problems, by name, and every problem of the others
 */
export function loadTables(folder: string): LoadedTables {
  const files = existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith('.json')) : [];
  const loaded = files.sort().map((file) => loadTable(join(folder, file)));
  return {
    tables: loaded.flatMap(({ tables }) => tables).filter(isFirstOfItsName),
    problems: [...loaded.flatMap(({ problems }) => problems), ...sameNames(folder, files)],
  };
}

/** What `bq` prints and we do not need (policy tags, lengths, defaults) is left out, not refused. */
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

function loadTable(file: string): LoadedTables {
  const lines = new LineCounter();
  // JSON is YAML, and the YAML parser knows on which line a value stands.
  const document = parseDocument(readFileSync(file, 'utf8'), { lineCounter: lines, schema: 'json' });
  const lineAt = (offset: number) => lines.linePos(offset).line;
  if (document.errors.length > 0) {
    return refused(
      document.errors.map(({ pos, message }) => ({
        file,
        line: lineAt(pos[0]),
        message: firstLine(message),
      })),
    );
  }
  const parsed = fieldsSchema.safeParse(document.toJS());
  if (parsed.success)
    return { tables: [{ name: basename(file, '.json'), fields: parsed.data }], problems: [] };
  return refused(
    parsed.error.issues.map(({ path, message }) => {
      const node = closestNode(path, (place) => document.getIn(place, true));
      return { file, line: lineAt(node?.range?.[0] ?? 0), message: [...lastName(path), message].join(': ') };
    }),
  );
}

const refused = (problems: readonly Problem[]): LoadedTables => ({ tables: [], problems });

const firstLine = (message: string) => message.split('\n', 1)[0] ?? message;

const lastName = (path: readonly PropertyKey[]) => path.slice(-1).filter((part) => typeof part === 'string');

/** The value a path leads to; where nothing stands there, what should have held it. */
function closestNode(path: readonly PropertyKey[], nodeAt: (path: readonly PropertyKey[]) => unknown) {
  for (let length = path.length; length >= 0; length--) {
    const node = nodeAt(path.slice(0, length));
    if (isNode(node)) return node;
  }
  return undefined;
}

const isFirstOfItsName = ({ name }: TableSchema, index: number, tables: readonly TableSchema[]) =>
  tables.findIndex((other) => other.name.toLowerCase() === name.toLowerCase()) === index;

function sameNames(folder: string, files: readonly string[]): Problem[] {
  const names = files.map((file) => file.toLowerCase());
  return files.flatMap((file) => {
    const first = files[names.indexOf(file.toLowerCase())];
    if (first === undefined || first === file) return [];
    return [
      { file: join(folder, file), message: `the same table as ${first}: names are told apart without case` },
    ];
  });
}
