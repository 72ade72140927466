import type { Syntax } from '@querygate/bigquery-sql/syntax';
import { foldName } from '@querygate/text';

/** The names of the columns of a view, where it has a list of them. */
export interface ViewColumns {
  /** Those of its query, in their order, without those that have none. */
  readonly inner: readonly (string | undefined)[];
  readonly names: readonly string[];
  /** The ends of the columns without a name. */
  readonly unnamed: ReadonlyMap<number, number>;
}

/** @returns why its list cannot be read as the names of its columns; undefined without a list */
export function viewColumns(tree: Syntax.Node): ViewColumns | string | undefined {
  if (tree.kind !== 'CreateView' || tree.columns.length === 0) return undefined;
  const items = firstSelect(tree.query)?.items ?? [];
  const plain = items.filter((item) => item.kind === 'SelectExpression');
  if (plain.length === 0 || plain.length < items.length)
    return 'a view with a list of columns names each of them in its SELECT, without *';
  if (plain.length !== tree.columns.length)
    return `the view lists ${tree.columns.length} columns, and its query returns ${plain.length}`;
  const inner = plain.map(nameOf);
  const unnamed = new Map(
    plain.flatMap(({ end }, at) => (inner[at] === undefined ? [[at, end] as const] : [])),
  );
  return { inner, names: tree.columns.map(({ name }) => name), unnamed };
}

/** Why a view cannot have its columns: each of them has a name of its own. */
export function columnsProblem(tree: Syntax.Node): string | undefined {
  if (tree.kind !== 'CreateView') return undefined;
  const columns = viewColumns(tree);
  if (typeof columns === 'string') return columns;
  const select = firstSelect(tree.query);
  const inner = (select?.as ? [] : (select?.items ?? [])).flatMap((item) =>
    item.kind === 'SelectExpression' ? [nameOf(item)] : [],
  );
  if (columns === undefined && inner.includes(undefined))
    return 'a column of the view has no name: add AS and a name';
  const ofQuery = repeatedIn(inner);
  if (ofQuery !== undefined) return `the query of the view returns two columns named ${ofQuery}`;
  const ofList = repeatedIn(tree.columns.map(({ name }) => foldName(name)));
  return ofList && `the view lists two columns named ${ofList}`;
}

const repeatedIn = (names: readonly (string | undefined)[]): string | undefined =>
  names.find((name, at) => name !== undefined && names.indexOf(name) < at);

/** The SELECT that names the columns. */
function firstSelect({ body, pipes }: Syntax.Query): Syntax.Select | undefined {
  if (pipes.length > 0) return undefined;
  if (body.kind === 'SetOperation') {
    const [first] = body.inputs;
    return first?.kind === 'Query' ? firstSelect(first) : first;
  }
  return body.kind === 'Query' ? firstSelect(body) : body.kind === 'Select' ? body : undefined;
}

function nameOf({ expression, alias }: Syntax.SelectExpression): string | undefined {
  if (alias) return foldName(alias.name);
  if (expression.kind === 'FieldAccess') return foldName(expression.field.name);
  return expression.kind === 'Path' ? foldName(expression.parts.at(-1)?.name ?? '') : undefined;
}
