import type { Node } from './nodes.ts';
import { SyntaxProblem } from './syntax-problem.ts';
import { forEachChild } from './walk.ts';

/** Functions over a tree recurse, some with several calls for each level; this many levels leave stack for them. */
const maxTreeDepth = 400;

/** Each may be a query over the one before it. */
const maxPipes = 200;

/**
 * Chains of operators are read without recursion, so nesting alone does not bound the tree.
 *
 * @throws SyntaxProblem at a node that is deeper than `maxTreeDepth`, or behind `maxPipes`
 */
export function checkTreeDepth(root: Node): void {
  const levels: Node[][] = [[root]];
  for (let depth = 0; depth < levels.length; depth += 1) {
    for (const node of levels[depth] ?? []) {
      if (depth >= maxTreeDepth)
        throw new SyntaxProblem(
          node.end,
          `expected at most ${maxTreeDepth} levels of operators, joins and subqueries, found more`,
        );
      const { pipes, with: tables } = node.kind === 'Query' ? node : { pipes: [], with: undefined };
      const pipe = pipes[maxPipes];
      if (pipe)
        throw new SyntaxProblem(
          pipe.start,
          `expected at most ${maxPipes} pipe operators, found more: begin with those before it as a WITH query`,
        );
      forEachChild(node, (child) => {
        const below = depth + 1 + (child === tables ? 0 : pipes.length);
        levels[below] ??= [];
        levels[below].push(child);
      });
    }
  }
}
