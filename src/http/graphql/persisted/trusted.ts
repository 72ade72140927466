import { readFileSync } from 'node:fs';
import { decodeUtf8, NotUtf8, parseJson } from '@querygate/text';
import { GraphQLError } from 'graphql';
import type { Logger } from 'pino';
import { z } from 'zod';
import { type Problem, StartError } from '../../../errors.ts';
import { pathProblem } from '../../../files/path-problem.ts';
import type { CheckDocument } from '../check-document.ts';
import { parseDocument } from '../document/parse-document.ts';
import { requestError } from '../errors.ts';
import {
  hasDocument,
  maxIdLength,
  normalizeId,
  notFound,
  type PersistedDocuments,
  persistedHash,
} from './persisted-query.ts';

/** The documents that are answered if only trusted ones are, by the ids that requests name them by. */
export type TrustedDocuments = ReadonlyMap<string, string>;

const id = z.string().min(1).max(maxIdLength);

/** `{"<id>": "<document>"}`, as GraphQL Code Generator and Relay write it. */
const map = z.record(id, z.string());

/** As Apollo's `generate-persisted-query-manifest` writes it. */
const manifest = z.object({
  format: z.literal('apollo-persisted-query-manifest'),
  operations: z.array(z.object({ id, body: z.string() })),
});

/** @throws StartError if the file cannot be read, is in no known format, or has documents that can never be answered */
export function loadTrustedDocuments(file: string): TrustedDocuments {
  const documents = parseFile(file);
  if (documents === undefined) {
    const formats = '{"<hash>": "<document>"} or a manifest of Apollo';
    throw fail([{ file, message: `must be JSON: ${formats}` }]);
  }
  const problems = [...documents].flatMap(([name, text]): Problem[] => {
    const problem = documentProblem(text);
    return problem === undefined ? [] : [{ file, message: `${name}: ${problem}` }];
  });
  if (problems.length > 0) throw fail(problems);
  return documents;
}

const fail = (problems: readonly Problem[]) =>
  new StartError('The trusted documents have problems', problems);

function textOf(file: string): string {
  try {
    return decodeUtf8(readFileSync(file));
  } catch (error) {
    if (error instanceof NotUtf8) throw fail([{ file, line: error.line, message: error.message }]);
    throw fail([{ file, message: `cannot be read ${pathProblem(file, error, 'file')}` }]);
  }
}

function parseFile(file: string): TrustedDocuments | undefined {
  const text = textOf(file);
  let content: unknown;
  try {
    content = parseJson(text);
  } catch {
    return undefined;
  }
  const operations = manifest.safeParse(content).data?.operations.map(({ id, body }) => [id, body] as const);
  const { data } = map.safeParse(content);
  const documents = operations ?? (data && Object.entries(data));
  return documents && new Map(documents.map(([id, text]) => [normalizeId(id), text]));
}

/** Undefined for a document within the limits; whether it fits the schema depends on the key. */
function documentProblem(text: string): string | undefined {
  try {
    parseDocument(text);
    return undefined;
  } catch (error) {
    if (error instanceof GraphQLError) return error.message;
    throw error;
  }
}

/** Logs the documents that do not fit the schema of the whole catalog: no request for them can succeed. In steps. */
export function* warnOfInvalid(
  documents: TrustedDocuments = new Map(),
  checkDocument: CheckDocument,
  log: Logger,
): Generator<void, void> {
  for (const [document, text] of documents) {
    const [error] = checkDocument(text).errors;
    if (error !== undefined)
      log.warn({ document, problem: error.message }, 'a trusted document is not valid');
    yield;
  }
}

/** Answers trusted documents only: requests name them by their hash or by `documentId`, or send exactly the same text. */
export function buildTrustedDocuments(documents: TrustedDocuments): PersistedDocuments {
  const texts = new Set(documents.values());
  return {
    documentOf(members) {
      const { query, documentId } = members;
      if (hasDocument(members)) {
        if (typeof query !== 'string' || texts.has(query)) return query;
        throw requestError(
          'FORBIDDEN',
          'Only documents that the operator trusts are answered; name one of them by documentId, or by its hash in extensions.persistedQuery',
        );
      }
      const name = typeof documentId === 'string' ? documentId : persistedHash(members);
      if (name === undefined) return query;
      const text = documents.get(normalizeId(name));
      if (text === undefined) throw notFound();
      return text;
    },
  };
}
