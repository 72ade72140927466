import { createRequire } from 'node:module';
import type { EngineFactory } from '../index.ts';
import { importOptional } from '../optional-packages.ts';

const name = '@querygate/authoring';

type Workspace = Awaited<ReturnType<typeof import('../author/open-workspace.ts').openWorkspace>>;

/** The functions of the tools for authors that commands call. The tools are built on this package: it has only types. */
interface Tools {
  readonly new: {
    newQuery(
      workspace: Workspace,
      name: string,
      sqlFile: string | undefined,
      options: object,
    ): Promise<boolean>;
  };
  readonly tables: {
    addTable(
      workspace: Pick<Workspace, 'queriesDir' | 'duckdb'>,
      name: string,
      sources: readonly string[],
      options: object,
    ): Promise<void>;
  };
  readonly 'import-dbt': {
    importManifest(
      workspace: Pick<Workspace, 'queriesDir' | 'engine'>,
      manifestFile: string,
      options: object,
    ): void;
  };
  readonly exposures: {
    printExposures(queriesDir: string, manifestFile: string, options: object): void;
  };
  readonly test: {
    testQueries(workspace: Workspace, names: readonly string[], options: object): Promise<boolean>;
  };
  readonly diff: { diffQueries(workspace: Workspace, ref: string, options: object): Promise<boolean> };
  readonly lsp: { serveEditor(options: EditorOptions): void };
}

interface EditorOptions {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  readonly queriesDir: string;
  readonly dialect: Pick<EngineFactory, 'sql' | 'flags'>;
}

/** The commands of tools with other names. */
const commandsOf: Partial<Record<keyof Tools, string>> = {
  tables: 'tables add',
  'import-dbt': 'tables import dbt',
};

/**
 * Imports a tool for authors. They are a package of their own, because a gateway in production runs none of them.
 *
 * @throws StartError that says what to install, if the package is missing
 */
export const importAuthoring = <Tool extends keyof Tools>(tool: Tool): Promise<Tools[Tool]> =>
  importOptional([name], `querygate ${commandsOf[tool] ?? tool}`, () => import(`${name}/${tool}`));

/** True for a command of a package that is not installed. */
export function isMissing({ isOfAuthors }: { readonly isOfAuthors?: true }): boolean {
  if (isOfAuthors !== true) return false;
  try {
    createRequire(import.meta.url).resolve(`${name}/package.json`);
    return false;
  } catch {
    return true;
  }
}
