import { basename, dirname, resolve } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Syntax } from '@querygate/bigquery-sql/syntax';
import { atHeaderLines, type Dialect, placeOfProblem, readHeader, sqlPart } from 'querygate/catalog';
import type { Problem } from '@querygate/bigquery-sql/problem';
import type { Parameter } from '../catalog-types.ts';
import { type CheckedDocument, checkDocument } from './check-document.ts';
import { completeHeader, completeSql } from './complete.ts';
import { hoverHeader, hoverSql } from './hover.ts';
import { type Message, messageWriter, readMessages, RequestError } from './message-stream.ts';
import { type NamedValue, parseAround } from './sql-scope.ts';
import { openTables, type Tables } from './tables.ts';
import { offsetAt, type Position, type Range, rangeOf } from './text-places.ts';

interface Options {
  readonly input: Readable;
  readonly output: Writable;
  /** The folder of saved queries: files elsewhere are checked if they have a header. */
  readonly queriesDir: string;
  readonly dialect: Dialect;
}

/** A saved query that an editor has open. */
interface OpenDocument {
  readonly file: string;
  readonly text: string;
  readonly checked: CheckedDocument;
  /** The SQL when it could be parsed last. */
  readonly last: Syntax.Statement | undefined;
}

interface DocumentParams {
  readonly textDocument: { readonly uri: string; readonly text?: string };
  readonly contentChanges?: readonly { readonly text: string; readonly range?: Range }[];
  readonly position?: Position;
}

const capabilities = {
  positionEncoding: 'utf-16',
  textDocumentSync: { openClose: true, change: 2 },
  hoverProvider: true,
  completionProvider: { triggerCharacters: ['.', '@', '`', ':', ' '] },
};

/**
 * Serves an editor by the Language Server Protocol until it ends the connection: problems while a saved query is edited, types and
 * meanings of names, and proposals.
 *
 * @returns whether the editor shut the server down before, which the protocol requires
 */
export async function serveEditor({ input, output, queriesDir, dialect }: Options): Promise<boolean> {
  const send = messageWriter(output);
  const documents = new Map<string, OpenDocument>();
  const tables = openTables();
  /** Texts that are checked once all messages have been read that have arrived. */
  const changed = new Map<string, string>();
  let timer: NodeJS.Immediate | undefined;
  let isInitialized = false;
  let isEnding = false;

  const check = (uri: string, text: string): OpenDocument | undefined => {
    const file = savedQueryFile(uri, text, queriesDir);
    if (file === undefined) return undefined;
    const checked = checkDocument(basename(file, '.sql'), file, text, { tables: tables.of(file), dialect });
    const sql = sqlPart(text)?.sql ?? '';
    const last = parseAround(sql, sql.length) ?? documents.get(uri)?.last;
    return { file, text, checked, last };
  };
  const checkChanged = () => {
    clearImmediate(timer);
    timer = undefined;
    for (const [uri, text] of changed) {
      const document = check(uri, text);
      if (document === undefined) continue;
      documents.set(uri, document);
      send({
        method: 'textDocument/publishDiagnostics',
        params: { uri, diagnostics: diagnosticsOf(document) },
      });
    }
    changed.clear();
  };
  const change = (uri: string, text: string) => {
    changed.set(uri, text);
    timer ??= setImmediate(checkChanged);
  };
  const documentOf = ({ textDocument: { uri } }: DocumentParams) => {
    checkChanged();
    return documents.get(uri);
  };

  const requests: Readonly<Record<string, (params: DocumentParams) => unknown>> = {
    initialize: () => {
      isInitialized = true;
      return { capabilities, serverInfo: { name: 'querygate', version: '0' } };
    },
    shutdown: () => {
      isEnding = true;
      return null;
    },
    'textDocument/hover': (params) => {
      const document = documentOf(params);
      return document === undefined ? null : hoverAt(document, offsetOf(document, params), tables);
    },
    'textDocument/completion': (params) => {
      const document = documentOf(params);
      return document === undefined ? [] : completeAt(document, offsetOf(document, params), tables);
    },
  };
  const notifications: Readonly<Record<string, (params: DocumentParams) => void>> = {
    'textDocument/didOpen': ({ textDocument: { uri, text = '' } }) => change(uri, text),
    'textDocument/didChange': ({ textDocument: { uri }, contentChanges = [] }) => {
      const before = changed.get(uri) ?? documents.get(uri)?.text ?? '';
      change(uri, contentChanges.reduce(withChange, before));
    },
    'textDocument/didClose': ({ textDocument: { uri } }) => {
      changed.delete(uri);
      documents.delete(uri);
      send({ method: 'textDocument/publishDiagnostics', params: { uri, diagnostics: [] } });
    },
    // Tables may have changed.
    'textDocument/didSave': () => {
      for (const [uri, { text }] of documents) change(uri, text);
    },
  };
  const answer = ({ id, method = '', params = {} }: Message): void => {
    if (id === undefined) return void ownMember(notifications, method)?.(params as DocumentParams);
    try {
      const request = ownMember(requests, method);
      if (!isInitialized && method !== 'initialize') throw new RequestError(-32002, 'not initialized');
      if (isEnding && method !== 'shutdown') throw new RequestError(-32600, 'is shut down');
      if (request === undefined) throw new RequestError(-32601, `there is no method ${method}`);
      send({ id, result: request(params as DocumentParams) });
    } catch (error) {
      const code = error instanceof RequestError ? error.code : -32603;
      send({ id, error: { code, message: error instanceof Error ? error.message : String(error) } });
    }
  };

  for await (const message of readMessages(input)) {
    if (message.method === 'exit') break;
    // A response: the server sends no requests.
    if (message.method === undefined) continue;
    answer(message);
  }
  clearImmediate(timer);
  return isEnding;
}

