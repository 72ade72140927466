import { isSummable } from 'querygate/catalog';
import type { Column, SavedQuery } from 'querygate';
import { type Change, change, fromTo, matchBy, type Pair, removal } from '../change.ts';

type RowArguments = NonNullable<SavedQuery['rowArguments']>;

/** Changes of the arguments on rows and of the pages: by which columns callers filter, order and aggregate. */
export const compareRowArguments = (pair: Pair): readonly Change[] => [
  ...compareArguments(pair),
  ...comparePages(pair),
];

function compareArguments({ before, after }: Pair): readonly Change[] {
  const [old, now] = [before.rowArguments, after.rowArguments];
  const path = ['row_arguments'];
  if (old === undefined)
    return now ? [change('row-arguments-added', path, `row arguments added: ${wordsOf(now)}`)] : [];
  if (now === undefined)
    return [removal('row-arguments-removed', path, `row arguments removed: ${wordsOf(old)}`)];
  // A column that comes or goes does so with all of its uses.
  const { both } = matchBy(before.columns, after.columns, ({ name }) => name);
  const ofColumns = both.flatMap(([one, other]) => {
    const [uses, usesNow] = [usesOf(one, old), usesOf(other, now)];
    const isFilter = uses.filter.length > 0 && usesNow.filter.length > 0;
    return [
      ...(['filter', 'order', 'aggregates'] as const).flatMap((key) =>
        compareUses(other.name, key, uses[key], usesNow[key]),
      ),
      ...(isFilter ? compareFilterTypes(one, other) : []),
    ];
  });
  return [...ofColumns, ...comparePush(old, now)];
}

function comparePush(old: RowArguments, now: RowArguments): readonly Change[] {
  const [had, has] = [old, now].map(({ push }) => push !== undefined);
  if (had === has) return [];
  return has
    ? [change('push-added', ['push'], 'push added')]
    : [removal('push-removed', ['push'], 'push removed')];
}

/** The arguments as GraphQL and REST name them. */
function wordsOf({ filter, order }: RowArguments): string {
  const [hasFilters, hasOrder] = [filter.length > 0, order.length > 0];
  const words = [
    ...(hasFilters ? ['where'] : []),
    ...(hasOrder ? ['orderBy'] : []),
    'first, offset, aggregates',
  ];
  const inRest = [
    ...(hasFilters ? ['conditions'] : []),
    ...(hasOrder ? ['order'] : []),
    'limit, offset, select',
  ];
  return `${words.join(', ')}; in REST ${inRest.join(', ')}`;
}

type Uses = Readonly<Record<'filter' | 'order' | 'aggregates', readonly string[]>>;

/** The names of the ways in which callers use a column. */
function usesOf(column: Column, { filter, order }: RowArguments): Uses {
  const [isFilter, isOrder] = [filter, order].map((all) => all.some(({ name }) => name === column.name));
  const isMarked = isFilter || isOrder;
  return {
    filter: isFilter ? ['filter'] : [],
    order: isOrder ? ['order'] : [],
    aggregates: isMarked ? ['min', 'max', ...(isSummable(column) ? ['sum', 'avg'] : [])] : [],
  };
}

const kindsOf = {
  filter: { gone: 'filter-removed', come: 'filter-added', noun: '' },
  order: { gone: 'order-removed', come: 'order-added', noun: '' },
  aggregates: { gone: 'aggregate-removed', come: 'aggregate-added', noun: 'aggregates ' },
} as const;

function compareUses(
  name: string,
  key: keyof Uses,
  before: readonly string[],
  after: readonly string[],
): readonly Change[] {
  const path = ['columns', name, key];
  const { gone, come, noun } = kindsOf[key];
  const removed = before.filter((use) => !after.includes(use)).join(', ');
  const added = after.filter((use) => !before.includes(use)).join(', ');
  return [
    ...(removed ? [removal(gone, path, `column ${name}: ${noun}${removed} removed`)] : []),
    ...(added ? [change(come, path, `column ${name}: ${noun}${added} added`)] : []),
  ];
}

/** Types that accept every text that another one accepts, and compare values of it in the same way. */
const widerTypes: Partial<Record<Column['type'], readonly Column['type'][]>> = {
  integer: ['float', 'numeric'],
};

/** Types that accept every text that another one accepts, but compare values in another way. */
const otherTypes: Partial<Record<Column['type'], readonly Column['type'][]>> = {
  date: ['datetime', 'timestamp'],
  datetime: ['timestamp'],
};

function compareFilterTypes(before: Column, after: Column): readonly Change[] {
  if (before.type === after.type) return [];
  const accepts = (types: typeof widerTypes) => types[before.type]?.includes(after.type);
  const kind = accepts(widerTypes)
    ? 'filter-type-widened'
    : accepts(otherTypes) || after.type === 'string'
      ? 'filter-type-text'
      : 'filter-type-changed';
  const text = `column ${after.name}: filter ${fromTo(before.type, after.type)}`;
  return [change(kind, ['columns', after.name, 'filter'], text)];
}

function comparePages({ before, after }: Pair): readonly Change[] {
  const [had, has] = [before, after].map(({ pages }) => pages !== undefined);
  if (had === has) return [];
  const words = 'the connection; in REST limit, after, before';
  return has
    ? [change('pages-added', ['page'], `pages added: ${words}`)]
    : [removal('pages-removed', ['page'], `pages removed: ${words}`)];
}
