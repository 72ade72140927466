import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Frame, FrameError, FrameReader, frameHead } from '../../../src/process/frames.ts';

const frames = fc.array(
  fc.record({
    kind: fc.integer({ min: 1, max: 255 }),
    id: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
    payload: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  }),
  { maxLength: 20 },
);

const bytesOf = ({ kind, id, payload }: Frame) => [frameHead(kind, id, payload.byteLength), payload];

const textsOf = (read: readonly Frame[]) =>
  read.map(({ kind, id, payload }) => `${kind} ${id} ${payload.toString('hex')}`);

test('frames are read as they were written, however the stream cuts them', () => {
  fc.assert(
    fc.property(frames, fc.array(fc.nat(2_000), { maxLength: 60 }), (written, cuts) => {
      const bytes = Buffer.concat(written.flatMap((frame) => bytesOf(frame)));
      const read: Frame[] = [];
      const reader = new FrameReader((frame) => read.push(frame), 1_000);
      const places = [...new Set(cuts.map((cut) => cut % (bytes.byteLength + 1)))].sort((a, b) => a - b);
      let from = 0;
      for (const to of [...places, bytes.byteLength]) {
        reader.read(bytes.subarray(from, to));
        from = to;
      }
      expect(textsOf(read)).toEqual(textsOf(written));
    }),
  );
});

test('frames that arrive byte by byte are read, too', () => {
  const written = [
    { kind: 1, id: 7, payload: Buffer.from('abc') },
    { kind: 2, id: 4_294_967_295, payload: Buffer.alloc(0) },
    { kind: 3, id: 0, payload: Buffer.from('d') },
  ];
  const read: Frame[] = [];
  const reader = new FrameReader((frame) => read.push(frame), 1_000);
  for (const frame of written) for (const byte of Buffer.concat(bytesOf(frame))) reader.read(Buffer.of(byte));
  expect(textsOf(read)).toEqual(textsOf(written));
});

test('bytes that are not a stream of frames are refused before memory is taken for them', () => {
  const reader = new FrameReader(() => {}, 1_000);
  expect(() => reader.read(Buffer.from('HTTP/1.1 200 OK\r\n'))).toThrow(FrameError);
});
