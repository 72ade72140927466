import type { Placing } from './rows.ts';

/**
 * An expression in every kind of subquery, over columns of the row around it: alone, and beside columns of the
 * subquery's own row, either of which comes first.
 */
export const inSubqueries: Placing = ({ text, columns }) => {
  const own = columns.map((column) => column.replace('input', 'own'));
  const mixed = (isOuter: (at: number) => boolean) =>
    `(select ${text(columns.map((column, at) => (isOuter(at) ? column : (own[at] ?? ''))))} from unnest([input]) as own)`;
  return [
    mixed((at) => at === 0),
    mixed((at) => at > 0),
    `exists(select 1 from unnest([1]) as one where (${text()}) is not null)`,
    `1 in (select if((${text()}) is null, 0, one) from unnest([1]) as one)`,
    `(select count(${text()}) from unnest([1, 2]) as one)`,
    `(select array_agg(struct(answer)) from unnest(array(select as struct ${text()} as answer from unnest([1]))))`,
  ].join(', ');
};

/** An expression of which each value is a subquery: the first one, the others, all. */
export const ofSubqueries: Placing = ({ text, columns }) => {
  const withSubqueries = (isSubquery: (at: number) => boolean) =>
    text(columns.map((column, at) => (isSubquery(at) ? `(select ${column} from unnest([1]))` : column)));
  return [withSubqueries((at) => at === 0), withSubqueries((at) => at > 0), withSubqueries(() => true)].join(
    ', ',
  );
};
