import { readFileSync } from 'node:fs';
import { basename, extname } from 'node:path';
import { decodeUtf8, NotUtf8 } from '@querygate/text';
import { GraphQLError, parse } from 'graphql';
import type { Catalog } from '../catalog/model/saved-query.ts';
import type { Problem } from '../errors.ts';
import { pathProblem } from '../files/path-problem.ts';
import { importOptional } from '../optional-packages.ts';
import { printSubgraph } from '../plugins/federation/subgraph.ts';

interface Subgraph {
  readonly name: string;
  readonly sdl: string;
  /** undefined for the saved queries. */
  readonly file?: string;
}

/** The name of the saved queries among the subgraphs. */
const ownName = 'querygate';

/**
 * Composes the saved queries with the schemas of other subgraphs, as a router does it.
 *
 * @param files each of them the schema of a subgraph, which has the name of its file
 * @returns why they do not fit together
 * @throws StartError if what composes them is not installed
 */
export async function compositionProblems(
  catalog: Catalog,
  files: readonly string[],
): Promise<readonly Problem[]> {
  const { composeServices } = await importOptional(
    ['@theguild/federation-composition'],
    'querygate check --compose',
    () => import('@theguild/federation-composition'),
  );
  const problems: Problem[] = [];
  const others = files.flatMap((file): readonly Subgraph[] => {
    try {
      const sdl = decodeUtf8(readFileSync(file));
      parse(sdl);
      return [{ name: basename(file, extname(file)), sdl, file }];
    } catch (error) {
      problems.push(fileProblem(file, error));
      return [];
    }
  });
  for (const [at, { name, file = '' }] of others.entries()) {
    if (name === ownName || others.findIndex((other) => other.name === name) < at)
      problems.push({ file, message: `another subgraph is named ${name}; rename the file` });
  }
  if (problems.length > 0) return problems;
  const subgraphs = [{ name: ownName, sdl: printSubgraph(catalog) }, ...others];
  const composed = composeServices(
    subgraphs.map(({ name, sdl }) => ({ name, typeDefs: parse(sdl), url: `http://${name}` })),
  );
  return (composed.errors ?? []).map(({ message }) => ({
    message: `the subgraphs do not compose: ${message}`,
  }));
}

function fileProblem(file: string, error: unknown): Problem {
  if (error instanceof GraphQLError) {
    const [place] = error.locations ?? [];
    return { file, message: error.message, ...(place && { line: place.line, column: place.column }) };
  }
  if (error instanceof NotUtf8) return { file, line: error.line, message: error.message };
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined) throw error;
  return { file, message: `cannot be read ${pathProblem(file, error, 'file')}` };
}
