import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeUtf8, didYouMean, NotUtf8 } from '@querygate/text';
import { z } from 'zod';
import type { Problem } from '../../../errors.ts';
import { pathProblem } from '../../../files/path-problem.ts';
import { readYaml } from '../../../files/read-yaml.ts';
import { describeIssue, schemaProblems } from '../../../files/schema-problems.ts';
import { clientNames } from '../definitions/client-names.ts';

/** A text that a user chooses to begin with, with places for arguments. */
export interface Prompt {
  /** As clients take it. */
  readonly name: string;
  /** That of the file, by which it can be requested too. */
  readonly fullName: string;
  readonly title: string | undefined;
  readonly description: string;
  readonly arguments: readonly {
    readonly name: string;
    readonly description: string;
    readonly required: boolean;
  }[];
  /** Markdown, with `{{name}}` in the places of arguments. */
  readonly text: string;
}

/** The option `error` of an object, which shows the form of the right one. */
const asIn =
  (form: string) =>
  ({ code, input }: { readonly code?: string | undefined; readonly input?: unknown }): string | undefined =>
    code === 'invalid_type' && input !== undefined ? `must be an object, as in ${form}` : undefined;

const argumentForm = '{ description: The day. }';

const argument = z.strictObject(
  { description: z.string(), required: z.boolean().default(false) },
  { error: asIn(argumentForm) },
);

const headerShape = {
  title: z.string().optional(),
  description: z.string(),
  arguments: z
    .record(
      z.string().regex(/^[A-Za-z_]\w*$/, 'must be letters, digits and _, not starting with a digit'),
      argument,
      { error: asIn(`{ day: ${argumentForm} }`) },
    )
    .default({}),
};

const headerSchema = z.strictObject(headerShape, { error: asIn('{ description: Explains a day. }') });

/** Prompts of a folder, and what is wrong with others. */
export interface LoadedPrompts {
  readonly prompts: readonly Prompt[];
  /** Those of the files that are wrong. */
  readonly problems: readonly Problem[];
}

const extension = '.md';

/** Reads the prompts of a folder, in the order of their names. A folder that is not there has none. */
export function loadPrompts(folder: string): LoadedPrompts {
  const prompts: Omit<Prompt, 'name'>[] = [];
  const problems: Problem[] = [];
  for (const file of markdownFiles(folder)) {
    const path = join(folder, file);
    const parsed = readPrompt(path, file.slice(0, -extension.length));
    if (Array.isArray(parsed)) problems.push(...parsed.map((problem) => ({ file: path, ...problem })));
    else prompts.push(parsed as Omit<Prompt, 'name'>);
  }
  const names = clientNames(prompts.map(({ fullName }) => fullName));
  return {
    prompts: prompts.map((prompt) => ({ ...prompt, name: names.get(prompt.fullName) ?? prompt.fullName })),
    problems,
  };
}

function markdownFiles(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((file) => file.endsWith(extension) && !file.startsWith('.'))
      .sort();
  } catch {
    return [];
  }
}

type Mistake = Pick<Problem, 'line' | 'column' | 'message'>;

function readPrompt(path: string, fullName: string): Omit<Prompt, 'name'> | readonly Mistake[] {
  try {
    return parsePrompt(fullName, decodeUtf8(readFileSync(path)));
  } catch (error) {
    if (error instanceof NotUtf8) return [{ line: error.line, message: error.message }];
    return [{ message: `cannot be read ${pathProblem(path, error, 'file')}` }];
  }
}

function parsePrompt(fullName: string, content: string): Omit<Prompt, 'name'> | readonly Mistake[] {
  const [whole = '', header, text = ''] =
    /^\uFEFF?---\r?\n([\s\S]*?)\r?\n---\r?\n([\s\S]*)$/.exec(content) ?? [];
  if (header === undefined) return [{ line: 1, message: 'must begin with a header between lines of ---' }];
  const yaml = readYaml(header);
  if ('problems' in yaml) return yaml.problems.map((problem) => ({ ...problem, line: problem.line + 1 }));
  const parsed = headerSchema.safeParse(yaml.data, { error: describeIssue });
  if (!parsed.success)
    return schemaProblems(parsed.error).map(({ path, message }) => ({
      line: yaml.lineOf(path) + 1,
      message,
    }));
  const { title, description, arguments: declared } = parsed.data;
  const textLine = linesIn(whole) - linesIn(text) + 1;
  const unknown = [...text.matchAll(placeholder)].flatMap(({ 0: place, 1: used = '', index }) => {
    if (Object.hasOwn(declared, used)) return [];
    const hint = didYouMean(used, Object.keys(declared));
    const line = textLine + linesIn(text.slice(0, index)) - 1;
    return [{ line, message: `${place}: is not among the arguments of the header${hint}` }];
  });
  if (unknown.length > 0) return unknown;
  const given = Object.entries(declared).map(([name, one]) => ({ name, ...one }));
  return { fullName, title, description, arguments: given, text: text.trim() };
}

const linesIn = (text: string): number => text.split('\n').length;

/** The place of an argument. */
export const placeholder = /\{\{\s*(\w+)\s*\}\}/g;
