import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

export type Kind = 'function' | 'construct' | 'query' | 'composition';

/** One query for both engines. */
export interface Case {
  /** The function or construct it is about, as its heading in the case file says. */
  readonly subject: string;
  readonly kind: Kind;
  readonly sql: string;
  /** The query for the reference, which differs if it does not know the function. */
  readonly referenceSql: string;
  /** True if the query is invalid on purpose, so that both engines must reject it before running it. */
  readonly wrong: boolean;
  /** True if rows may have equal sort keys, although the query has ORDER BY. */
  readonly hasTies?: true;
  /** The line it comes from; cases of one template share it. */
  readonly template: Template;
  /** Values for `@name`, all STRING, as the service binds them. */
  readonly parameters: Readonly<Record<string, string>>;
  /** The text of each placeholder of the template. */
  readonly inputs: readonly string[];
}

export interface Template {
  readonly text: string;
  readonly file: string;
  readonly line: number;
  readonly placeholders: readonly Placeholder[];
}

/** `${name}` in a template: one of the inputs of that name. Or the inputs themselves: `${1; 2; null}`. */
interface Placeholder {
  readonly text: string;
  readonly inputs: readonly string[];
  /** False if the inputs are keywords, such as date parts, which can't be column values. */
  readonly isValue: boolean;
}

/** The maximum number of combinations of one template; they are spread evenly over all. */
const maxCombinations = 48;

const folder = join(import.meta.dirname, 'cases');

/**
 * Loads the case files. A heading `-- NAME` names the subject of the lines below; each line is a query, or an
 * expression to select; an indented line continues the one above. `! …` is invalid on purpose. In `… <=> …` the text
 * after the arrow is the query for the reference, if it does not know the function.
 */
export function loadCases(): readonly Case[] {
  const inputs = loadInputs();
  return (['function', 'construct'] as const).flatMap((kind) =>
    globSync(join(folder, `${kind}s`, '*.sql'))
      .sort()
      .flatMap((file) => linesOf(file).flatMap((line) => casesOf(kind, file, line, inputs))),
  );
}

/** The values of `@p` and `@nothing` in every case. */
const parameters: Readonly<Record<string, string>> = { p: 'Ada', nothing: '' };

type Inputs = ReadonlyMap<string, readonly string[]>;

interface Line {
  readonly heading: string;
  readonly text: string;
  readonly number: number;
}

/** The inputs of `${name}`, by name. */
export function loadInputs(): Inputs {
  const lines = Map.groupBy(linesOf(join(folder, 'inputs.sql')), ({ heading }) => heading);
  return new Map([...lines].map(([name, group]) => [name, group.map(({ text }) => text)]));
}

function linesOf(file: string): readonly Line[] {
  const lines: Line[] = [];
  let heading = '';
  for (const [at, text] of readFileSync(file, 'utf8').split('\n').entries()) {
    const last = lines.at(-1);
    if (text.startsWith('-- ')) heading = text.slice(3).trim();
    else if (text.startsWith(' ') && last !== undefined)
      lines[lines.length - 1] = { ...last, text: `${last.text}\n${text}` };
    else if (text.trim() !== '') lines.push({ heading, text, number: at + 1 });
  }
  return lines;
}

function casesOf(kind: Kind, file: string, { heading, text, number }: Line, inputs: Inputs): readonly Case[] {
  const wrong = text.startsWith('! ');
  const [ours = '', theirs = ours] = (wrong ? text.slice(2) : text).split(/\s<=>\s+/);
  const where = { file: basename(file), line: number };
  const template = { ...where, text: ours, placeholders: placeholdersOf(ours, inputs, where) };
  return combinationsOf(template.placeholders).map((combination) => ({
    subject: heading,
    kind,
    sql: asQuery(fill(template, combination)),
    referenceSql: asQuery(theirs === ours ? fill(template, combination) : fillByNumber(theirs, combination)),
    wrong,
    parameters,
    template,
    inputs: combination,
  }));
}

/** `${1}` is the text of the first placeholder in our query. */
const fillByNumber = (text: string, replacements: readonly string[]) =>
  text.replace(/\$\{(\d+)\}/g, (_, number) => replacements[Number(number) - 1] ?? '');

function placeholdersOf(
  text: string,
  inputs: Inputs,
  { file, line }: { file: string; line: number },
): readonly Placeholder[] {
  return [...text.matchAll(placeholderPattern)].map(([whole, name = '']) => {
    if (name.includes(';'))
      return { text: whole, inputs: name.split(';').map((part) => part.trim()), isValue: false };
    const [known, isValue] = [inputs.get(name) ?? inputs.get(`${name} (words)`), inputs.has(name)];
    if (known === undefined) throw new Error(`${file}:${line}: no inputs are named ${name}`);
    return { text: whole, inputs: known, isValue };
  });
}

const placeholderPattern = /\$\{([^}]*)\}/g;

/** The template with its placeholders replaced. */
export function fill({ text }: Template, replacements: readonly string[]): string {
  let at = 0;
  return text.replace(placeholderPattern, () => replacements[at++] ?? '');
}

export const isQuery = (text: string): boolean => /^\s*(select|with|from)\b/i.test(text);

/** Wraps a text in SELECT unless it is a query. */
export const asQuery = (text: string): string => (isQuery(text) ? text : `select ${text}`);

function combinationsOf(placeholders: readonly Placeholder[]): readonly (readonly string[])[] {
  const total = placeholders.reduce((product, { inputs }) => product * inputs.length, 1);
  const count = Math.min(total, maxCombinations);
  return Array.from({ length: count }, (_, at) =>
    combination(placeholders, Math.floor((at * total) / count)),
  );
}

/** The nth of all combinations, the last placeholder changing fastest. */
function combination(placeholders: readonly Placeholder[], index: number): readonly string[] {
  let rest = index;
  return placeholders
    .toReversed()
    .map(({ inputs }) => {
      const chosen = inputs[rest % inputs.length] ?? '';
      rest = Math.floor(rest / inputs.length);
      return chosen;
    })
    .reverse();
}
