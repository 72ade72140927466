import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/** What is used of the client of the protocol's authors. */
interface Client {
  listen(): void;
  sendRequest(method: string, params?: object): Promise<unknown>;
  sendNotification(method: string, params?: object): Promise<void>;
  onNotification(method: string, handler: (params: { diagnostics: Diagnostic[] }) => void): void;
  dispose(): void;
}

interface Diagnostic {
  readonly message: string;
  readonly severity: number;
  readonly range: { readonly start: Position; readonly end: Position };
}

interface Position {
  readonly line: number;
  readonly character: number;
}

const { createProtocolConnection, StreamMessageReader, StreamMessageWriter } = createRequire(import.meta.url)(
  'vscode-languageserver-protocol/node',
) as {
  createProtocolConnection(reader: object, writer: object): Client;
  StreamMessageReader: new (stream: object) => object;
  StreamMessageWriter: new (stream: object) => object;
};

const folder = mkdtempSync(join(tmpdir(), 'querygate-test-'));
const file = join(folder, 'hits.sql');
const uri = pathToFileURL(file).href;
const text = `/*---
id: 8d5a1f0e-6c3b-4f7e-9a52-1b7c0e4d2f60
description: Failed requests.
max_rows: 10
caching: 60s
parameters:
  project: { type: string, required: true, tenant: true, description: Whose requests. }
  at_least: { type: integer, bind: INT64, default: 400, description: Lowest status. }
columns:
  path: { type: string, description: Path of the URL. }
  status:
    type: integer
    description: Status code.
---*/
with failed as (
  select t.timestamp, request.path, response.status_code as status
  from edge_logs as t
  cross join unnest(t.metadata) as m
  cross join unnest(m.request) as request
  cross join unnest(m.response) as response
  where t.project = @project and response.status_code >= @at_least
)
select path, status from failed order by timestamp
`;

let child: ChildProcess;
let client: Client;
let version = 0;
let onDiagnostics: (diagnostics: readonly Diagnostic[]) => void = () => {};

beforeAll(async () => {
  cpSync('queries/tables', join(folder, 'tables'), { recursive: true });
  writeFileSync(file, text);
  child = spawn(process.execPath, [resolve('src/main.ts'), 'lsp', '--queries-dir', folder], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) throw new Error('no pipes');
  client = createProtocolConnection(new StreamMessageReader(stdout), new StreamMessageWriter(stdin));
  client.onNotification('textDocument/publishDiagnostics', ({ diagnostics }) => onDiagnostics(diagnostics));
  client.listen();
  await client.sendRequest('initialize', { processId: process.pid, rootUri: null, capabilities: {} });
  await client.sendNotification('initialized', {});
  const opened = nextDiagnostics();
  await client.sendNotification('textDocument/didOpen', {
    textDocument: { uri, languageId: 'sql', version, text },
  });
  expect(await opened).toEqual([]);
});
afterAll(() => {
  child.kill();
  rmSync(folder, { recursive: true });
});

function nextDiagnostics(): Promise<readonly Diagnostic[]> {
  const { promise, resolve: done } = Promise.withResolvers<readonly Diagnostic[]>();
  onDiagnostics = done;
  return promise;
}

async function change(contentChanges: readonly object[]): Promise<readonly Diagnostic[]> {
  const next = nextDiagnostics();
  version += 1;
  await client.sendNotification('textDocument/didChange', { textDocument: { uri, version }, contentChanges });
  return next;
}

/** The problems of a text, each with the text that is underlined. */
async function problemsOf(next: string): Promise<readonly string[]> {
  const lines = next.split('\n');
  return (await change([{ text: next }])).map(({ message, range: { start, end } }) => {
    expect(start.line).toBe(end.line);
    return `${start.line + 1} ${lines[start.line]?.slice(start.character, end.character)}: ${message}`;
  });
}

const placeIn = (next: string, offset: number): Position => {
  const before = next.slice(0, offset).split('\n');
  return { line: before.length - 1, character: before.at(-1)?.length ?? 0 };
};

