import {
  type DocumentNode,
  type GraphQLError,
  type GraphQLSchema,
  NoSchemaIntrospectionCustomRule,
  specifiedRules,
  validate,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { httpLimits } from '../limits.ts';
import { requestError, sanitizeDocumentError } from './errors.ts';
import { parseDocument } from './operation-limits.ts';
import { limitRepeatedFields } from './repeated-fields.ts';

/** A document that was parsed and validated; with errors it must not be executed. */
export interface CheckedDocument {
  readonly document: DocumentNode;
  readonly errors: readonly GraphQLError[];
}

/**
 * Parses and validates a document within the limits, once for each text: dashboards send the same few.
 *
 * @throws GraphQLError if it cannot be parsed
 */
export type CheckDocument = (text: string) => CheckedDocument;

/** Characters of the documents that are kept. A syntax tree takes some 150 bytes for each: these are 30 MB. */
const maxKeptCharacters = 200_000;

/** @param introspection whether callers may query the schema */
export function buildCheckDocument(schema: GraphQLSchema, introspection: boolean): CheckDocument {
  const rules = introspection ? specifiedRules : [...specifiedRules, NoSchemaIntrospectionCustomRule];
  const valid = new LRUCache<string, CheckedDocument>({
    maxSize: maxKeptCharacters,
    sizeCalculation: (_, text) => text.length + 100,
  });
  return (text) => {
    const known = valid.get(text);
    if (known !== undefined) return known;
    const document = parseDocument(text);
    const checked = { document, errors: findErrors(schema, document, rules) };
    // Clients that send invalid documents send different ones each time, and each error holds its document.
    if (checked.errors.length === 0) valid.set(text, checked);
    return checked;
  };
}

/** Without naming what the caller has not written. */
function findErrors(
  schema: GraphQLSchema,
  document: DocumentNode,
  rules: typeof specifiedRules,
): readonly GraphQLError[] {
  const { maxDocumentErrors: maxErrors } = httpLimits;
  const errors = validate(schema, document, rules, { maxErrors, hideSuggestions: true });
  if (errors.length === 0) return limitRepeatedFields(document);
  return errors.map((error) => sanitizeDocumentError(asLimitError(error), 'GRAPHQL_VALIDATION_FAILED'));
}

/** graphql-js has a limit of its own: nested lists of introspection, whose size is the product of their lengths. */
function asLimitError(error: GraphQLError): GraphQLError {
  if (error.message !== 'Maximum introspection depth exceeded') return error;
  return requestError('OPERATION_TOO_LARGE', 'The operation nests lists of the schema; nest fewer levels');
}
