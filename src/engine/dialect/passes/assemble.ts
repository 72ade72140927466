import type { Relation } from '../scope.ts';
import type { Translator } from '../translator.ts';
import { quote } from '../types.ts';
import { columnSql } from './shredded.ts';

/** A query whose columns are what BigQuery has: shredded records are put together again. */
export function assemble(relation: Relation, tr: Pick<Translator, 'fresh'>): Relation {
  if (relation.columns.every(({ fields }) => !fields)) return relation;
  const name = quote(tr.fresh('shredded'));
  const columns = relation.columns.map(({ fields: _, ...column }) => column);
  const values = relation.columns.map(
    (column) => `${columnSql(name, column.name, column).text} AS ${quote(column.name)}`,
  );
  return { ...relation, columns, text: `SELECT ${values.join(', ')} FROM (${relation.text}) AS ${name}` };
}
