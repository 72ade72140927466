import { foldName } from '@querygate/text';
import type { NamedParameter, Node, Statement } from './nodes.ts';
import { walk } from './walk.ts';

/**
 * The names, in lower case, of the parameters that the common tables of a statement use. Those of its functions are among them:
 * a table may call each function.
 */
export function tableParameters({
  functions,
  query,
}: Pick<Statement, 'functions' | 'query'>): ReadonlySet<string> {
  const names = new Set<string>();
  for (const root of query.with === undefined ? functions : [query.with, ...functions])
    walk(root, (node) => {
      if (node.kind === 'NamedParameter') names.add(foldName(node.name.name));
    });
  return names;
}

/** A parameter in a text. */
export interface ParameterPlace {
  readonly node: NamedParameter;
  /** A literal of a type in place of the parameter: as it is, or a CAST of it where it alone would mean something else. */
  written(literal: string, type: string): string;
}

/** The named parameters of a text, in their order. */
export function parameterPlaces(root: Node): readonly ParameterPlace[] {
  const places: ParameterPlace[] = [];
  walk(root, (node, around) => {
    if (node.kind !== 'NamedParameter') return;
    const parent = around.at(-1);
    const written = (literal: string, type: string) =>
      isExact(type, parent) || /^(?:CAST\(|ARRAY<)/.test(literal) ? literal : `CAST(${literal} AS ${type})`;
    places.push({ node, written });
  });
  return places;
}

/** Where keys are, numbers are positions; where a FLOAT64 may be converted, a literal is taken for a NUMERIC. */
function isExact(type: string, parent: Node | undefined): boolean {
  if (parent === undefined || keys.includes(parent.kind)) return false;
  return type !== 'FLOAT64' || takesLiteral(parent);
}

const keys: readonly Node['kind'][] = ['OrderByItem', 'GroupingExpression', 'GroupingList', 'Window'];

/** True if no CAST may be there. */
const takesLiteral = (node: Node): boolean =>
  node.kind === 'SampleSpec' ||
  node.kind === 'FrameBound' ||
  (node.kind === 'FunctionCall' && /^percentile_(?:cont|disc)$/i.test(node.name.parts.at(-1)?.name ?? ''));