/** What is shown for the first place after a text. */
async function hover(after: string): Promise<string | undefined> {
  await change([{ text }]);
  const params = { textDocument: { uri }, position: placeIn(text, text.indexOf(after) + after.length) };
  const found = (await client.sendRequest('textDocument/hover', params)) as {
    contents: { value: string };
  } | null;
  return found?.contents.value;
}

/** The labels that are proposed at the place of ¦. */
async function proposals(from: string, to: string): Promise<readonly string[]> {
  expect(text).toContain(from);
  const marked = text.replace(from, to);
  await change([{ text: marked.replace('¦', '') }]);
  const params = { textDocument: { uri }, position: placeIn(marked, marked.indexOf('¦')) };
  const items = (await client.sendRequest('textDocument/completion', params)) as {
    label: string;
    detail?: string;
  }[];
  return items.map(({ label, detail }) => (detail === undefined ? label : `${label} ${detail}`));
}

/** Opens a file of checks, with ¦ at the place in question. */
async function openChecks(marked: string, path = 'logs.sql') {
  const checksUri = pathToFileURL(join(folder, 'checks', path)).href;
  const checks = marked.replace('¦', '');
  const opened = nextDiagnostics();
  const document = { uri: checksUri, languageId: 'sql', version: 0, text: checks };
  await client.sendNotification('textDocument/didOpen', { textDocument: document });
  const diagnostics = await opened;
  const params = { textDocument: { uri: checksUri }, position: placeIn(marked, marked.indexOf('¦')) };
  const [items, shown] = [
    await client.sendRequest('textDocument/completion', params),
    await client.sendRequest('textDocument/hover', params),
  ] as [{ label: string }[], { contents: { value: string } } | null];
  const closed = nextDiagnostics();
  await client.sendNotification('textDocument/didClose', { textDocument: { uri: checksUri } });
  await closed;
  return { diagnostics, labels: items.map(({ label }) => label), hover: shown?.contents.value };
}

describe('a file of checks', () => {
  test('has the problems of its ASSERT statements', async () => {
    const { diagnostics } = await openChecks(
      "-- One\r\nASSERT (SELECT COUNT(*) FROM edge_logs) > 0 AS 'some';\r\nASSERT (SELECT ids FROM edge_logs) = '1';¦",
    );
    expect(diagnostics).toEqual([
      {
        message: 'no column is named ids; did you mean id?',
        severity: 1,
        source: 'querygate',
        range: { start: { line: 2, character: 15 }, end: { line: 2, character: 18 } },
      },
    ]);
    expect((await openChecks('ASSERT 1;¦')).diagnostics).toMatchObject([
      { message: expect.stringMatching(/BOOL/) },
    ]);
    expect(
      (await openChecks('ASSERT (SELECT MAX(ids) FROM edge_logs) > 0;¦', 'a/b.sql')).diagnostics,
    ).toMatchObject([{ message: 'no column is named ids; did you mean id?' }]);
    expect((await openChecks('ASSERT ¦')).diagnostics).toMatchObject([
      { message: expect.stringMatching(/expected an expression/) },
    ]);
    expect(
      (await openChecks("ASSERT EXISTS(SELECT 1 FROM query.hits(project => 'a', at_least => 1));¦"))
        .diagnostics,
    ).toEqual([]);
  });

  test('gets tables, queries, columns and their meanings', async () => {
    const first = "ASSERT TRUE AS 'a';\n-- assert the other\n";
    const tables = await openChecks(`${first}ASSERT EXISTS(SELECT 1 FROM ¦) AS 'some'`);
    expect(tables.labels).toEqual(expect.arrayContaining(['edge_logs', 'query.hits']));
    expect(tables.labels).not.toContain('description');
    const columns = await openChecks(`${first}ASSERT EXISTS(SELECT t.¦ FROM edge_logs AS t) AS 'some'`);
    expect(columns.labels).toContain('event_message');
    const { hover: meaning } = await openChecks(
      `${first}ASSERT EXISTS(SELECT t.event_¦message FROM edge_logs AS t) AS 'some'`,
    );
    expect(meaning).toContain('event_message');
  });
});

