import {
  type DocumentNode,
  getOperationAST,
  GraphQLError,
  Kind,
  Lexer,
  type ParseOptions,
  parse,
  type SelectionSetNode,
  Source,
  TokenKind,
} from 'graphql';
import { httpLimits } from '../../message/http-limits.ts';
import { operationTooLarge, requestError } from '../errors.ts';
import { type Fragments, fragmentsOf } from './collect-fields.ts';
import { buildLimitMergedFields } from './merged-fields.ts';

interface OperationSize {
  readonly depth: number;
  readonly rootFields: number;
  readonly aliases: number;
}

const inAnother = 'send the others in another request';

const sizeLimits = {
  depth: { limit: httpLimits.maxFieldDepth, unit: 'levels of fields', advice: 'nest fewer levels' },
  rootFields: { limit: httpLimits.maxRootFields, unit: 'root fields', advice: inAnother },
  aliases: { limit: httpLimits.maxAliases, unit: 'aliases', advice: inAnother },
} as const satisfies Record<keyof OperationSize, object>;

const noMutations = 'Queries and subscriptions are supported, not mutations';

/**
 * The error of a document that a request by GET cannot have: 405 if the operation that it names is a mutation.
 *
 * @param error of `parseDocument`, for the same text
 * @see GraphQL over HTTP, "GET"
 */
export function errorOfGet(error: unknown, text: string, operationName: string | null | undefined): unknown {
  if (!(error instanceof GraphQLError) || error.message !== noMutations) return error;
  if (getOperationAST(parse(text), operationName)?.operation !== 'mutation') return error;
  return requestError('METHOD_NOT_ALLOWED', `GET is for queries; ${noMutations.toLowerCase()}`, {
    allow: 'POST, OPTIONS',
  });
}

/**
 * Parses a document of queries and subscriptions within the limits, before validation, whose rules cost more than this.
 * @throws GraphQLError OPERATION_TOO_LARGE | BAD_REQUEST, both with status 400
 */
export function parseDocument(text: string | Source, options?: ParseOptions): DocumentNode {
  const source = typeof text === 'string' ? new Source(text) : text;
  if (source.body.trim() === '') throw new GraphQLError('query: is empty; send an operation');
  limitTokens(source);
  const document = parse(source, options);
  const fragments = fragmentsOf(document);
  const sizeOf = buildSizeOf(fragments);
  const limitMergedFields = buildLimitMergedFields(fragments);
  for (const one of document.definitions) {
    if (one.kind !== Kind.OPERATION_DEFINITION) continue;
    if (one.operation === 'mutation') throw requestError('BAD_REQUEST', noMutations);
    limitSize(sizeOf(one.selectionSet));
    limitMergedFields(one.selectionSet);
  }
  // Validation rejects unused fragments, but must not have to traverse a large one.
  for (const { selectionSet } of fragments.values()) {
    limitSize({ ...sizeOf(selectionSet), rootFields: 0 });
    limitMergedFields(selectionSet);
  }
  return document;
}

/**
 * Limits a document before it is parsed, which recurses for every bracket. The parser's own `maxTokens` would report a syntax
 * error that comes first, and does not count brackets.
 */
function limitTokens(source: Source): void {
  const { maxTokens, maxDocumentLines, maxBracketDepth, maxNameLength } = httpLimits;
  const lexer = new Lexer(source);
  const refuse = (problem: string) => operationTooLarge(`The document ${problem}`);
  let depth = 0;
  for (let count = 1; lexer.advance().kind !== TokenKind.EOF; count += 1) {
    if (count > maxTokens) throw refuse(`has more than ${maxTokens} tokens; split it into several requests`);
    const { kind, start, end } = lexer.token;
    if (kind === TokenKind.NAME && end - start > maxNameLength)
      throw refuse(`has a name of more than ${maxNameLength} characters; choose shorter aliases`);
    if (openingBrackets.has(kind)) depth += 1;
    else if (closingBrackets.has(kind)) depth -= 1;
    if (depth > maxBracketDepth)
      throw refuse(`nests more than ${maxBracketDepth} brackets; nest fewer levels`);
  }
  if (lexer.token.line > maxDocumentLines)
    throw refuse(`has more than ${maxDocumentLines} lines; remove comments and empty lines`);
}

const openingBrackets = new Set<TokenKind>([TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L]);
const closingBrackets = new Set<TokenKind>([TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R]);

function limitSize(size: OperationSize): void {
  for (const name of ['depth', 'rootFields', 'aliases'] as const) {
    const { limit, unit, advice } = sizeLimits[name];
    if (size[name] <= limit) continue;
    // Expanded, a few nested fragments may have astronomically many.
    const count = size[name] > 10 * limit ? `more than ${10 * limit}` : size[name];
    throw operationTooLarge(`The operation has ${count} ${unit}; at most ${limit} are allowed: ${advice}`);
  }
}

/** Each fragment is measured once, however often it is spread: expanded, a short document may be astronomically large. */
function buildSizeOf(fragments: Fragments) {
  const known = new Map<string, OperationSize>();
  const sizeOf = ({ selections }: SelectionSetNode): OperationSize =>
    selections.reduce<OperationSize>((sum, selection) => {
      if (selection.kind === Kind.FIELD) {
        const inner = selection.selectionSet === undefined ? emptySize : sizeOf(selection.selectionSet);
        const aliases = inner.aliases + (selection.alias === undefined ? 0 : 1);
        return addSizes(sum, { ...inner, depth: inner.depth + 1, rootFields: 1, aliases });
      }
      return addSizes(
        sum,
        selection.kind === Kind.INLINE_FRAGMENT
          ? sizeOf(selection.selectionSet)
          : sizeOfFragment(selection.name.value),
      );
    }, emptySize);
  const sizeOfFragment = (name: string): OperationSize => {
    const fragment = fragments.get(name);
    const before = known.get(name);
    if (fragment === undefined || before !== undefined) return before ?? emptySize;
    // A fragment that spreads itself counts nothing there; validation rejects it.
    known.set(name, emptySize);
    const size = sizeOf(fragment.selectionSet);
    known.set(name, size);
    return size;
  };
  return sizeOf;
}

const emptySize: OperationSize = { depth: 0, rootFields: 0, aliases: 0 };

function addSizes(a: OperationSize, b: OperationSize): OperationSize {
  return {
    depth: Math.max(a.depth, b.depth),
    rootFields: a.rootFields + b.rootFields,
    aliases: a.aliases + b.aliases,
  };
}
