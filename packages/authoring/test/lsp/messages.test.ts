import { PassThrough, Readable } from 'node:stream';
import { expect, test, vi } from 'vitest';
import { serveEditor } from '../../src/lsp/language-server.ts';
import { type Message, messageWriter, readMessages } from '../../src/lsp/message-stream.ts';

const bytesOf = (message: object): Buffer => {
  const output = new PassThrough();
  messageWriter(output)(message);
  return output.read() as Buffer;
};

async function read(chunks: readonly Buffer[]): Promise<readonly Message[]> {
  const messages: Message[] = [];
  for await (const message of readMessages(Readable.from(chunks))) messages.push(message);
  return messages;
}

const chunksOf = (bytes: Buffer, length: number): readonly Buffer[] =>
  Array.from({ length: Math.ceil(bytes.length / length) }, (_, at) =>
    bytes.subarray(at * length, (at + 1) * length),
  );

const messages = [1, 2, 3].map((id) => ({
  jsonrpc: '2.0',
  id,
  method: 'ä',
  params: { text: 'x'.repeat(id * 50) },
}));

test.each([1, 7, 100, 100_000])(
  'messages arrive as they were sent, in chunks of %i bytes',
  async (length) => {
    expect(await read(chunksOf(Buffer.concat(messages.map(bytesOf)), length))).toEqual(messages);
  },
);

test('a message of many chunks is joined once', async () => {
  const large = { jsonrpc: '2.0', id: 1, method: 'm', params: { text: 'x'.repeat(1_000_000) } };
  const chunks = chunksOf(bytesOf(large), 1_000);
  const concat = vi.spyOn(Buffer, 'concat');
  expect(await read(chunks)).toEqual([large]);
  expect(concat.mock.calls.length).toBeLessThan(5);
  concat.mockRestore();
});

test.each(['constructor', 'toString', '__proto__', 'hasOwnProperty', 'nothing'])(
  'there is no method %s',
  async (method) => {
    const given = [
      { id: 1, method: 'initialize' },
      { id: 2, method },
      { method },
      { id: 3, method: 'shutdown' },
      { method: 'exit' },
    ];
    const output = new PassThrough();
    const input = Readable.from(given.map(bytesOf));
    expect(
      await serveEditor({
        input,
        output,
        queriesDir: 'queries',
        dialect: { sql: 'bigquery', flags: { hasOwnTables: true } },
      }),
    ).toBe(true);
    output.end();
    const answers: unknown[] = [];
    for await (const message of readMessages(output)) answers.push(message);
    expect(answers).toMatchObject([{ id: 1 }, { id: 2, error: { code: -32601 } }, { id: 3, result: null }]);
  },
);