describe('problems', () => {
  test('of a name that is not known, underlined while it is written', async () => {
    const wrong = text.replace('select path, status from', 'select path, statis as status from');
    expect(await problemsOf(wrong)).toEqual(['23 statis: no column is named statis; did you mean status?']);
  });

  test('of headers and SQL together, each at its place', async () => {
    const wrong = text.replace('caching: 60s', 'caching: 1m').replace('edge_logs', 'edge_log');
    expect(await problemsOf(wrong)).toEqual([
      '5 caching: caching: must be seconds, as in 900s, or disabled',
      '17 edge_log: no table is named edge_log; did you mean edge_logs?',
    ]);
  });

  test('of columns that the SQL does not return, of tenants, and texts that are not filled in as warnings', async () => {
    expect(await problemsOf(text.replace('  path: {', '  pth: {'))).toEqual([
      '10 pth: columns.pth: declared, but the SQL returns no such column; did you mean path?',
      expect.stringContaining('the SQL returns a column path that the header does not declare'),
    ]);
    expect(await problemsOf(text.replace('t.project = @project', "@project != ''"))).toEqual([
      expect.stringMatching(/^17 edge_logs: edge_logs is read without "column = @project"/),
    ]);
    const [unfinished] = await change([{ text: text.replace('Status code.', '"Fill in: it"') }]);
    expect(unfinished).toMatchObject({ severity: 2, range: { start: { line: 12 } } });
  });

  test('a changed table is read when the query is checked next', async () => {
    const table = join(folder, 'tables', 'edge_logs.json');
    const before = readFileSync(table, 'utf8');
    writeFileSync(table, before.replace('"project"', '"projects"'));
    const saved = nextDiagnostics();
    await client.sendNotification('textDocument/didSave', { textDocument: { uri } });
    expect((await saved).map(({ message }) => message).join()).toContain('no column is named project');
    writeFileSync(table, before);
    expect(await problemsOf(text)).toEqual([]);
  });

  test('come for each keystroke, of which a client sends only the change', async () => {
    await change([{ text }]);
    const { line, character } = placeIn(text, text.indexOf('= @project') + '= @project'.length);
    for (const typed of ['s', 'x']) {
      const range = { start: { line, character }, end: { line, character } };
      const problems = await change([{ range, text: typed }]);
      expect(problems.map(({ message }) => message).join()).toContain('@project');
      const undone = { start: range.start, end: { line, character: character + 1 } };
      expect(await change([{ range: undone, text: '' }])).toEqual([]);
    }
  });
});

describe('parts', () => {
  const base = `/*---
serve: off
parameters: { project: { type: string, description: Whose rows. } }
---*/
select project, id, timestamp from edge_logs where project = @project
`;
  const reading = text.replace(
    'from edge_logs as t',
    'from query.`logs.of-project` as b join edge_logs as t using (id)',
  );
  beforeAll(() => {
    writeFileSync(join(folder, 'logs.of-project.sql'), base);
    mkdirSync(join(folder, 'views'));
    writeFileSync(join(folder, 'views/all.sql'), 'CREATE VIEW d.seen AS SELECT 1 AS n');
  });

  test('are read with the query', async () => {
    expect(await problemsOf(reading)).toEqual([]);
    expect(await problemsOf(reading.replace('.of-project', '.of-projct'))).toEqual([
      '17 query: no saved query is named logs.of-projct; did you mean query.logs.of-project?',
    ]);
  });

  test('have their problems where they are open', async () => {
    writeFileSync(join(folder, 'logs.of-project.sql'), base.replace('timestamp', 'tmestamp'));
    expect(await problemsOf(reading)).toEqual([]);
    writeFileSync(join(folder, 'logs.of-project.sql'), base);
    const partUri = pathToFileURL(join(folder, 'logs.of-project.sql')).href;
    const opened = nextDiagnostics();
    await client.sendNotification('textDocument/didOpen', {
      textDocument: { uri: partUri, languageId: 'sql', version: 0, text: base.replace('id,', 'idd,') },
    });
    expect((await opened).map(({ message }) => message)).toEqual([
      'no column is named idd; did you mean id?',
    ]);
    const closed = nextDiagnostics();
    await client.sendNotification('textDocument/didClose', { textDocument: { uri: partUri } });
    expect(await closed).toEqual([]);
  });

  test('are proposed as tables', async () => {
    expect(await proposals('from edge_logs as t', 'from ¦ as t')).toEqual(
      expect.arrayContaining(['edge_logs', 'query.logs.`of-project`', 'd.seen']),
    );
    expect(await proposals('from edge_logs as t', 'from query.¦ as t')).toEqual([
      'hits',
      'logs.`of-project`',
    ]);
    expect(await proposals('from edge_logs as t', 'from d.se¦ as t')).toEqual(['seen']);
  });

  test('leave the types of what is read beside them', async () => {
    await change([{ text: reading }]);
    const position = placeIn(reading, reading.indexOf('response.status_code as') + 'response.stat'.length);
    const found = await client.sendRequest('textDocument/hover', { textDocument: { uri }, position });
    expect(JSON.stringify(found)).toContain('status_code');
  });
});

