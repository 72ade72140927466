import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openServer } from '../../src/http/node/open-server.ts';
import { listen } from '../support/listen.ts';
import { makeQueryFolder, type QueryFolder, queryText } from '../support/query-folder.ts';
import { apiKey, openTestApp, type TestApp } from '../support/test-app.ts';

/** By `npm ci --prefix test/agents`. */
const folder = import.meta.dirname;
const isInstalled = existsSync(join(folder, 'node_modules'));
const installed = createRequire(join(folder, 'package.json'));

const prompts = {
  'prompts/test_simple_prompt.md':
    '---\ndescription: A prompt of the suite.\n---\nThis is a simple prompt for testing.',
  'prompts/test_prompt_with_arguments.md': `---
description: A prompt of the suite, with arguments.
arguments:
  arg1: { description: One, required: true }
  arg2: { description: Two, required: true }
---
Prompt with arguments: arg1='{{arg1}}', arg2='{{arg2}}'`,
};

describe.skipIf(!isInstalled)('agents', () => {
  let queries: QueryFolder;
  let app: TestApp;
  let server: Server;
  let proxy: Server;
  let url: string;
  beforeAll(async () => {
    queries = makeQueryFolder({ 'test.one.sql': queryText() });
    mkdirSync(queries.path('prompts'));
    for (const [name, text] of Object.entries(prompts)) queries.write(name, text);
    app = await openTestApp({}, { QUERIES_DIR: queries.folder, MCP: 'on' });
    server = openServer(app.listener, { log: pino({ level: 'silent' }) }).server;
    const port = await listen(server);
    // The suite cannot send a key.
    proxy = createServer((message, response) => {
      const { method, url: path, headers } = message;
      const sent = request(
        { port, host: '127.0.0.1', method, path, headers: { ...headers, 'x-api-key': apiKey } },
        (received) => {
          response.writeHead(received.statusCode ?? 500, received.headers);
          received.pipe(response);
        },
      );
      sent.on('error', () => response.destroy());
      message.pipe(sent);
    });
    url = `http://127.0.0.1:${await listen(proxy)}/mcp`;
  });
  afterAll(async () => {
    for (const one of [server, proxy]) {
      one?.closeAllConnections();
      one?.close();
    }
    await app?.close();
    queries?.close();
  });

  test.each(['2026-07-28', '2025-11-25'])(
    'conform to %s, but for what the gateway does not offer',
    async (revision) => {
      const main = join(folder, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
      const baseline = join(folder, `expected-failures-${revision}.yaml`);
      const cwd = mkdtempSync(join(tmpdir(), 'querygate-conformance-'));
      const args = [
        main,
        'server',
        '--url',
        url,
        '--requirements',
        revision,
        '--expected-failures',
        baseline,
      ];
      const { code, output } = await new Promise<{ code: unknown; output: string }>((resolve) =>
        execFile(process.execPath, args, { cwd, maxBuffer: 100_000_000 }, (error, stdout, stderr) =>
          resolve({ code: error?.code ?? 0, output: stdout + stderr }),
        ),
      );
      rmSync(cwd, { recursive: true });
      expect(code, output.slice(-6_000)).toBe(0);
    },
  );

  test.each(['auto', 'legacy', { pin: '2026-07-28' }])(
    'find and call tools as a client in the mode %j',
    async (mode) => {
      const { Client, StreamableHTTPClientTransport } = await import(
        pathToFileURL(installed.resolve('@modelcontextprotocol/client')).href
      );
      const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
      await client.connect(new StreamableHTTPClientTransport(new URL(url)));
      const { tools } = await client.listTools();
      expect(tools.map(({ name }: { name: string }) => name)).toEqual(['test_one']);
      const result = await client.callTool({ name: 'test_one', arguments: {} });
      expect(result.structuredContent).toMatchObject({ rows: [{ n: 1 }], truncated: false });
      const { resources } = await client.listResources();
      for (const { uri } of resources) {
        const { contents } = await client.readResource({ uri });
        expect(contents).toHaveLength(1);
      }
      const prompt = await client.getPrompt({ name: 'test_simple_prompt' });
      expect(prompt.messages[0].content.text).toBe('This is a simple prompt for testing.');
      await client.close();
    },
  );
});
