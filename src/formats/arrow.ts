import type { CellTexts } from '@querygate/text';
import * as flechette from '@uwdata/flechette';
import { arrowType } from './arrow-types.ts';
import { columnShapes } from './column-shapes.ts';
import type { Renderer } from './renderer.ts';
import { cellParts, type Rows } from './rows.ts';
import type { Shape } from './shape.ts';

/** The stream format of Arrow IPC, not the file format. */
export const arrow: Renderer = {
  names: ['arrow', 'arrows'],
  contentType: 'application/vnd.apache.arrow.stream',
  mediaTypes: ['application/vnd.apache.arrow.stream'],
  fileExtension: 'arrows',
  *parts(rows) {
    yield* arrowParts(rows, yield* columnShapes(rows));
  },
};

/**
 * Rows as an Arrow IPC stream, in parts: the schema, then record batches.
 *
 * @see https://arrow.apache.org/docs/format/Columnar.html#ipc-streaming-format
 */
function* arrowParts(rows: Rows, shapes: readonly Shape[]): Generator<Uint8Array> {
  const columns = shapes.map((shape, at) => buildColumn(rows.columns[at]?.name ?? '', shape));
  const schema: flechette.Schema = {
    version: flechette.Version.V5,
    endianness: flechette.Endianness.Little,
    fields: columns.map(({ name, type, metadata }) => flechette.field(name, type, true, metadata)),
    metadata: null,
  };
  const stream = (part: readonly CellTexts[]): Uint8Array => {
    const children = columns.map(({ read, builtAs }, at) =>
      flechette.columnFromArray(
        part.map((cells) => read(cells[at])),
        builtAs,
      ),
    );
    const bytes = flechette.tableToIPC(new flechette.Table(schema, children), { format: 'stream' });
    if (bytes === null) throw new TypeError('the library gave no bytes');
    return bytes;
  };
  // The messages of streams with one schema follow each other in one stream.
  const empty = stream([]);
  const schemaBytes = empty.byteLength - endBytes;
  yield empty.subarray(0, schemaBytes);
  for (const part of cellParts(rows)) {
    const bytes = stream(part);
    yield bytes.subarray(schemaBytes, bytes.byteLength - endBytes);
  }
  yield empty.subarray(schemaBytes);
}

/** Bytes of the mark that ends a stream. */
const endBytes = 8;

const buildColumn = (name: string, shape: Shape) => ({ name, ...arrowType(shape) });
