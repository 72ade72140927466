import {
  Composer,
  type CST,
  type Document,
  type DocumentOptions,
  isAlias,
  isCollection,
  isNode,
  isScalar,
  Lexer,
  LineCounter,
  type ParsedNode,
  type ParseOptions,
  Parser,
  Scalar,
  type SchemaOptions,
  type Tags,
  YAMLMap,
  YAMLParseError,
  YAMLSeq,
} from 'yaml';
import { causesAmong, explainMistake, nodesIn, placeOfMistake } from './yaml-mistakes.ts';

/** Parsed YAML, not validated yet. Lines count from 1. */
export interface YamlData {
  readonly data: unknown;
  /** The line of the node at a path; of its nearest ancestor if there is no such node. */
  lineOf(path: readonly PropertyKey[]): number;
  /** True if the text ends with a closing bracket of its data, as JSON does: what is cut is then not valid. */
  readonly endsWithBracket: boolean;
}

interface YamlOptions {
  /** Returns numbers as they are written: as numbers, `0123` and 21 digits would be changed. */
  readonly numbersAsText?: boolean;
  /** True for the paths of values that are texts: numbers and booleans there, and all keys, are returned as they are written. */
  readonly isText?: (path: readonly PropertyKey[], written: string) => boolean;
  /** True for the paths of values in which integers beyond 2^53 are bigints; others are rounded. Needs `isText`. */
  readonly isExact?: (path: readonly PropertyKey[]) => boolean;
}

interface YamlProblems {
  readonly problems: readonly { readonly line: number; readonly column: number; readonly message: string }[];
}

/**
 * Parses YAML with line numbers.
 *
 * @param format `json` accepts JSON only: JSON is a subset of YAML, and this parser knows the line of each value
 */
export function readYaml(
  text: string,
  format: 'yaml' | 'json' = 'yaml',
  { numbersAsText = false, isText, isExact = () => false }: YamlOptions = {},
): YamlData | YamlProblems {
  const lines = new LineCounter();
  const lineOfOffset = (offset: number) => lines.linePos(offset).line;
  const problemAt = (offset: number, message: string) => {
    const { line, col: column } = lines.linePos(offset);
    return { line, column, message: `not valid ${format.toUpperCase()}: ${message}` };
  };
  const composed = compose(text, lines, {
    uniqueKeys: isText === undefined || isSameText,
    ...(format === 'json' && { schema: 'json' }),
    ...(numbersAsText && { customTags: withoutNumbers }),
  });
  if ('tooDeepAt' in composed) {
    const message = `has more than ${maxDepth} lists and objects inside each other`;
    return { problems: [problemAt(composed.tooDeepAt, message)] };
  }
  const { document } = composed;
  if (document.errors.length > 0) {
    const mistakes = causesAmong(document.errors.slice(0, maxProblems), lineOfOffset);
    return {
      problems: mistakes.map((one) =>
        problemAt(placeOfMistake(one, document, text), explainMistake(one, text)),
      ),
    };
  }
  const cut = format === 'yaml' ? keysWithoutValues(document.contents).slice(0, maxProblems) : [];
  if (cut.length > 0)
    return { problems: cut.map(({ offset, message }) => ({ ...problemAt(offset, ''), message })) };
  const endless = endlessAlias(document);
  if (endless !== undefined)
    return { problems: [problemAt(startOf(endless), `*${endless.source} is within what it names`)] };
  try {
    if (isText !== undefined) asWritten(document, document.contents, [], { isText, isExact });
    return {
      data: document.toJS(),
      lineOf: (path) => lineOfOffset(offsetOf(document.contents, path)),
      endsWithBracket: endsWithBracket(document.contents),
    };
  } catch (error) {
    const alias = unknownAlias(error, document);
    const message = 'a text that starts with * must be in quotes';
    return {
      problems: [
        alias === undefined
          ? problemAt(0, 'its aliases expand to too many values')
          : problemAt(alias, message),
      ],
    };
  }
}

/** The first alias within the node that it names, so that its value has no end. */
const endlessAlias = (document: Document.Parsed) =>
  nodesIn(document.contents)
    .filter((node) => isCollection(node) && node.anchor !== undefined)
    .flatMap((node) => nodesIn(node).filter((one) => isAlias(one) && one.source === node.anchor))
    .find(isAlias);

/** Where the alias is that names no anchor, if the error is about one. */
function unknownAlias(error: unknown, document: Document.Parsed): number | undefined {
  const name = /^Unresolved alias .*: (.+)$/.exec(String(error instanceof Error && error.message))?.[1];
  if (name === undefined) return undefined;
  const alias = nodesIn(document.contents).find((node) => isAlias(node) && node.source === name);
  return alias && startOf(alias);
}

/** Far more than any file needs: records of BigQuery are at most 15 levels deep. Most steps recurse for every level. */
const maxDepth = 100;

/** A text with so many mistakes is hardly YAML. */
const maxProblems = 100;

