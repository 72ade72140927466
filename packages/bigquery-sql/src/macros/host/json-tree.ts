import { stringEnd } from '@querygate/text';

/** A JSON value that keeps the text of numbers and the order of names. */
export type JsonTree =
  | { readonly kind: 'object'; readonly members: Map<string, JsonTree> }
  | { readonly kind: 'array'; readonly items: JsonTree[] }
  | { readonly kind: 'scalar'; readonly text: string };

export const jsonNull: JsonTree = { kind: 'scalar', text: 'null' };

export const isJsonNull = (tree: JsonTree): boolean => tree.kind === 'scalar' && tree.text === 'null';

/** A token of JSON, or the first quote of a string: an expression for whole strings fails for those of ten megabytes. */
const token = /[{}[\]:,"]|[^\s{}[\]:,"]+/g;

function tokensOf(json: string): string[] {
  const tokens: string[] = [];
  token.lastIndex = 0;
  for (let match = token.exec(json); match !== null; match = token.exec(json)) {
    if (match[0] === '"') token.lastIndex = stringEnd(json, match.index) ?? json.length;
    tokens.push(json.slice(match.index, token.lastIndex));
  }
  return tokens;
}

/** Parses valid JSON; of several members with one name the first one counts, as in BigQuery. */
export function parseJsonTree(json: string): JsonTree {
  const tokens = tokensOf(json);
  let at = 0;
  const value = (): JsonTree => {
    const text = tokens[at++] ?? 'null';
    if (text === '{') return object();
    if (text === '[') return array();
    return { kind: 'scalar', text };
  };
  const object = (): JsonTree => {
    const members = new Map<string, JsonTree>();
    while (at < tokens.length && tokens[at] !== '}') {
      const name = JSON.parse(tokens[at] ?? '""') as string;
      at += 2;
      const member = value();
      if (!members.has(name)) members.set(name, member);
      if (tokens[at] === ',') at += 1;
    }
    at += 1;
    return { kind: 'object', members };
  };
  const array = (): JsonTree => {
    const items: JsonTree[] = [];
    while (at < tokens.length && tokens[at] !== ']') {
      items.push(value());
      if (tokens[at] === ',') at += 1;
    }
    at += 1;
    return { kind: 'array', items };
  };
  return value();
}

export function jsonTreeText(tree: JsonTree): string {
  if (tree.kind === 'scalar') return tree.text;
  if (tree.kind === 'array') return `[${tree.items.map(jsonTreeText).join(',')}]`;
  const members = [...tree.members].map(([name, value]) => `${JSON.stringify(name)}:${jsonTreeText(value)}`);
  return `{${members.join(',')}}`;
}

/** The most arrays and objects around a value of it. */
export function jsonLevels(json: string): bigint {
  let [levels, most] = [0, 0];
  for (let at = 0; at < json.length; at += 1) {
    const character = json[at];
    if (character === '"') at = (stringEnd(json, at) ?? json.length) - 1;
    else if (character === '[' || character === '{') most = Math.max(most, ++levels);
    else if (character === ']' || character === '}') levels -= 1;
  }
  return BigInt(most);
}

/** The JSON with the members of each object in the order of their names, by bytes, as BigQuery writes it. */
export function sortJsonNames(json: string): string {
  const sorted = (tree: JsonTree): JsonTree => {
    if (tree.kind === 'scalar') return { kind: 'scalar', text: withLowerEscapes(tree.text) };
    if (tree.kind === 'array') return { kind: 'array', items: tree.items.map(sorted) };
    const members = [...tree.members].map(([name, value]) => [name, sorted(value)] as const);
    return { kind: 'object', members: new Map(members.sort(([a], [b]) => compareBytes(a, b))) };
  };
  return jsonTreeText(sorted(parseJsonTree(json)));
}

/** DuckDB writes a control character as `\u001F`. */
const withLowerEscapes = (text: string) => (text.includes('\\u00') ? JSON.stringify(JSON.parse(text)) : text);

const compareBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** Deeply nested values would have more blanks than text. */
const maxIndentedLength = 10_000_000;

/**
 * JSON with a line for each member and item, as TO_JSON_STRING writes it.
 *
 * @param depth the number of arrays and objects around it
 */
export function indentJson(json: string, depth: bigint): string {
  const tokens = tokensOf(json);
  const isEmpty = (at: number) => /^(?:\[\]|\{\})$/.test(`${tokens[at]}${tokens[at + 1]}`);
  let text = '';
  let level = Number(depth);
  const line = () => `\n${'  '.repeat(level)}`;
  for (const [at, token] of tokens.entries()) {
    const opens = token === '[' || token === '{';
    const closes = token === ']' || token === '}';
    if (opens && !isEmpty(at)) level += 1;
    if (closes && !isEmpty(at - 1)) {
      level -= 1;
      text += line();
    }
    text += token === ':' ? ': ' : token;
    if (token === ',' || (opens && !isEmpty(at))) text += line();
    if (text.length > maxIndentedLength) throw new Error('TO_JSON_STRING makes at most 10 MB');
  }
  return text;
}

export type JsonStep = string | number;

/** Parses a path such as `$.a."b c"[0]`. @throws Error for other paths */
export function parseJsonPath(path: string, functionName: string): readonly JsonStep[] {
  const invalid = (rest: string) =>
    new Error(`Invalid input to ${functionName}: Invalid token in JSONPath at: ${rest}`);
  if (!path.startsWith('$'))
    throw new Error(`Invalid input to ${functionName}: JSONPath must start with '$'`);
  const steps: JsonStep[] = [];
  const step = /\."((?:[^"\\]|\\.)*)"|\.([^.[\]"'*\s\\]+)|\[\s*(\d+)\s*\]|\[\s*"((?:[^"\\]|\\.)*)"\s*\]/y;
  step.lastIndex = 1;
  while (step.lastIndex < path.length) {
    const from = step.lastIndex;
    const match = step.exec(path);
    if (match === null) throw invalid(path.slice(from));
    const [, quoted, name, index, bracketed] = match;
    const text = quoted ?? bracketed;
    if (index !== undefined) steps.push(Number(index));
    else steps.push(text === undefined ? (name ?? '') : text.replaceAll(/\\(.)/g, '$1'));
  }
  return steps;
}

export function childOf(tree: JsonTree, step: JsonStep): JsonTree | undefined {
  if (tree.kind === 'object') return typeof step === 'string' ? tree.members.get(step) : undefined;
  if (tree.kind === 'array') return typeof step === 'number' ? tree.items[step] : undefined;
  return undefined;
}

/** The tree with the value at a path replaced by what `edit` gives; unchanged where the path does not exist. */
export function replaceAt(
  tree: JsonTree,
  steps: readonly JsonStep[],
  edit: (old: JsonTree) => JsonTree,
): JsonTree {
  const [step, ...rest] = steps;
  if (step === undefined) return edit(tree);
  const child = childOf(tree, step);
  return child === undefined ? tree : withChild(tree, step, replaceAt(child, rest, edit));
}

/** A container with one child set; an array grows with nulls. */
export function withChild(tree: JsonTree, step: JsonStep, child: JsonTree): JsonTree {
  if (tree.kind === 'object' && typeof step === 'string')
    return { kind: 'object', members: new Map([...tree.members, [step, child]]) };
  if (tree.kind !== 'array' || typeof step !== 'number') return tree;
  const length = Math.max(tree.items.length, step + 1);
  const items = Array.from({ length }, (_, at) => (at === step ? child : (tree.items[at] ?? jsonNull)));
  return { kind: 'array', items };
}
