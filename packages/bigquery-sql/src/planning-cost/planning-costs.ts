import { forEachPart } from '../tree/map.ts';
import type { Node } from '../tree/nodes.ts';
import { MacroExpansions } from './macro-expansions.ts';
import type { MacroTexts } from './macro-text.ts';

/** The cost of planning a tree in DuckDB, which can't be interrupted meanwhile. */
export interface PlanningCost {
  /** About the number of tokens with all macros expanded, as DuckDB plans them. */
  readonly size: number;
  /** How many nodes are inside each other: DuckDB's time grows with the third power of it. */
  readonly depth: number;
  /**
   * How many calls with a lambda, and subqueries, are inside each other: DuckDB takes about twice as long for each level.
   */
  readonly costlyDepth: number;
}

/** The depth that a call over values computed once counts for: each level copies those inside it. */
const computedOnceDepth = 0.25;

/** The tokens of a node itself; a macro costs its body. */
const ownTokens = 3;

/** Measures trees that call these macros. A node is measured once: trees share their parts. */
export class PlanningCosts {
  readonly #expansions: MacroExpansions;
  readonly #hasLambda: (callee: string) => boolean;
  readonly #known = new WeakMap<Node, PlanningCost>();

  /** @param hasLambda whether a macro has a lambda, also in macros that it calls */
  constructor(macros: MacroTexts, hasLambda: (callee: string) => boolean) {
    this.#expansions = new MacroExpansions(macros);
    this.#hasLambda = hasLambda;
  }

  of(node: Node): PlanningCost {
    const known = this.#known.get(node);
    if (known !== undefined) return known;
    const cost = this.#measure(node);
    this.#known.set(node, cost);
    return cost;
  }

  /** How often DuckDB's plan has each part of a node, in the order of `forEachPart`; undefined if it has all of them once. */
  usesOf(node: Node): readonly number[] | undefined {
    if (node.kind === 'call') return this.#expansions.expansionOf(node.function, node.args)?.uses;
    const isBetween = node.kind === 'operation' && node.operator.endsWith('BETWEEN');
    return isBetween ? [2, 1, 1] : undefined;
  }

  #measure(node: Node): PlanningCost {
    const expansion =
      node.kind === 'call' ? this.#expansions.expansionOf(node.function, node.args) : undefined;
    const uses = this.usesOf(node);
    const sum = { size: expansion?.size ?? ownTokens, depth: 0, costlyDepth: 0 };
    let at = 0;
    forEachPart(node, (part) => {
      const cost = this.of(part);
      sum.size += cost.size * (uses?.[at] ?? 1);
      sum.depth = Math.max(sum.depth, cost.depth);
      sum.costlyDepth = Math.max(sum.costlyDepth, cost.costlyDepth);
      at += 1;
    });
    return { ...sum, depth: sum.depth + 1, costlyDepth: sum.costlyDepth + this.#costlyLevels(node) };
  }

  #costlyLevels(node: Node): number {
    if (node.kind === 'lambda' || node.kind === 'subquery') return 1;
    if (node.kind !== 'call') return 0;
    if (this.#hasLambda(node.function)) return 1;
    return node.args.some(({ kind }) => kind === 'lambda') ? computedOnceDepth : 0;
  }
}
