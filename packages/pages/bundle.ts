import { posix } from 'node:path';

/** `import { a, b } from './c.ts';`, the only kind of import in the modules of the pages. */
const importStatement = /^import \{((?:(?!\bas\b)[^}])*)\} from '(\.[^']+)';$/gm;

/** `export function f`, and what else declares one name. */
const exportedDeclaration = /^export (?=(?:async )?(?:function|const|class) (\w+))/gm;

/** What would be a module's own statement after these are gone. */
const otherStatement = /^(?:export .*|import .*['"];)$/m;

/**
 * Modules as one: over HTTP/1.1 a browser requests six files at a time, so that thirty small ones take six round trips.
 *
 * @param modules their JavaScript, by path; names are imported and exported as they are, and none is assigned later
 * @param entry the path of the first one
 * @throws Error for a module that is not there, that imports itself through others, or that has other imports and exports
 */
export function bundle(modules: ReadonlyMap<string, string>, entry: string): string {
  /** The variable with the exports of each module. */
  const variables = new Map<string, string>();
  const pending = new Set<string>();
  const parts: string[] = [];
  const add = (path: string): string => {
    const known = variables.get(path);
    if (known !== undefined) return known;
    const code = modules.get(path);
    if (code === undefined) throw new Error(`there is no module ${path}`);
    if (pending.has(path)) throw new Error(`${path} imports itself, through ${[...pending].join(', ')}`);
    pending.add(path);
    const exported = [...code.matchAll(exportedDeclaration)].map(([, name]) => name);
    const body = code
      .replace(
        importStatement,
        (_, names: string, from: string) =>
          `const {${names}} = ${add(posix.join(posix.dirname(path), from))};`,
      )
      .replace(exportedDeclaration, '');
    const [other] = otherStatement.exec(body) ?? [];
    if (other !== undefined) throw new Error(`${path} has a statement that cannot be bundled: ${other}`);
    pending.delete(path);
    const variable = `module${variables.size}`;
    variables.set(path, variable);
    parts.push(
      `// ${path}\nconst ${variable} = (() => {\n${body}\nreturn { ${exported.join(', ')} };\n})();\n`,
    );
    return variable;
  };
  add(entry);
  return parts.join('');
}
