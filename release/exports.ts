import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** A name that the package exports. */
export interface ExportedName {
  /** As it is imported: `querygate` or `querygate/keys`. */
  readonly from: string;
  readonly name: string;
  readonly isType: boolean;
  /** The first sentence of its documentation; undefined without any. */
  readonly summary: string | undefined;
  /** Where it is declared, as in `src/errors.ts: GatewayError`. */
  readonly declaration: string;
  /** Of an object of functions that belong together, `export * as`: each of them. */
  readonly members?: readonly ExportedName[];
}

/**
 * The sources of what can be imported from a package, by their names: `package.json` has the list, of the built files or
 * of the sources.
 */
export function entryFiles(folder = '.'): ReadonlyMap<string, string> {
  const { name, exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly name: string;
    readonly exports: Readonly<Record<string, string>>;
  };
  return new Map(
    Object.entries(exports)
      .filter(([, file]) => /\.[jt]s$/.test(file))
      .map(([path, file]) => [
        join(name, path),
        join(folder, file.replace('./dist/', 'src/').replace(/\.js$/, '.ts')),
      ]),
  );
}

/** Everything that a package exports, in the order of the files. @throws Error if a file exports in another way */
export function exportedNames(folder = '.'): readonly ExportedName[] {
  return [...entryFiles(folder)].flatMap(([from, file]) => namesIn(file, from));
}

function namesIn(file: string, from: string): readonly ExportedName[] {
  const text = readFileSync(file, 'utf8')
    .replace(/\/\*\*[\s\S]*?\*\//g, '')
    // The members of a namespace have documentation of their own.
    .replace(/^export type \* as .*/gm, '');
  const others = [groupPattern, exportPattern, declarationPattern].reduce(
    (rest, pattern) => rest.replace(pattern, ''),
    text,
  );
  const [other] = /^export .*/m.exec(others) ?? [];
  if (other !== undefined) throw new Error(`${file} exports in another way: ${other}`);
  const groups = [...text.matchAll(groupPattern)].map(([, name = '', path = '']) => {
    const source = sourceOf(file, path);
    const [, summary] = /\/\*\*\s*([\s\S]*?)\s*@module/.exec(readFileSync(source, 'utf8')) ?? [];
    const members = namesIn(source, `${from}: ${name}`);
    return { from, name, isType: false, summary: firstSentence(summary), declaration: source, members };
  });
  const own = [...text.matchAll(declarationPattern)].map(([, keyword = '', name = '']) => ({
    from,
    name,
    isType: /interface|type/.test(keyword),
    ...declared(file, name),
  }));
  const listed = [...text.matchAll(exportPattern)].flatMap(([, keyword = '', names = '', path = '']) =>
    names.split(',').flatMap((one) => {
      const [, type, original, name = original] = /^\s*(type\s+)?(\w+)(?:\s+as\s+(\w+))?\s*$/.exec(one) ?? [];
      if (original === undefined || name === undefined) return [];
      const isType = keyword.includes('type') || type !== undefined;
      return [{ from, name, isType, ...declared(sourceOf(file, path), original) }];
    }),
  );
  return [...groups, ...own, ...listed];
}

const groupPattern = /^export \* as (\w+) from '([^']+)';/gm;

const exportPattern = /export (type )?\{([^}]*)\} from '([^']+)';/g;

const declarationPattern =
  /^export (?:declare |abstract |async )*(function\*?|const|class|interface|type) (\w+).*/gm;

/** Where a name is declared, and the documentation before it; a file may pass on the name of another one. */
export function declared(file: string, name: string): Pick<ExportedName, 'declaration' | 'summary'> {
  const declaration = `${file}: ${name}`;
  if (!existsSync(file)) return { declaration, summary: undefined };
  const text = readFileSync(file, 'utf8');
  for (const [, , names = '', path = ''] of text.matchAll(exportPattern)) {
    for (const one of names.split(',')) {
      const [original = '', alias = original] = one.replace('type ', '').trim().split(' as ');
      if (alias === name) return declared(sourceOf(file, path), original);
    }
  }
  const pattern = new RegExp(
    `/\\*\\*((?:(?!\\*/)[\\s\\S])*)\\*/\\s*export (?:declare )?(?:abstract )?(?:async )?(?:function\\*?|const|class|interface|type) ${name}\\b`,
  );
  return { declaration, summary: firstSentence(pattern.exec(text)?.[1]) };
}

function firstSentence(text: string | undefined): string | undefined {
  const comment = text?.replace(/^\s*\* ?/gm, '').trim();
  const [paragraph = ''] = comment?.split(/\n\s*\n|\n@/) ?? [];
  const [sentence] = /^[\s\S]*?[.:](?=\s|$)/.exec(paragraph) ?? [paragraph];
  return comment === undefined || comment === ''
    ? undefined
    : sentence.replace(/\s+/g, ' ').replace(/:$/, '.');
}

/** The file of an import, which may be of another package of this repository. */
function sourceOf(file: string, path: string): string {
  const [, name] = /^@querygate\/([\w-]+)/.exec(path) ?? [];
  if (name === undefined) return normalize(join(dirname(file), path));
  return entryFiles(`packages/${name}`).get(path) ?? path;
}

/** True for a name of the subpaths for tools for authors. */
export const isOfTools = ({ from }: ExportedName): boolean => /\/(?:catalog|data-files)$/.test(from);

/** The pages of all names: what programs and plug-ins import, and what tools for authors do. */
export function exportsPages(): ReadonlyMap<string, string> {
  const names = exportedNames();
  const others = names.filter((one) => !isOfTools(one));
  return new Map([
    ['docs/exports.md', `# Exported names\n\n${intro}\n\n${sectionsOf(others, describedNames)}`],
    [
      'docs/catalog.md',
      `# Names for tools\n\n${introOfTools}\n\n${sectionsOf(names.filter(isOfTools), listed)}`,
    ],
  ]);
}

const sectionsOf = (
  names: readonly ExportedName[],
  write: (members: readonly ExportedName[]) => string,
): string =>
  [...Map.groupBy(names, ({ from }) => from)]
    .map(([from, members]) => `## ${from}\n\n${write(members)}\n`)
    .join('\n');

/** Values and groups with what they are for, and the names of types: editors show the rest. */
function describedNames(members: readonly ExportedName[]): string {
  const values = members
    .filter(({ isType }) => !isType)
    .map(({ name, summary = '' }) => `- \`${name}\`: ${summary}\n`);
  const types = members.filter(({ isType }) => isType);
  return `${values.join('')}${types.length === 0 ? '' : `- types: ${listed(types)}`}`.trimEnd();
}

const listed = (members: readonly ExportedName[]): string =>
  members.map(({ name }) => `\`${name}\``).join(', ');

const intro = `After this page you know what can be imported from the package. \`npm run generate\` writes it, and a test compares it with
the code. [Embedding](embedding.md) and [Plug-ins](plugins.md) show how names are used; editors show the docstring of each.
[surface.json](../release/surface.json) has the types of all, those in groups (\`callers\` to \`results\`) too, and which may
[change](stability.md).`;

const introOfTools = `After this page you know which names a program may import that reads, writes or judges saved queries, as
\`@querygate/authoring\` does. \`npm run generate\` writes it, and a test compares it with the code. They change with the
gateway: such a program needs its version.`;

if (import.meta.main) for (const [file, text] of exportsPages()) writeFileSync(file, text);
