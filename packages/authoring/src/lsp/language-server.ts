import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Problem } from '@querygate/bigquery-sql/problem';
import type { Syntax } from '@querygate/bigquery-sql/syntax';
import { atHeaderLines, type Dialect, placeOfProblem, readHeader, sqlPart } from 'querygate/catalog';
import {
  type CompletionItem,
  createConnection,
  type Diagnostic,
  DiagnosticSeverity,
  type Hover,
  type InitializeResult,
  MessageType,
  ShowMessageNotification,
  TextDocumentSyncKind,
  TextDocuments,
} from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import type { Parameter } from '../catalog-types.ts';
import { type CheckedDocument, checkDocument } from './check-document.ts';
import { checkAsserts, isCheckFile, selectAt } from './checks.ts';
import { completeHeader, completeSql } from './complete.ts';
import { hoverHeader, hoverSql } from './hover.ts';
import { type NamedValue, parseAround } from './sql-scope.ts';
import { openParts } from './parts.ts';
import { openTables, type Tables } from './tables.ts';

interface Options {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  /** The folder of saved queries: files elsewhere are checked if they have a header. */
  readonly queriesDir: string;
  readonly dialect: Dialect;
}

/** A saved query that an editor has open, as it was checked last. */
interface OpenDocument {
  readonly file: string;
  /** That of the saved queries to which it belongs. */
  readonly folder: string;
  readonly text: string;
  readonly checked: CheckedDocument;
  /** The SQL when it could be parsed last. */
  readonly last: Syntax.Statement | undefined;
  /** The names of the parts that it can read as tables. */
  readonly readable: readonly string[];
  /** True for a file of checks, which has no header. */
  readonly hasAsserts?: true;
}

/** Changes that arrive together are checked once. */
const settleMs = 20;

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  readonly version: string;
};

const initialized: InitializeResult = {
  capabilities: {
    positionEncoding: 'utf-16',
    textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental, save: true },
    hoverProvider: true,
    completionProvider: { triggerCharacters: ['.', '@', '`', ':', ' '] },
  },
  serverInfo: { name: 'querygate', version },
};

/**
 * Serves an editor by the Language Server Protocol: problems while a saved query is edited, types and meanings of names, and
 * proposals. The process ends when the editor ends the connection, with 1 if it did not shut the server down before.
 */
export function serveEditor({ input, output, queriesDir, dialect }: Options): void {
  const connection = createConnection(input, output);
  const documents = new TextDocuments(TextDocument);
  const checked = new Map<string, OpenDocument>();
  const tables = openTables();
  const check = buildCheck(tables, { queriesDir, dialect });
  const changed = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  const checkOne = (uri: string) => {
    const document = check(uri, documents.get(uri)?.getText() ?? '', checked.get(uri));
    if (document !== undefined) checked.set(uri, document);
    // The problems of a file that is not a saved query any more are removed.
    else if (!checked.delete(uri)) return;
    void connection.sendDiagnostics({
      uri,
      diagnostics: document === undefined ? [] : diagnosticsOf(document),
    });
  };
  const checkChanged = () => {
    clearTimeout(timer);
    timer = undefined;
    for (const uri of changed) {
      changed.delete(uri);
      try {
        checkOne(uri);
      } catch (error) {
        connection.console.error(
          `${uri} could not be checked: ${error instanceof Error ? error.stack : error}`,
        );
      }
    }
  };
  const change = (uri: string) => {
    changed.add(uri);
    timer ??= setTimeout(checkChanged, settleMs);
  };

  connection.onInitialize(() => initialized);
  connection.onInitialized(() => {
    if (existsSync(queriesDir)) return;
    const message = `There is no folder ${resolve(queriesDir)}: only files that begin with a header are checked. QUERIES_DIR names another folder, and querygate new makes this one.`;
    // Not as a request, for which `connection.window` would wait.
    void connection.sendNotification(ShowMessageNotification.type, { type: MessageType.Warning, message });
  });
  documents.onDidChangeContent(({ document: { uri } }) => change(uri));
  // Tables may have changed.
  documents.onDidSave(() => {
    for (const uri of checked.keys()) change(uri);
  });
  documents.onDidClose(({ document: { uri } }) => {
    changed.delete(uri);
    checked.delete(uri);
    void connection.sendDiagnostics({ uri, diagnostics: [] });
  });
  connection.onHover(({ textDocument: { uri }, position }) => {
    checkChanged();
    const [document, source] = [checked.get(uri), documents.get(uri)];
    return document && source && hoverAt(document, source, source.offsetAt(position), tables);
  });
  connection.onCompletion(({ textDocument: { uri }, position }) => {
    checkChanged();
    const [document, source] = [checked.get(uri), documents.get(uri)];
    return document && source ? completeAt(document, source.offsetAt(position), tables) : [];
  });
  documents.listen(connection);
  connection.listen();
}

