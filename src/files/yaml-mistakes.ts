import { type Document, type ErrorCode, isCollection, isNode, isPair, type Node } from 'yaml';

const inQuotes = 'a text that contains ": " must be in quotes';
const keyAndValue = 'a line must be a key and its value, as in name: value, with a space after the colon';

/** Explanations of mistakes that are easily made, for people who know only the rows of a header. */
const byCode: Readonly<Partial<Record<ErrorCode, string>>> = {
  BAD_SCALAR_START: 'a text that starts with this character must be in quotes',
  TAB_AS_INDENT: 'a line is indented with spaces, not with a tab',
  DUPLICATE_KEY: 'this key is there already; each may be given once',
  BLOCK_AS_IMPLICIT_KEY: inQuotes,
  BLOCK_IN_FLOW: `${inQuotes}, and a list or an object here in brackets`,
  MULTILINE_IMPLICIT_KEY: keyAndValue,
  BAD_ALIAS: 'a text that starts with * must be in quotes',
  MULTIPLE_ANCHORS: 'a text that starts with & must be in quotes',
  BAD_DQ_ESCAPE: String.raw`in double quotes, \ begins an escape such as \n: write \\, or the text in single quotes`,
  KEY_OVER_1024_CHARS: 'a key has at most 1024 characters',
};

/** Codes that stand for several mistakes. */
const byMessage: readonly (readonly [RegExp, string])[] = [
  [/end with a \]$/, 'this list has no ] at its end, as in [a, b]'],
  [/end with a \}$/, 'this object has no } at its end, as in {a: 1, b: 2}'],
  [/^Missing closing "/, 'this text has no " at its end, as in "a text"'],
  [/^Missing closing '/, "this text has no ' at its end, as in 'a text'"],
  [/^All mapping items must start/, 'the keys of one object have equally many spaces before them'],
  [
    /^All (?:sequence|collection) items must start/,
    'the dashes of one list have equally many spaces before them',
  ],
  [/^Implicit map keys need to be followed/, keyAndValue],
  [
    /^Unexpected block-seq-ind on same line/,
    'a list with dashes begins in the line below its key; in one line it is [a, b]',
  ],
  [/^Unexpected flow-seq-end token/, 'a ] without a [ before it'],
  [/^Unexpected flow-map-end token/, 'a } without a { before it'],
  [/^Unexpected , in flow/, 'a comma without a value before it'],
  [/ at node end$/, 'more text after the end of a value: put the whole in quotes, as in \'"a" b\''],
  [
    /^A block sequence may not be used/,
    'one object has keys, as in name: value, or is a list with dashes: not both',
  ],
  [/^Missing , or : between|^Unexpected (?:\S+-)?scalar token/, 'a comma is missing before this'],
  [
    /^Block scalar lines must/,
    'the lines of a text after | or > begin with at least as many spaces as its first line',
  ],
  [/trailing content$/, keyAndValue],
  [/^Comments must be separated/, 'a comment has a space before its #'],
  [/^Block scalar header/, 'after | or >, a text begins in the next line'],
];

/** An explanation of a mistake in a text, or the parser's own message. */
export const explainMistake = ({ code, message, pos }: YamlMistake, text: string): string =>
  explainText(code, message, pos, text) ??
  byMessage.find(([pattern]) => pattern.test(message))?.[1] ??
  byCode[code] ??
  message;

/** Explains a mistake by the text in which the parser found it. */
function explainText(
  code: ErrorCode,
  message: string,
  [start, end]: YamlMistake['pos'],
  text: string,
): string | undefined {
  if (code === 'TAG_RESOLVE_FAILED' && message.startsWith('Unresolved plain scalar')) {
    const word = text.slice(start, end).trim();
    return /^[\w.-]+$/.test(word)
      ? `${word} must be in double quotes, as in "${word}"`
      : 'it is a list or an object in brackets, with each text in double quotes';
  }
  if (code === 'BLOCK_IN_FLOW') {
    const key = /^[^:]*\s([\w-]+):\s/.exec(text.slice(start, end))?.[1];
    return key && `a comma is missing before ${key}:, or ${inQuotes}`;
  }
  const quote = / at node end$/.test(message) ? text[start - 1] : undefined;
  if (quote === "'")
    return "a ' inside a text in single quotes is written twice, as in 'it''s': or use double quotes";
  if (quote === '"')
    return String.raw`a " inside a text in double quotes is written \": or use single quotes`;
  return undefined;
}

interface YamlMistake {
  readonly code: ErrorCode;
  readonly message: string;
  readonly pos: readonly [number, number];
}

/** Mistakes that follow from another one in their line. */
const consequences: readonly ErrorCode[] = [
  'MULTILINE_IMPLICIT_KEY',
  'MISSING_CHAR',
  'UNEXPECTED_TOKEN',
  'BLOCK_IN_FLOW',
];

/** Mistakes that the parser does not explain, and those of a text that is not JSON, which has one in each word. */
const isRepeated = ({ code, message }: YamlMistake, at: number, all: readonly YamlMistake[]): boolean =>
  code === 'IMPOSSIBLE'
    ? all.length > 1
    : all[at - 1]?.code === code &&
      // After a dash among keys, each further key is said to be indented wrongly.
      (code === 'TAG_RESOLVE_FAILED' || (code === 'BAD_INDENT' && all[at - 1]?.message === message));

/** Without those that only follow from the one before them. */
export const causesAmong = <Mistake extends YamlMistake>(
  mistakes: readonly Mistake[],
  lineOf: (offset: number) => number,
): readonly Mistake[] =>
  mistakes.filter((mistake, at) => {
    const { code, pos } = mistake;
    if (isRepeated(mistake, at, mistakes)) return false;
    const before = mistakes.slice(Math.max(0, at - 4), at);
    return (
      !consequences.includes(code) ||
      before.every((other) => other.code === code || lineOf(other.pos[0]) !== lineOf(pos[0]))
    );
  });

/** Where what is not closed begins; its end is where the parser found it. */
export function placeOfMistake(
  { message, pos: [offset] }: YamlMistake,
  document: Document.Parsed,
  text: string,
): number {
  const closing = /^Missing closing (["'])|end with a ([\]}])$/.exec(message);
  if (closing === null) return offset;
  const opening = closing[1] ?? (closing[2] === ']' ? '[' : '{');
  for (const { range } of nodesIn(document.contents)) {
    const [from, to] = range ?? [offset, offset];
    if (from < offset && to >= offset && text[from] === opening) return from;
  }
  return offset;
}

/** A node and all inside of it, from the outside inwards. */
export function* nodesIn(node: unknown): Generator<Node> {
  if (isNode(node)) yield node;
  if (isPair(node)) for (const part of [node.key, node.value]) yield* nodesIn(part);
  if (isCollection(node)) for (const item of node.items) yield* nodesIn(item);
}
