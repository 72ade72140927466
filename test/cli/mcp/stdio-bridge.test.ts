import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { bridgeStdio, type SendMessage } from '../../../src/cli/mcp/stdio-bridge.ts';
import { modernMeta } from '../../support/mcp-request.ts';

/** What is written for some lines, as JSON. */
async function answers(lines: readonly string[], send: SendMessage): Promise<readonly unknown[]> {
  const input = new PassThrough();
  let output = '';
  input.end(lines.map((line) => `${line}\n`).join(''));
  const write = (text: string) => {
    output += text;
    return true;
  };
  await bridgeStdio({ input, output: { write }, send });
  return output
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

const reply = (status: number, text: string) => ({ status, text: async () => text });

describe('the bridge of standard input and output', () => {
  test('sends each line, and writes each answer as a line', async () => {
    const sent: string[] = [];
    const written = await answers(
      [
        '{"jsonrpc":"2.0","id":1,"method":"ping"}',
        '',
        '{"jsonrpc":"2.0","method":"notifications/initialized"}',
      ],
      async (text) => {
        sent.push(text);
        return text.includes('"id"') ? reply(200, '{"jsonrpc":"2.0","id":1,"result":{}}') : reply(202, '');
      },
    );
    expect(sent).toHaveLength(2);
    expect(written).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }]);
  });

  test('an answer of several lines becomes one', async () => {
    const text = '{\r\n  "jsonrpc": "2.0",\n  "id": 1,\n  "result": {}\n}\n';
    const written = await answers(['{"jsonrpc":"2.0","id":1,"method":"ping"}'], async () => reply(200, text));
    expect(written).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }]);
  });

  test('a message may contain what ends a line elsewhere, and the last one needs no newline', async () => {
    const sent: string[] = [];
    const messages = ['\u2028', '\u2029', '\u0085'].map((separator, id) =>
      JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: `a${separator}b` } }),
    );
    const input = new PassThrough();
    input.end(messages.join('\r\n'));
    const send: SendMessage = async (text) => {
      sent.push(text.trimEnd());
      return reply(200, '{}');
    };
    await bridgeStdio({ input, output: { write: () => true }, send });
    expect(sent).toEqual(messages);
  });

  test('repeats in headers what the body says, as the protocol encodes it', async () => {
    const seen: unknown[] = [];
    const send: SendMessage = async (_, headers) => {
      seen.push(headers);
      return reply(200, '{"jsonrpc":"2.0","id":1,"result":{}}');
    };
    const message = (method: string, params: object) =>
      JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: modernMeta } });
    await answers(
      [
        message('tools/call', { name: 'a.b' }),
        message('resources/read', { uri: 'querygate://result/a?b=é', name: 'a' }),
        message('prompts/get', { name: ' a ' }),
        '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
      ],
      send,
    );
    const base = { 'mcp-protocol-version': '2026-07-28' };
    expect(seen).toEqual([
      { ...base, 'mcp-method': 'tools/call', 'mcp-name': 'a.b' },
      {
        ...base,
        'mcp-method': 'resources/read',
        'mcp-name': `=?base64?${Buffer.from('querygate://result/a?b=é').toString('base64')}?=`,
      },
      { ...base, 'mcp-method': 'prompts/get', 'mcp-name': '=?base64?IGEg?=' },
      {},
    ]);
  });

  test('gives a refusal the id of its message, and answers a line that is not a message', async () => {
    const refusal = '{"jsonrpc":"2.0","error":{"code":401,"message":"A valid API key is required"}}';
    const written = await answers(
      ['{"jsonrpc":"2.0","id":"a","method":"tools/list"}', 'no JSON', '[]'],
      async () => reply(401, refusal),
    );
    expect(written).toHaveLength(3);
    expect(written).toContainEqual({
      jsonrpc: '2.0',
      id: 'a',
      error: { code: 401, message: 'A valid API key is required' },
    });
    expect(written.filter((one) => (one as { error: { code: number } }).error.code === -32700)).toHaveLength(
      2,
    );
  });

  test('answers for a gateway that cannot be reached, or answers something else', async () => {
    const line = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
    const [unreachable] = await answers([line], () => Promise.reject(new Error('connect ECONNREFUSED')));
    expect(unreachable).toMatchObject({
      id: 1,
      error: { code: -32603, message: 'The gateway cannot be reached: connect ECONNREFUSED' },
    });
    const [page] = await answers([line], async () => reply(502, '<html>Bad gateway</html>'));
    expect(page).toMatchObject({ id: 1, error: { code: 502, message: 'The gateway has answered 502' } });
    const off = await answers(['{"jsonrpc":"2.0","id":1,"method":"ping"}'], async () =>
      reply(404, '{"error":{}}'),
    );
    expect(off).toMatchObject([{ id: 1, error: { code: 404, message: expect.stringContaining('MCP=on') } }]);
  });

  test('sends what the gateway refuses, whatever its members are', async () => {
    const seen: object[] = [];
    const lines = ['null', '[]', '5', '{"_meta":null}'].map((one) => `{"id":1,"method":{},"params":${one}}`);
    await answers(lines, async (_, headers) => {
      seen.push(headers);
      return reply(400, '{"jsonrpc":"2.0","error":{"code":-32600,"message":""}}');
    });
    expect(seen).toEqual([{}, {}, {}, {}]);
  });

  test('cancels a request without an answer', async () => {
    const written = await answers(
      [
        '{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"a"}}',
        '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}',
      ],
      (_text, _headers, signal) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
        }),
    );
    expect(written).toEqual([]);
  });
});