/** @returns checks the text of an open file, which may have been checked before; undefined if it is not a saved query */
function buildCheck(tables: Tables, { queriesDir, dialect }: Pick<Options, 'queriesDir' | 'dialect'>) {
  const parts = openParts();
  return (uri: string, text: string, before: OpenDocument | undefined): OpenDocument | undefined => {
    const file = savedQueryFile(uri, text, queriesDir);
    if (file === undefined) return undefined;
    if (isCheckFile(file, queriesDir)) {
      const folder = resolve(queriesDir);
      const folderParts = parts.in(folder);
      const context = { tables: tables.of(folder), dialect, parts: folderParts };
      return {
        ...{ file, folder, text, last: undefined, readable: folderParts.library.tableNames() },
        checked: checkAsserts(folder, file, text, context),
        hasAsserts: true,
      };
    }
    const sql = sqlPart(text)?.sql ?? '';
    const folder = dirname(file);
    const context = { tables: tables.of(folder), dialect, parts: parts.of(file, text) };
    return {
      ...{ file, folder, text, readable: context.parts.library.tableNames() },
      last: parseAround(sql, sql.length) ?? before?.last,
      checked: checkDocument(basename(file, '.sql'), file, text, context),
    };
  };
}

function savedQueryFile(uri: string, text: string, queriesDir: string): string | undefined {
  if (!uri.startsWith('file:') || !/\.sql$/i.test(uri)) return undefined;
  const file = pathOf(uri);
  if (file === undefined) return undefined;
  if (isCheckFile(file, queriesDir)) return file;
  return dirname(file) === resolve(queriesDir) || /^\uFEFF?\s*\/\*---/.test(text) ? file : undefined;
}

/** undefined for a URI that is not of a file of this machine, as `file://server/share/a.sql` on Linux. */
function pathOf(uri: string): string | undefined {
  try {
    return fileURLToPath(uri);
  } catch {
    return undefined;
  }
}

function diagnosticsOf({ text, checked: { problems, unfinished } }: OpenDocument): Diagnostic[] {
  const diagnostic = (severity: DiagnosticSeverity) => (problem: Problem) => {
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
  return [
    ...problems.map(diagnostic(DiagnosticSeverity.Error)),
    ...unfinished.map(diagnostic(DiagnosticSeverity.Warning)),
  ];
}

/** The SQL of a document around a place, and where it begins; undefined in a header. */
function sqlAt(
  { text, hasAsserts }: OpenDocument,
  offset: number,
): { readonly sql: string; readonly start: number } | undefined {
  if (hasAsserts) return selectAt(text, offset);
  const sql = sqlPart(text)?.sql ?? '';
  const start = text.length - sql.length;
  return sql === '' || offset < start ? undefined : { sql, start };
}

function hoverAt(
  document: OpenDocument,
  source: TextDocument,
  offset: number,
  tables: Tables,
): Hover | undefined {
  const { text, checked } = document;
  const at = sqlAt(document, offset);
  const found = at
    ? hoverSql({
        ...{ sql: at.sql, offset: offset - at.start, types: checked.types },
        ...{ tables: tables.of(document.folder), parameters: parametersOf(document) },
      })
    : hoverHeader(text.slice(0, text.length - (sqlPart(text)?.sql.length ?? 0)), offset);
  if (found === undefined) return undefined;
  const from = at?.start ?? 0;
  return {
    contents: { kind: 'markdown', value: found.text },
    range: { start: source.positionAt(found.start + from), end: source.positionAt(found.end + from) },
  };
}

function completeAt(document: OpenDocument, offset: number, tables: Tables): CompletionItem[] {
  const { text, last, readable } = document;
  const at = sqlAt(document, offset);
  if (at === undefined) return completeHeader(text.slice(0, offset).replace(/^.*\n/, ''));
  const [sql, parameters] = [at.sql, parametersOf(document)];
  return completeSql({
    ...{ sql, offset: offset - at.start, tables: tables.of(document.folder) },
    ...{ readable, parameters, last },
  });
}

/** The parameters that the header declares, also if it has problems. */
function parametersOf({ file, text }: OpenDocument): readonly NamedValue[] {
  const parts = readHeader(file, text);
  const { parameters } = ('header' in parts ? (parts.header ?? {}) : {}) as { readonly parameters?: unknown };
  return Object.entries(parameters ?? {}).map(([name, declared]) => {
    const given = (declared ?? {}) as Partial<Record<keyof Parameter, unknown>>;
    const [type, bind = 'STRING'] = [textOf(given.type), textOf(given.bind)];
    const bound = given.repeated ? `ARRAY<${bind}>` : bind;
    const sent = type === undefined || type === bind.toLowerCase() ? '' : `, sent as ${type}`;
    return { name, type: `${bound}${sent}`, description: textOf(given.description) };
  });
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
