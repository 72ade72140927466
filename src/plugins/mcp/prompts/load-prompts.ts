import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
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

const headerSchema = z.strictObject({
  title: z.string().optional(),
  description: z.string(),
  arguments: z
    .record(
      z.string().regex(/^[A-Za-z_]\w*$/),
      z.strictObject({ description: z.string(), required: z.boolean().default(false) }),
    )
    .default({}),
});

/** Prompts of a folder, and what is wrong with others. */
export interface LoadedPrompts {
  readonly prompts: readonly Prompt[];
  /** A sentence for each file that is wrong. */
  readonly problems: readonly string[];
}

const extension = '.md';

/** Reads the prompts of a folder, in the order of their names. A folder that is not there has none. */
export function loadPrompts(folder: string): LoadedPrompts {
  const prompts: Omit<Prompt, 'name'>[] = [];
  const problems: string[] = [];
  for (const file of markdownFiles(folder)) {
    const path = join(folder, file);
    try {
      prompts.push(parsePrompt(file.slice(0, -extension.length), readFileSync(path, 'utf8')));
    } catch (error) {
      problems.push(`${path}: ${error instanceof z.ZodError ? z.prettifyError(error) : String(error)}`);
    }
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
      .filter((file) => file.endsWith(extension))
      .sort();
  } catch {
    return [];
  }
}

/** @throws Error that says what is wrong with the file */
function parsePrompt(fullName: string, content: string): Omit<Prompt, 'name'> {
  const [, header, text = ''] = /^---\r?\n([\s\S]*?)\r?\n---\r?\n([\s\S]*)$/.exec(content) ?? [];
  if (header === undefined) throw new Error('must begin with a header between lines of ---');
  const { title, description, arguments: declared } = headerSchema.parse(parse(header));
  for (const [, used = ''] of text.matchAll(placeholder))
    if (!Object.hasOwn(declared, used))
      throw new Error(`{{${used}}}: is not among the arguments of the header`);
  const given = Object.entries(declared).map(([name, one]) => ({ name, ...one }));
  return { fullName, title, description, arguments: given, text: text.trim() };
}

/** The place of an argument. */
export const placeholder = /\{\{(\w+)\}\}/g;
