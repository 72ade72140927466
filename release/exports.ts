import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { pathToFileURL } from 'node:url';

/** A name that the package exports. */
export interface ExportedName {
  /** As it is imported: `querygate` or `querygate/keys`. */
  readonly from: string;
  readonly name: string;
  readonly isType: boolean;
  /** The first sentence of its documentation; undefined without any. */
  readonly summary: string | undefined;
}

/** The sources of what can be imported, by their names: the list that `package.json` has of the built files. */
export function entryFiles(): ReadonlyMap<string, string> {
  const { name, exports } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    readonly name: string;
    readonly exports: Readonly<Record<string, string>>;
  };
  return new Map(
    Object.entries(exports)
      .filter(([, file]) => file.endsWith('.js'))
      .map(([path, file]) => [join(name, path), file.replace('./dist/', 'src/').replace(/\.js$/, '.ts')]),
  );
}

/** Everything that the package exports, in the order of the files. @throws Error if a file exports in another way */
export function exportedNames(): readonly ExportedName[] {
  return [...entryFiles()].flatMap(([from, file]) => {
    const text = readFileSync(file, 'utf8').replace(/\/\*\*[\s\S]*?\*\//g, '');
    const rest = text.replace(exportPattern, '').trim();
    if (rest !== '') throw new Error(`${file} has more than lists of exported names: ${rest}`);
    return [...text.matchAll(exportPattern)].flatMap(([, keyword = '', names = '', path = '']) =>
      names.split(',').flatMap((one) => {
        const [, type, name] = /^\s*(type\s+)?(\w+)\s*$/.exec(one) ?? [];
        if (name === undefined) return [];
        const isType = keyword.includes('type') || type !== undefined;
        return [{ from, name, isType, summary: summaryOf(normalize(join(dirname(file), path)), name) }];
      }),
    );
  });
}

const exportPattern = /export (type )?\{([^}]*)\} from '([^']+)';/g;

/** The documentation before a declaration; a file may pass on the name of another one. */
function summaryOf(file: string, name: string): string | undefined {
  if (!existsSync(file)) return undefined;
  const text = readFileSync(file, 'utf8');
  const passedOn = [...text.matchAll(exportPattern)].find(([, , names = '']) =>
    names.split(',').some((one) => one.replace('type ', '').trim() === name),
  );
  if (passedOn?.[3] !== undefined) return summaryOf(normalize(join(dirname(file), passedOn[3])), name);
  const declaration = new RegExp(
    `/\\*\\*((?:(?!\\*/)[\\s\\S])*)\\*/\\s*export (?:declare )?(?:abstract )?(?:async )?(?:function\\*?|const|class|interface|type) ${name}\\b`,
  );
  const comment = declaration
    .exec(text)?.[1]
    ?.replace(/^\s*\* ?/gm, '')
    .trim();
  const [paragraph = ''] = comment?.split(/\n\s*\n|\n@/) ?? [];
  const [sentence] = /^[\s\S]*?[.:](?=\s|$)/.exec(paragraph) ?? [paragraph];
  return comment === undefined || comment === ''
    ? undefined
    : sentence.replace(/\s+/g, ' ').replace(/:$/, '.');
}

/** The page of all names. */
export function exportsPage(): string {
  const names = exportedNames();
  const sections = [...Map.groupBy(names, ({ from }) => from)].map(([from, members]) => {
    const rows = members.map(
      ({ name, isType, summary = '' }) => `| \`${name}\` | ${isType ? 'type' : 'value'} | ${summary} |`,
    );
    return `## ${from}\n\n| name | kind | what it is |\n|---|---|---|\n${rows.join('\n')}\n`;
  });
  return `# Exported names\n\n${intro}\n\n${sections.join('\n')}`;
}

const intro = `After this page you know every name that can be imported from the package. \`npm run exports\` writes it, and a test
compares it with the code. [Embedding](embedding.md) shows how the names are used; the types have the details. While the
version is 0.x a name may change, and the changelog says how.`;

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  writeFileSync('docs/exports.md', exportsPage());
