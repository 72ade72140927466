import { pipeline, Readable, type Transform } from 'node:stream';
import { createGzip, createZstdCompress } from 'node:zlib';
import type { Owner } from '../../concurrency/fair-share.ts';
import type { LoopTurns } from '../../concurrency/loop-turns.ts';
import type { Part } from '../../formats/renderer.ts';
import type { Coding } from '../../results/encodings.ts';

/**
 * A body whose parts are made in turns of the event loop while it is read: not more of them than its reader takes.
 *
 * @param parts each made in some milliseconds
 */
export function streamParts(
  parts: Iterator<Part, void>,
  coding: Coding,
  { turns, owner }: { readonly turns: LoopTurns; readonly owner: Owner },
): Readable {
  const source = Readable.from(inTurns(parts, turns, owner), { objectMode: false });
  const compress = compressors[coding]?.();
  // The error of a part reaches the reader through the last stream.
  return compress === undefined ? source : pipeline(source, compress, () => {});
}

async function* inTurns(parts: Iterator<Part, void>, turns: LoopTurns, owner: Owner): AsyncGenerator<Buffer> {
  for (;;) {
    const turn = turns.next(owner);
    if (turn !== undefined) await turn;
    const { done, value } = parts.next();
    if (done) return;
    if (value !== undefined) yield Buffer.from(value as string);
  }
}

/** The coding of a body that is compressed while it is sent, if the caller accepts one. */
const compressors: Readonly<Record<Coding, (() => Transform) | undefined>> = {
  zstd: createZstdCompress,
  gzip: createGzip,
  identity: undefined,
};