describe('meanings', () => {
  test.each([
    ['a column', 'select t.times', '`timestamp` TIMESTAMP\n\nWhen it happened, in microseconds.'],
    [
      'a column of a common table',
      'order by times',
      '`timestamp` TIMESTAMP\n\nWhen it happened, in microseconds.',
    ],
    ['a field', 'response.status_co', '`status_code` INT64'],
    ['a parameter', '>= @at_l', '`@at_least` INT64, sent as integer\n\nLowest status.'],
    ['a key of the header', '\nmax_r', 'required: the most rows of a result'],
    ['a key in a column', '\n    type', undefined],
    ['a table', 'from edge_l', '`edge_logs`\n\n- `id` STRING\n- `timestamp` TIMESTAMP'],
    ['a record', 'unnest(m.req', '`request` ARRAY<RECORD>\n\n- `host` STRING'],
    ['nothing', 'with fai', undefined],
  ])('of %s', async (_, after, expected) => {
    const found = await hover(after);
    if (expected === undefined) expect(found).toBeUndefined();
    else expect(found?.startsWith(expected), found).toBe(true);
  });
});

describe('proposals', () => {
  test.each([
    ['fields of a table', 'where t.project', 'where t.¦ and t.project', ['id STRING', 'timestamp TIMESTAMP']],
    ['fields of a record', '>= @at', '>= request.¦ and 1 < @at', ['host STRING', 'method STRING']],
    ['fields of an unfinished text', 'where t.project', 'where t.¦', ['id STRING']],
    [
      'columns of a common table',
      'select path, status from failed',
      'select ¦ from failed',
      ['path STRING', 'status INTEGER', 'COUNT'],
    ],
    ['parameters', '@project and', '@¦ and', ['project STRING', 'at_least INT64, sent as integer']],
    ['tables', 'from edge_logs', 'from e¦', ['edge_logs']],
    ['keys of the header', 'max_rows: 10', 'max_rows: 10\n¦', ['cache_warming', 'prometheus']],
    [
      'keys of a column in a block',
      '    type: integer\n',
      '    type: integer\n    ¦\n',
      ['unit', 'required'],
    ],
    ['keys of a parameter in braces', '{ type: integer,', '{ type: integer, ¦', ['max_items', 'bind']],
    ['types of a column', 'path: { type: string', 'path: { type: ¦', ['timestamp', 'record']],
    ['types in a block', '    type: integer', '    type: ¦', ['numeric']],
    ['values of a key', 'caching: 60s', 'caching: ¦', ['disabled']],
  ])('%s', async (_, from, to, expected) => {
    expect(await proposals(from, to)).toEqual(expect.arrayContaining(expected));
  });

  test.each([
    ['bind: INT64', 'bind: 64', 'STRING, sent as integer'],
    ['type: integer, bind: INT64', 'type: [integer], bind: INT64', 'INT64'],
    ['Lowest status.', '400', 'INT64, sent as integer'],
  ])('of parameters while %s is %s', async (from, to, expected) => {
    const declared = text.replace(from, to);
    await change([{ text: declared }]);
    const textDocument = { uri };
    const position = placeIn(declared, declared.indexOf('@at_l') + 1);
    const items = await client.sendRequest('textDocument/completion', { textDocument, position });
    expect(items).toContainEqual(expect.objectContaining({ label: 'at_least', detail: expected }));
    const found = await client.sendRequest('textDocument/hover', { textDocument, position });
    expect(JSON.stringify(found)).toContain(`\`@at_least\` ${expected}`);
  });
});

