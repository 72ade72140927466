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
  let level: readonly Node[] = [root];
  for (let depth = 1; level.length > 0; depth += 1) {
    const [first] = level;
    if (depth > maxTreeDepth && first) {
      throw new SyntaxProblem(
        first.end,
        `expected at most ${maxTreeDepth} levels of operators, joins and subqueries, found more`,
      );
    }
    const next: Node[] = [];
    for (const node of level) {
      const pipe = node.kind === 'Query' ? node.pipes[maxPipes] : undefined;
      if (pipe)
        throw new SyntaxProblem(
          pipe.start,
          `expected at most ${maxPipes} pipe operators, found more: begin with those before it as a WITH query`,
        );
      forEachChild(node, (child) => void next.push(child));
    }
    level = next;
  }
}