/** Clients choose names of methods: `constructor` is a member of every object. */
const ownMember = <T>(members: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(members, name) ? members[name] : undefined;

function savedQueryFile(uri: string, text: string, queriesDir: string): string | undefined {
  if (!uri.startsWith('file:') || !/\.sql$/i.test(uri)) return undefined;
  const file = fileURLToPath(uri);
  return dirname(file) === resolve(queriesDir) || /^\uFEFF?\s*\/\*---/.test(text) ? file : undefined;
}

/** A change of a part of the text, or the whole new text. */
const withChange = (
  before: string,
  { text, range }: { readonly text: string; readonly range?: Range },
): string =>
  range === undefined
    ? text
    : `${before.slice(0, offsetAt(before, range.start))}${text}${before.slice(offsetAt(before, range.end))}`;

const offsetOf = ({ text }: OpenDocument, { position = { line: 0, character: 0 } }: DocumentParams): number =>
  offsetAt(text, position);

/** @see Diagnostic, DiagnosticSeverity */
function diagnosticsOf({ text, checked: { problems, unfinished } }: OpenDocument): readonly object[] {
  const diagnostic = (severity: number) => (problem: Problem) => {
    const [{ line = 1, message, ...place }] = atHeaderLines([problem], () => text) as [Problem];
    const source = text.split(/\r?\n/)[line - 1] ?? '';
    const { start, length } = placeOfProblem(source, { ...place, message }) ?? {
      start: source.search(/\S|$/),
      length: source.trim().length,
    };
    const range = {
      start: { line: line - 1, character: start },
      end: { line: line - 1, character: start + length },
    };
    return { range, severity, source: 'querygate', message };
  };
  return [...problems.map(diagnostic(1)), ...unfinished.map(diagnostic(2))];
}

/** The offset at which the SQL of a document begins. */
const sqlStart = (text: string): number => text.length - (sqlPart(text)?.sql.length ?? 0);

function hoverAt(document: OpenDocument, offset: number, tables: Tables): object | null {
  const { file, text, checked } = document;
  const start = sqlStart(text);
  const place = {
    sql: text.slice(start),
    offset: offset - start,
    types: checked.types,
    tables: tables.of(file),
  };
  const isSql = start < text.length && offset >= start;
  const found = isSql
    ? hoverSql({ ...place, parameters: parametersOf(document) })
    : hoverHeader(text.slice(0, start), offset);
  if (found === undefined) return null;
  const from = isSql ? start : 0;
  return {
    contents: { kind: 'markdown', value: found.text },
    range: rangeOf(text, found.start + from, found.end + from),
  };
}

function completeAt(document: OpenDocument, offset: number, tables: Tables): object {
  const { file, text, last } = document;
  const start = sqlStart(text);
  if (offset < start || start === text.length)
    return completeHeader(text.slice(0, offset).replace(/^.*\n/, ''));
  const sql = text.slice(start);
  const parameters = parametersOf(document);
  return completeSql({ sql, offset: offset - start, tables: tables.of(file), parameters, last });
}

/** The parameters that the header declares, also if it has problems. */
function parametersOf({ file, text }: OpenDocument): readonly NamedValue[] {
  const parts = readHeader(file, text);
  const { parameters } = ('header' in parts ? (parts.header ?? {}) : {}) as { readonly parameters?: unknown };
  return Object.entries(parameters ?? {}).map(([name, declared]) => {
    const { type, bind = 'STRING', repeated, description } = (declared ?? {}) as Partial<Parameter>;
    const bound = repeated ? `ARRAY<${bind}>` : bind;
    const sent = type === undefined || type === bind.toLowerCase() ? '' : `, sent as ${type}`;
    return { name, type: `${bound}${sent}`, description };
  });
}