test('a file elsewhere loses its problems with its header', async () => {
  const uri = pathToFileURL(join(folder, 'elsewhere', 'a.sql')).href;
  const opened = nextDiagnostics();
  const wrong = text.replace('edge_logs', 'edge_log');
  const textDocument = { uri, languageId: 'sql', version: 1, text: wrong };
  await client.sendNotification('textDocument/didOpen', { textDocument });
  expect(await opened).not.toEqual([]);
  const changed = nextDiagnostics();
  const contentChanges = [{ text: 'select 1 from edge_log' }];
  await client.sendNotification('textDocument/didChange', {
    textDocument: { uri, version: 2 },
    contentChanges,
  });
  expect(await changed).toEqual([]);
  const position = { line: 0, character: 0 };
  expect(await client.sendRequest('textDocument/hover', { textDocument: { uri }, position })).toBeNull();
});

test.each(['file://server/share/a.sql', 'file:///tmp/a%2Fb.sql', 'file:///tmp/%zz.sql'])(
  'a document at %s is not a saved query, and others are checked as before',
  async (uri) => {
    const textDocument = { uri, languageId: 'sql', version: 1, text };
    await client.sendNotification('textDocument/didOpen', { textDocument });
    const position = { line: 0, character: 0 };
    expect(await client.sendRequest('textDocument/hover', { textDocument: { uri }, position })).toBeNull();
    expect(await change([{ text }])).toEqual([]);
  },
);

test('other requests, other files and wrong positions are answered; the end is that of the protocol', async () => {
  await expect(client.sendRequest('textDocument/definition', {})).rejects.toThrow('Unhandled method');
  for (const name of ['constructor', 'toString', '__proto__', 'hasOwnProperty'])
    await expect(client.sendRequest(name)).rejects.toThrow('Unhandled method');
  const other = { textDocument: { uri: 'file:///elsewhere/a.sql' }, position: { line: 99, character: 99 } };
  expect(await client.sendRequest('textDocument/hover', other)).toBeNull();
  await change([{ text }]);
  const beyond = { textDocument: { uri }, position: { line: 999, character: 999 } };
  expect(await client.sendRequest('textDocument/hover', beyond)).toBeNull();
  const closed = nextDiagnostics();
  await client.sendNotification('textDocument/didClose', { textDocument: { uri } });
  expect(await closed).toEqual([]);
  expect(await client.sendRequest('shutdown')).toBeNull();
  const exit = once(child, 'exit');
  await client.sendNotification('exit');
  expect(await exit).toEqual([0, null]);
});

test('in a folder without saved queries the editor shows the command that makes them', async () => {
  const none = join(folder, 'none');
  const other = spawn(process.execPath, [resolve('src/main.ts'), 'lsp', '--queries-dir', none], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  try {
    const editor = createProtocolConnection(
      new StreamMessageReader(other.stdout),
      new StreamMessageWriter(other.stdin),
    );
    const shown = new Promise<unknown>((done) => {
      editor.onNotification('window/showMessage', done);
    });
    editor.listen();
    await editor.sendRequest('initialize', { processId: process.pid, rootUri: null, capabilities: {} });
    await editor.sendNotification('initialized', {});
    expect(await shown).toMatchObject({
      message: expect.stringMatching(/^There is no folder .*none: .* querygate new makes this one\.$/),
    });
  } finally {
    other.kill();
  }
});
