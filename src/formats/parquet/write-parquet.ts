import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { canStartChildren } from '../../process/start-child.ts';
import { convertApart } from './convert-apart.ts';
import { type Conversion, convertFile } from './convert-file.ts';
import type { Rows } from '../rows.ts';
import { decimalDigits, type ScalarShape, type Shape } from '../shape.ts';

/**
 * Writes rows as a Parquet file, by DuckDB in a process of its own and through two temporary files: one with the rows as
 * JSON, which need not be in DuckDB's memory as a whole, and one with the result.
 *
 * @param convert where DuckDB runs: in a process of its own, except on Bun and Deno
 * @throws ConversionEnded if the process ends before; Error of DuckDB or of the file system
 */
export async function writeParquet(
  rows: Rows,
  shapes: readonly Shape[],
  convert: (conversion: Conversion) => Promise<void> = canStartChildren ? convertApart : convertFile,
): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'querygate-'));
  try {
    const [from, to] = [join(folder, 'rows.json'), join(folder, 'rows.parquet')];
    await writeRows(rows.identity, from);
    await convert({ statement: copyStatement(rows, shapes, from, to), folder });
    return await readFile(to);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The rows of all tenants may be in it. */
const ownerOnly = 0o600;

const before = '{"result":'.length;
const after = '}'.length;

/** The array of rows, without the object around it. */
async function writeRows(identity: Buffer, path: string): Promise<void> {
  const file = await open(path, 'wx', ownerOnly);
  try {
    await file.writeFile(identity.subarray(before, identity.byteLength - after));
  } finally {
    await file.close();
  }
}

/** So many rows are in memory while they are written. */
const rowsPerGroup = 20_480;

/** DuckDB reads as much at once, and takes twice as much memory for it; a longer row cannot be read. */
const maxRowBytes = 64 * 1024 * 1024;

function copyStatement({ identity, columns }: Rows, shapes: readonly Shape[], from: string, to: string) {
  const read = columns.map(({ name }, at) => `${text(name)}: ${text(readType(shapes[at]))}`);
  const select = columns.map(
    ({ name }, at) => `${value(identifier(name), shapes[at])} AS ${identifier(name)}`,
  );
  const rowBytes = Math.min(Math.max(identity.byteLength, 1024 * 1024), maxRowBytes);
  return `COPY (SELECT ${select.join(', ')} FROM read_json(${text(from)}, format = 'array', records = true,
    maximum_object_size = ${rowBytes}, columns = {${read.join(', ')}}))
    TO ${text(to)} (FORMAT parquet, ROW_GROUP_SIZE ${rowsPerGroup})`;
}

interface ScalarTypes {
  /** The type that DuckDB reads from JSON. */
  readonly read: string;
  /** Converts a value that was read to the one that is written. */
  readonly convert?: (read: string) => string;
}

const as = (type: string) => (read: string) => `CAST(${read} AS ${type})`;

const scalars: Readonly<Record<ScalarShape, ScalarTypes>> = {
  string: { read: 'VARCHAR' },
  integer: { read: 'BIGINT' },
  float: { read: 'DOUBLE' },
  decimal: { read: 'VARCHAR', convert: as(`DECIMAL(${decimalDigits.precision}, ${decimalDigits.scale})`) },
  boolean: { read: 'BOOLEAN' },
  timestamp: { read: 'BIGINT', convert: (micros) => `make_timestamptz(${micros})` },
  datetime: { read: 'VARCHAR', convert: as('TIMESTAMP') },
  date: { read: 'VARCHAR', convert: as('DATE') },
  time: { read: 'VARCHAR', convert: as('TIME') },
  bytes: { read: 'VARCHAR', convert: (base64) => `from_base64(${base64})` },
  json: { read: 'JSON' },
};

const untyped: Shape = { kind: 'json' };

function readType(shape: Shape = untyped): string {
  switch (shape.kind) {
    case 'list':
      return `${readType(shape.element)}[]`;
    case 'struct':
      return `STRUCT(${shape.fields.map(({ name, shape: inner }) => `${identifier(name)} ${readType(inner)}`).join(', ')})`;
    default:
      return scalars[shape.kind].read;
  }
}

/** SQL that converts a value as it is read to the one that is written; the value itself if they are equal. */
function value(read: string, shape: Shape = untyped, depth = 0): string {
  if (!isConverted(shape)) return read;
  switch (shape.kind) {
    case 'list': {
      const one = `one${depth}`;
      return `list_transform(${read}, lambda ${one}: ${value(one, shape.element, depth + 1)})`;
    }
    case 'struct': {
      const members = shape.fields.map(
        ({ name, shape: inner }) =>
          `${identifier(name)} := ${value(`struct_extract(${read}, ${text(name)})`, inner, depth)}`,
      );
      return `CASE WHEN ${read} IS NOT NULL THEN struct_pack(${members.join(', ')}) END`;
    }
    default:
      return scalars[shape.kind].convert?.(read) ?? read;
  }
}

function isConverted(shape: Shape): boolean {
  switch (shape.kind) {
    case 'list':
      return isConverted(shape.element);
    case 'struct':
      return shape.fields.some(({ shape: inner }) => isConverted(inner));
    default:
      return scalars[shape.kind].convert !== undefined;
  }
}

const text = (content: string) => `'${content.replaceAll("'", "''")}'`;

const identifier = (name: string) => `"${name.replaceAll('"', '""')}"`;
