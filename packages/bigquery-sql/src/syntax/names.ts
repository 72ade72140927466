import { isReserved } from './lexer/keywords.ts';
import type { NumberToken, Token, Word } from './lexer/tokens.ts';
import type { Identifier, Path } from './nodes.ts';
import type { Parser } from './parser.ts';

type Parts = [Identifier, ...Identifier[]];

/** `a.b.c`; a star after the last dot stays unread. */
export function parsePath(p: Parser, expected?: string): Path {
  return pathAfter(p, p.name(expected));
}

/** The rest of a path whose first part has been read. */
export function pathAfter(p: Parser, first: Identifier): Path {
  const parts: Parts = [first];
  while (p.at('.') && isWordOrName(p)) {
    p.next();
    parts.push(p.anyName());
  }
  return pathOf(parts, p.end);
}

const isWordOrName = (p: Parser) => {
  const { kind } = p.peek(1);
  return kind === 'word' || kind === 'quoted name';
};

/** A table's name: with dashes in its first part, and split at the dots within backquotes. */
export function parseTablePath(p: Parser): Path {
  if (p.at('['))
    p.fail('the name of a table, as in `project.dataset.table`, because legacy SQL is not supported');
  const first = p.name('the name of a table');
  const { identifier, dotRead } = withDashes(p, first);
  const parts: Parts = [identifier];
  if (dotRead) parts.push(p.anyName('a name after "."'));
  while (p.accept('.')) parts.push(p.anyName('a name after "."'));
  return splitPath(p, pathOf(parts, p.end));
}

/**
 * `my-project`, written without blanks; elsewhere than in a table's name it is a subtraction. The lexer reads
 * `my-project-123.x` as a name, a number `123.` and a name, so the dot may have been read with the number.
 */
function withDashes(p: Parser, first: Identifier): { identifier: Identifier; dotRead: boolean } {
  let { name } = first;
  let dotRead = false;
  while (!first.quoted && !dotRead && p.at('-') && p.start === p.end && p.peek(1).start === p.end + 1) {
    const token = p.peek(1);
    if (!mayFollowDash(token)) break;
    p.next();
    p.next();
    dotRead = token.kind === 'float' && token.text.endsWith('.');
    if (token.kind === 'float' && !/^\w+\.?$/.test(token.text)) {
      p.problem(token.start, `expected a name without a dot after "-", found "${token.text}"`);
    }
    name += `-${dotRead ? token.text.slice(0, -1) : token.text}`;
  }
  if (name === first.name) return { identifier: first, dotRead };
  return { identifier: { ...first, name, end: dotRead ? p.end - 1 : p.end }, dotRead };
}

const mayFollowDash = (token: Token): token is Word | NumberToken =>
  token.kind === 'word' ? !isReserved(token.key) : token.kind === 'integer' || token.kind === 'float';

/** `` `a.b`.c `` as `a.b.c`, for the names of tables and functions. */
export function splitPath(p: Parser, path: Path): Path {
  if (!path.parts.some(({ quoted, name }) => quoted && name.includes('.'))) return path;
  const parts = path.parts.flatMap((part) => (part.quoted ? splitName(p, part) : [part]));
  return { ...path, parts: parts as Parts };
}

function splitName(p: Parser, { name, start, end, quoted, kind }: Identifier): readonly Identifier[] {
  const names = name.split('.');
  if (names.includes('')) p.problem(start, 'expected a name on each side of a dot, found nothing');
  // With escapes, the parts have no places of their own.
  const exact = name.length === end - start - 2;
  let at = start + 1;
  return names.map((part) => {
    const place = exact ? { start: at, end: at + part.length } : { start, end };
    at += part.length + 1;
    return { kind, ...place, name: part, quoted };
  });
}

function pathOf(parts: Parts, end: number): Path {
  return { kind: 'Path', start: parts[0].start, end, parts };
}
