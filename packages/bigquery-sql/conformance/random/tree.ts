import type { Parameters, ParameterValue } from '../parameters.ts';

export interface NamedParameter {
  readonly name: string;
  readonly value: ParameterValue;
}

/** A text of SQL with its structure, so that a query that fails can be cut down to what fails. */
export type Tree = string | Part | Choice | Value | List;

/** @property optional true if the text around it is a query without it too */
export interface Part {
  readonly kind: 'part';
  readonly parts: readonly Tree[];
  /** What it is: another part of the same sort may be in its place. */
  readonly sort: string;
  readonly optional: boolean;
}

/** A value that is a literal in one form of the query, and a parameter in the other. */
export interface Value {
  readonly kind: 'value';
  readonly literal: string;
  readonly sort: string;
  readonly parameter?: NamedParameter;
}

/** Items between separators; each but the last `least` ones may be left out. */
export interface List {
  readonly kind: 'list';
  readonly items: readonly Tree[];
  readonly separator: string;
  readonly least: number;
}

/** A construct that the reference evaluator lacks, with an equivalent one for it, of the same parts. */
export interface Choice {
  readonly kind: 'choice';
  readonly parts: readonly Tree[];
  readonly sort: string;
  readonly ours: (parts: readonly Tree[]) => Tree;
  readonly reference: (parts: readonly Tree[]) => Tree;
}

type Fill = Tree | readonly Tree[];

const part =
  (sort: string, optional: boolean) =>
  (texts: TemplateStringsArray, ...fills: Fill[]): Part => ({
    kind: 'part',
    sort,
    optional,
    parts: texts.flatMap((text, at) => [text, ...(at < fills.length ? [fills[at] as Fill] : [])]).flat(),
  });

/** Text without a sort of its own. */
export const sql = part('', false);

/** Text that may be left out. */
export const optional = part('', true);

/** An expression of a type, a query or a relation. */
export const sorted = (sort: string) => part(sort, false);

export const list = (items: readonly Tree[], separator = ', ', least = 1): List => ({
  kind: 'list',
  items,
  separator,
  least,
});

export const choice = (
  sort: string,
  parts: readonly Tree[],
  ours: Choice['ours'],
  reference: Choice['reference'],
): Choice => ({ kind: 'choice', parts, sort, ours, reference });

/** The tree with other trees in the place of some; `change` gives undefined for those that stay. */
export function replaceIn(tree: Tree, change: (node: Tree) => Tree | undefined): Tree {
  const changed = change(tree);
  if (changed !== undefined || typeof tree === 'string' || tree.kind === 'value') return changed ?? tree;
  const all = (nodes: readonly Tree[]) => nodes.map((node) => replaceIn(node, change));
  return tree.kind === 'list' ? { ...tree, items: all(tree.items) } : { ...tree, parts: all(tree.parts) };
}

/** Which of the texts of a query to write. */
export interface Form {
  readonly parameters: boolean;
  readonly reference: boolean;
}

export interface Rendered {
  readonly sql: string;
  readonly parameters: Parameters;
}

export function render(tree: Tree, form: Form): Rendered {
  const parameters = new Map<string, ParameterValue>();
  const write = (node: Tree): string => {
    if (typeof node === 'string') return node;
    switch (node.kind) {
      case 'part':
        return node.parts.map(write).join('');
      case 'list':
        return node.items.map(write).join(node.separator);
      case 'choice':
        return write(form.reference ? node.reference(node.parts) : node.ours(node.parts));
      case 'value':
        if (!form.parameters || node.parameter === undefined) return node.literal;
        parameters.set(node.parameter.name, node.parameter.value);
        return `@${node.parameter.name}`;
    }
  };
  return { sql: write(tree), parameters: Object.fromEntries(parameters) };
}

/** Trees with one part less, or with a part in the place of a larger one: the largest cuts first. */
export function* smallerTrees(tree: Tree): Generator<Tree> {
  const found = [...cuts(tree)];
  const sizes = new Map(found.map((one) => [one, sizeOf(one)]));
  yield* found.sort((a, b) => (sizes.get(a) ?? 0) - (sizes.get(b) ?? 0));
}

const sizeOf = (tree: Tree): number =>
  render(tree, { parameters: false, reference: false }).sql.length + (countParameters(tree) > 0 ? 1 : 0);

const countParameters = (tree: Tree): number =>
  Object.keys(render(tree, { parameters: true, reference: false }).parameters).length;

function* cuts(tree: Tree): Generator<Tree> {
  if (typeof tree === 'string') return;
  switch (tree.kind) {
    case 'value':
      if (tree.parameter !== undefined) yield { kind: 'value', literal: tree.literal, sort: tree.sort };
      return;
    case 'choice':
      yield* descendants(tree, tree.sort);
      for (const [at, item] of tree.parts.entries())
        for (const smaller of cuts(item)) yield { ...tree, parts: tree.parts.with(at, smaller) };
      return;
    case 'list':
      if (tree.items.length > tree.least)
        for (const at of tree.items.keys()) yield { ...tree, items: tree.items.toSpliced(at, 1) };
      for (const [at, item] of tree.items.entries())
        for (const smaller of cuts(item)) yield { ...tree, items: tree.items.with(at, smaller) };
      return;
    case 'part':
      if (tree.optional) yield '';
      if (tree.sort !== '') {
        yield* descendants(tree, tree.sort);
        if (isType(tree.sort)) yield `CAST(NULL AS ${tree.sort})`;
      }
      for (const [at, item] of tree.parts.entries())
        for (const smaller of cuts(item)) yield { ...tree, parts: tree.parts.with(at, smaller) };
  }
}

/** The outermost parts of a sort below a part. */
function* descendants(tree: Tree, sort: string): Generator<Tree> {
  for (const child of childrenOf(tree)) {
    if (typeof child !== 'string' && 'sort' in child && child.sort === sort) yield child;
    else yield* descendants(child, sort);
  }
}

function childrenOf(tree: Tree): readonly Tree[] {
  if (typeof tree === 'string' || tree.kind === 'value') return [];
  return tree.kind === 'list' ? tree.items : tree.parts;
}

/** Sorts of expressions are types, in BigQuery's syntax. */
const isType = (sort: string) => /^[A-Z]/.test(sort);
