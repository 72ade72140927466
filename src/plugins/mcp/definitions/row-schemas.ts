import type { Column, SavedQuery } from '../../../catalog/model/saved-query.ts';
import { memoize } from '../../../memoize.ts';
import { pageWords } from '../../../http/rest/row-page.ts';
import { rowWords } from '../../../http/rest/row-parameters.ts';
import type { JsonObject } from '../../../catalog/binding/parameter-schema.ts';
import type { Detail } from './detail.ts';

/** The arguments of a tool besides the parameters of its query. */
export interface FurtherArguments {
  /** The names that messages list. */
  readonly offered: readonly string[];
  /** Those that REST judges. */
  readonly passedOn: readonly string[];
}

/**
 * The arguments of a tool about its rows, besides the parameters of its query: the words of REST, each with one text. A
 * schema of each operator for each column would take a hundred times the tokens, and links and commands in answers have
 * the same words.
 */
export function rowSchemas(query: SavedQuery, { extras }: Pick<Detail, 'extras'>): JsonObject {
  const { rowArguments, pages } = query;
  const filter = rowArguments?.filter ?? [];
  const order = rowArguments?.order ?? [];
  const [filtered] = filter;
  const [ordered] = order;
  const schemas: JsonObject = {
    ...(filtered && {
      and: text(
        `Filters rows, as in (${filtered.name}.gte.1,or(${filtered.name}.in.(1,2),not.${filtered.name}.is.null)); eq neq lt lte gt gte like in is${extras ? named(query, filter) : ''}`,
      ),
    }),
    ...(ordered && { order: text(`As in ${ordered.name}.desc${extras ? named(query, order) : ''}`) }),
    ...(rowArguments && {
      select: text(`Aggregates in place of rows, as in count(),${(filtered ?? ordered)?.name}.max()`),
      limit: { type: 'integer' },
      offset: { type: 'integer' },
    }),
    ...(pages && {
      limit: { type: 'integer', description: 'Gives a page of so many rows, with a cursor' },
      after: text('Cursor of a page'),
    }),
  };
  const declared = new Set(query.parameters.map(({ name }) => name));
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => !declared.has(name)));
}

const text = (description: string): JsonObject => ({ type: 'string', description });

/** Which columns are meant, if they are not all. */
function named({ columns }: SavedQuery, marked: readonly Column[]): string {
  return marked.length === columns.length ? '' : `; ${marked.map(({ name }) => name).join(', ')}`;
}

/** The arguments about the rows of a query: links may have more of REST's than a tool is described with. */
export const rowArguments = memoize((query: SavedQuery): FurtherArguments => {
  const { parameters, pages } = query;
  const declared = new Set(parameters.map(({ name }) => name));
  const words: readonly string[] = [
    ...(query.rowArguments === undefined ? [] : rowWords),
    ...(pages === undefined ? [] : pageWords),
  ];
  return {
    offered: Object.keys(rowSchemas(query, { extras: false })),
    passedOn: [...new Set(words)].filter((name) => !declared.has(name)),
  };
});
