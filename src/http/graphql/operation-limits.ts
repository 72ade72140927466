import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLError,
  Kind,
  Lexer,
  type ParseOptions,
  parse,
  type SelectionSetNode,
  Source,
  TokenKind,
} from 'graphql';
import { refusal } from './errors.ts';

/**
 * How large an operation may be, before anything else is done with it. A dashboard of twenty fields with all their
 * columns has some 800 tokens; the longest that a tool sends, introspection, has 163, and a depth of 13.
 */
export const operationLimits = {
  tokens: 2_000,
  brackets: 50,
  depth: 15,
  rootFields: 20,
  aliases: 50,
} as const;

/** What an operation comes to once its fragments are written out. */
interface Size {
  readonly depth: number;
  readonly rootFields: number;
  readonly aliases: number;
}

const words = {
  depth: { what: 'levels of fields', right: 'nest less' },
  rootFields: { what: 'root fields', right: 'ask for the others in another request' },
  aliases: { what: 'aliases', right: 'ask for the others in another request' },
} as const satisfies Record<keyof Size, object>;

/**
 * Reads a document of queries within the limits. It stands before validation, whose rules cost more than this does.
 *
 * @throws GraphQLError OPERATION_TOO_LARGE | BAD_REQUEST, told with status 400
 */
export function parseOperation(source: string | Source, options?: ParseOptions): DocumentNode {
  const read = typeof source === 'string' ? new Source(source) : source;
  refuseManyTokens(read);
  const document = parse(read, options);
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const one of document.definitions) {
    if (one.kind === Kind.FRAGMENT_DEFINITION) fragments.set(one.name.value, one);
  }
  const sizeOf = buildSizeOf(fragments);
  for (const one of document.definitions) {
    if (one.kind !== Kind.OPERATION_DEFINITION) continue;
    if (one.operation !== 'query') {
      throw refusal('BAD_REQUEST', `There are only queries here; ${one.operation} is none`);
    }
    refuseLarge(sizeOf(one.selectionSet));
  }
  // A fragment that nobody spreads is refused by validation, which must not have to look at a large one.
  for (const { selectionSet } of fragments.values()) refuseLarge({ ...sizeOf(selectionSet), rootFields: 0 });
  return document;
}

/** Reads tokens only: parsing, and most of what comes after it, calls itself for every bracket. */
function refuseManyTokens(source: Source): void {
  const lexer = new Lexer(source);
  let depth = 0;
  for (let count = 1; lexer.advance().kind !== TokenKind.EOF; count += 1) {
    if (count > operationLimits.tokens) {
      throw tooLarge(`The document has more than ${operationLimits.tokens} tokens; ask in several requests`);
    }
    const { kind } = lexer.token;
    if (opening.has(kind)) depth += 1;
    else if (closing.has(kind)) depth -= 1;
    if (depth > operationLimits.brackets) {
      throw tooLarge(
        `The document has more than ${operationLimits.brackets} brackets within each other; nest less`,
      );
    }
  }
}

const opening = new Set<TokenKind>([TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L]);
const closing = new Set<TokenKind>([TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R]);

function tooLarge(message: string): GraphQLError {
  return refusal('OPERATION_TOO_LARGE', message);
}

function refuseLarge(size: Size): void {
  for (const name of ['depth', 'rootFields', 'aliases'] as const) {
    const limit = operationLimits[name];
    if (size[name] <= limit) continue;
    const { what, right } = words[name];
    // A fragment bomb has more than anybody could count.
    const count = size[name] > 10 * limit ? `more than ${10 * limit}` : size[name];
    throw tooLarge(`The operation has ${count} ${what}; at most ${limit} are answered: ${right}`);
  }
}

/** Each fragment is measured once, however often it is spread: written out, a short document may be astronomic. */
function buildSizeOf(fragments: ReadonlyMap<string, FragmentDefinitionNode>) {
  const known = new Map<string, Size>();
  const sizeOf = ({ selections }: SelectionSetNode): Size =>
    selections.reduce<Size>((sum, selection) => {
      if (selection.kind === Kind.FIELD) {
        const inner = selection.selectionSet === undefined ? nothing : sizeOf(selection.selectionSet);
        const aliases = inner.aliases + (selection.alias === undefined ? 0 : 1);
        return add(sum, { depth: inner.depth + 1, rootFields: 1, aliases });
      }
      if (selection.kind === Kind.INLINE_FRAGMENT) return add(sum, sizeOf(selection.selectionSet));
      return add(sum, ofFragment(selection.name.value));
    }, nothing);
  const ofFragment = (name: string): Size => {
    const fragment = fragments.get(name);
    const before = known.get(name);
    if (fragment === undefined || before !== undefined) return before ?? nothing;
    // One that spreads itself counts nothing there; validation refuses it.
    known.set(name, nothing);
    const size = sizeOf(fragment.selectionSet);
    known.set(name, size);
    return size;
  };
  return sizeOf;
}

const nothing: Size = { depth: 0, rootFields: 0, aliases: 0 };

function add(a: Size, b: Size): Size {
  return {
    depth: Math.max(a.depth, b.depth),
    rootFields: a.rootFields + b.rootFields,
    aliases: a.aliases + b.aliases,
  };
}