/**
 * As `parseDocument` of the library does it, but what is nested too deeply is not parsed to its end, and errors do not quote
 * their lines: many errors in a long line would take seconds.
 */
function compose(
  text: string,
  lines: LineCounter,
  options: ParseOptions & DocumentOptions & SchemaOptions,
): { readonly document: Document.Parsed } | { readonly tooDeepAt: number } {
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  const tokens: CST.Token[] = [];
  for (const lexeme of new Lexer().lex(text)) {
    tokens.push(...parser.next(lexeme));
    if (parser.stack.length > maxDepth) return { tooDeepAt: parser.offset };
  }
  tokens.push(...parser.end());
  const [document, second] = new Composer(options).compose(tokens, true, text.length);
  if (document === undefined) throw new Error('a composer that gives no document');
  if (second !== undefined) {
    const message = 'has more than one document';
    document.errors.push(new YAMLParseError([second.range[0], second.range[1]], 'MULTIPLE_DOCS', message));
  }
  return { document };
}

/** The keys without a value in `{ }`, which YAML allows: the rest of a text after a comma, or a value without a space before it. */
function keysWithoutValues(node: unknown): readonly { readonly offset: number; readonly message: string }[] {
  if (node instanceof YAMLSeq) return node.items.flatMap(keysWithoutValues);
  if (!(node instanceof YAMLMap)) return [];
  return node.items.flatMap(({ key, value }, at) => {
    if (node.flow !== true || value !== null) return keysWithoutValues(value);
    const name =
      isScalar(key) && key.type === 'PLAIN' ? /^([\w-]+):\S/.exec(String(key.value))?.[1] : undefined;
    const message =
      name === undefined
        ? 'a text that contains a comma must be in quotes inside { }'
        : `a space is missing after ${name}:`;
    return at > 0 || name !== undefined ? [{ offset: startOf(key), message }] : [];
  });
}

/** A scalar that no tag recognizes is text. */
const withoutNumbers = (tags: Tags): Tags =>
  tags.filter((tag) => typeof tag === 'string' || !/:(int|float)$/.test(tag.tag));

/** Makes the keys of a node, and the numbers and booleans at the paths of texts, the texts that are written. */
function asWritten<Of>(
  document: Document,
  node: Of,
  path: readonly PropertyKey[],
  written: Required<Pick<YamlOptions, 'isText' | 'isExact'>>,
): Of | Scalar {
  if (node instanceof YAMLSeq)
    node.items = node.items.map((item, at) => asWritten(document, item, [...path, at], written));
  if (node instanceof YAMLMap)
    for (const pair of node.items) {
      if (isScalar(pair.key)) pair.key.value = scalarText(pair.key);
      pair.value = asWritten(document, pair.value, [...path, String(pair.key)], written);
    }
  const meant = isAlias(node) ? node.resolve(document) : node;
  if (!isScalar(meant) || !['number', 'boolean'].includes(typeof meant.value)) return node;
  const isText = written.isText(path, meant.source ?? '');
  if (!isText && !(written.isExact(path) && isLongInteger(meant))) return node;
  const text = new Scalar(isText ? scalarText(meant) : BigInt(scalarText(meant)));
  text.range = isNode(node) ? (node.range ?? null) : null;
  if (isScalar(node) && node.anchor !== undefined) text.anchor = node.anchor;
  return text;
}

const isLongInteger = ({ value, source = '' }: Scalar): boolean =>
  !Number.isSafeInteger(value) && /^-?\d+$/.test(source);

const scalarText = ({ value, source }: Scalar): string =>
  typeof value === 'string' ? value : (source ?? String(value));

/** Two keys are one if their texts are equal: 1.10 and 1.1 are two. */
const isSameText = (one: ParsedNode, other: ParsedNode): boolean =>
  one === other || (isScalar(one) && isScalar(other) && scalarText(one) === scalarText(other));

function offsetOf(root: unknown, path: readonly PropertyKey[]): number {
  let node = root;
  let offset = startOf(node);
  for (const key of path) {
    if (node instanceof YAMLSeq) {
      node = node.items[Number(key)];
      offset = startOf(node) || offset;
    } else if (node instanceof YAMLMap) {
      const pair = node.items.find((item) => String((item.key as { value?: unknown }).value) === String(key));
      if (pair === undefined) break;
      offset = startOf(pair.key);
      node = pair.value;
    } else {
      break;
    }
  }
  return offset;
}

/** True for `[…]` and `{…}`, and for a mapping whose last value is one. */
function endsWithBracket(node: unknown): boolean {
  if (!(node instanceof YAMLMap || node instanceof YAMLSeq)) return false;
  return node.flow === true || (node instanceof YAMLMap && endsWithBracket(node.items.at(-1)?.value));
}

function startOf(node: unknown): number {
  return isNode(node) ? (node.range?.[0] ?? 0) : 0;
}
