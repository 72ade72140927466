import { hash } from 'node:crypto';
import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  NoSchemaIntrospectionCustomRule,
  type OperationDefinitionNode,
  Source,
  specifiedRules,
  validate,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { httpLimits } from '../message/http-limits.ts';
import { operationTooLarge, sanitizeDocumentError, shortenMessage } from './errors.ts';
import { parseDocument } from './document/parse-document.ts';
import { withoutPlainFields } from './document/plain-selections.ts';
import { limitRepeatedFields } from './document/repeated-fields.ts';
import { CompiledSelections } from './rows/compiled-selections.ts';

/** A document that was parsed and validated; with errors it must not be executed. */
export interface CheckedDocument {
  /** With errors, only its operations, without what they select. */
  readonly document: DocumentNode;
  readonly errors: readonly GraphQLError[];
  readonly selections: CompiledSelections;
  /** True if it selects fields that no leaf can write. */
  needsObjects: boolean;
}

/**
 * Parses and validates a document within the limits. The outcome is remembered, also of rejected documents: dashboards send
 * the same few. @throws GraphQLError if it cannot be parsed
 */
export type CheckDocument = (text: string) => CheckedDocument;

/** Characters of the documents that are kept. A syntax tree takes some 150 bytes for each: these are 30 MB. */
const maxKeptCharacters = 200_000;

/** Bytes of what is kept of rejected documents, some hundred for each; a rejection of many places is not kept. */
const maxKeptRejectionBytes = 4_000_000;
const maxRejectionBytes = 100_000;

/** Characters of what is left of valid documents without their plain fields. */
const maxKeptRemainders = 200_000;

/** @param share how much of what is kept at most */
export function buildCheckDocument(schema: GraphQLSchema, introspection: boolean, share = 1): CheckDocument {
  const findErrors = buildFindErrors(schema, introspection);
  // Like requests, documents are kept from their second time on.
  const valid = new LRUCache<string, CheckedDocument | 'once'>({
    maxSize: maxKeptCharacters * share,
    sizeCalculation: (_, text) => text.length + 100,
  });
  // Clients that send invalid documents send each of them again and again. The text may be as long as a body.
  const rejected = new LRUCache<string, Rejection>({
    maxSize: maxKeptRejectionBytes * share,
    maxEntrySize: maxRejectionBytes,
    sizeCalculation: rejectionBytes,
  });
  const check = (text: string): CheckedDocument | Rejection => {
    try {
      const document = parseDocument(text);
      const errors = findErrors(text, document);
      if (errors.length > 0) return { operations: operationsOf(document), errors: errors.map(withoutNodes) };
      return newChecked(document, errors);
    } catch (error) {
      if (error instanceof GraphQLError) return { operations: undefined, errors: [withoutNodes(error)] };
      throw error;
    }
  };
  return (text) => {
    const known = valid.get(text);
    if (known !== undefined && known !== 'once') return known;
    const digest = hash('sha256', text, 'base64');
    const checked = rejected.get(digest) ?? check(text);
    if ('document' in checked) {
      valid.set(text, known === undefined ? 'once' : checked);
      return checked;
    }
    rejected.set(digest, checked);
    return reject(checked, text);
  };
}

const newChecked = (document: DocumentNode, errors: readonly GraphQLError[]): CheckedDocument => ({
  document,
  errors,
  selections: new CompiledSelections(),
  needsObjects: false,
});

/** Why a document must not be executed, without its syntax tree, which takes much memory. */
interface Rejection {
  /** With empty selections; undefined if the document cannot be parsed. */
  readonly operations: readonly OperationDefinitionNode[] | undefined;
  readonly errors: readonly Pick<GraphQLError, 'message' | 'positions' | 'extensions'>[];
}

function withoutNodes({ message, positions, extensions }: GraphQLError): Rejection['errors'][number] {
  return { message: shortenMessage(message), positions, extensions: structuredClone(extensions) };
}

/** The server looks for the operation of a request before it reports what is wrong with the document. */
function operationsOf({ definitions }: DocumentNode): readonly OperationDefinitionNode[] {
  return definitions.flatMap((one) => {
    if (one.kind !== Kind.OPERATION_DEFINITION) return [];
    const { kind, operation, name } = one;
    const selectionSet = { kind: Kind.SELECTION_SET, selections: [] } as const;
    return [{ kind, operation, name: name && { kind: name.kind, value: name.value }, selectionSet }];
  });
}

/** An estimate: an object takes some hundred bytes beside its text. */
const rejectionBytes = (rejection: Rejection): number => 500 + 3 * JSON.stringify(rejection).length;

/** Each request has errors of its own, because the server adds to them. */
function reject({ operations, errors }: Rejection, text: string): CheckedDocument {
  const source = new Source(text);
  const own = errors.map(
    ({ message, positions, extensions }) =>
      new GraphQLError(message, { source, positions, extensions: structuredClone(extensions) }),
  );
  if (operations === undefined) throw own[0];
  return newChecked({ kind: Kind.DOCUMENT, definitions: operations }, own);
}

/** Validation costs more than all other steps of a request together: what is left without plain fields is validated once. */
function buildFindErrors(schema: GraphQLSchema, introspection: boolean) {
  const rules = introspection ? specifiedRules : [...specifiedRules, NoSchemaIntrospectionCustomRule];
  const valid = new LRUCache<string, true>({
    maxSize: maxKeptRemainders,
    sizeCalculation: (_, remainder) => remainder.length + 100,
  });
  return (text: string, document: DocumentNode): readonly GraphQLError[] => {
    const remainder = withoutPlainFields(schema, text, document);
    if (remainder === undefined || valid.get(remainder) === undefined) {
      const errors = validateDocument(schema, document, rules);
      if (errors.length > 0) return errors;
      if (remainder !== undefined) valid.set(remainder, true);
    }
    return limitRepeatedFields(document);
  };
}

/** Without naming what the caller has not written: `nearest-names.ts` does, as far as the caller may see the schema. */
function validateDocument(
  schema: GraphQLSchema,
  document: DocumentNode,
  rules: typeof specifiedRules,
): readonly GraphQLError[] {
  const { maxDocumentErrors: maxErrors } = httpLimits;
  const errors = validate(schema, document, rules, { maxErrors, hideSuggestions: true });
  return errors.map((error) => sanitizeDocumentError(asLimitError(error), 'GRAPHQL_VALIDATION_FAILED'));
}

/** graphql-js has a limit of its own: nested lists of introspection, whose size is the product of their lengths. */
function asLimitError(error: GraphQLError): GraphQLError {
  if (error.message !== 'Maximum introspection depth exceeded') return error;
  return operationTooLarge('The operation nests lists of the schema; nest fewer levels');
}
