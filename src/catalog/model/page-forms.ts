import { memoize } from '../../memoize.ts';
import { formOf } from './query-forms.ts';
import type { PageKey, PlainParameter, RowPages, SavedQuery } from './saved-query.ts';

/**
 * Which rows a page has: the first ones of all, those after a row, those before a row, or the last ones of all. The rows of
 * `before` and `last` come in the opposite order: the nearest to the end first.
 */
export type PageForm = 'first' | 'after' | 'before' | 'last';

/** The SQL of a query with pages in each form: what engines run, with parameters of its own. */
export type PageForms = Readonly<Record<PageForm, SavedQuery>>;

/** The parameter with the number of rows. */
export const pageSizeParameter = 'page_size';

/** The parameters with the key of a row: its value, and `true` if that is NULL. */
export const pageKeyParameters = (at: number) => ({
  value: `page_key_${at + 1}`,
  isNull: `page_null_${at + 1}`,
});

/** The same objects for the same query; undefined if it has no pages. */
export function pageFormsOf(query: SavedQuery): PageForms | undefined {
  return query.pages === undefined ? undefined : formsOf(query);
}

const formsOf = memoize((query: SavedQuery): PageForms => {
  const { pages } = query;
  if (pages === undefined) throw new TypeError(`${query.name} has no pages`);
  const form = (name: PageForm): SavedQuery =>
    formOf(query, {
      sql: formSql(query, pages, name),
      parameters: [...query.parameters, ...(hasKey(name) ? pages.keys.flatMap(keyParameters) : []), pageSize],
      columns: query.columns,
      // A row more than a page has says that there is another page.
      maxRows: query.maxRows + 1,
    });
  return { first: form('first'), after: form('after'), before: form('before'), last: form('last') };
});

const hasKey = (form: PageForm): boolean => form === 'after' || form === 'before';

const ofCaller = {
  required: true,
  default: undefined,
  example: undefined,
  description: 'Of a page.',
} as const;

const pageSize: PlainParameter = {
  ...ofCaller,
  name: pageSizeParameter,
  type: 'integer',
  bind: 'INT64',
  min: '0',
};

const binds = {
  string: {},
  integer: { bind: 'INT64' },
  timestamp: { bind: 'TIMESTAMP' },
  datetime: { bind: 'DATETIME' },
  date: { bind: 'DATE' },
} as const;

function keyParameters({ type, isNullable }: PageKey, at: number): readonly PlainParameter[] {
  const { value, isNull } = pageKeyParameters(at);
  const key: PlainParameter = { ...ofCaller, name: value, type, ...binds[type] };
  return isNullable ? [key, { ...ofCaller, name: isNull, type: 'string' }] : [key];
}

/** The lines of the SQL keep their numbers. */
function formSql({ sql, columns }: SavedQuery, { keys, body }: RowPages, form: PageForm): string {
  const backwards = form === 'before' || form === 'last';
  const names = columns.map(({ name }) => quote(name)).join(', ');
  const where = hasKey(form) ? `where ${beyond(keys, backwards)}\n` : '';
  const order = keys
    .map((key) => `${quote(key.column)}${key.descending === backwards ? '' : ' desc'}`)
    .join(', ');
  return `${sql.slice(0, body.start)}select ${names} from (${sql.slice(body.start, body.end)}
) as page_rows
${where}order by ${order}
limit @${pageSizeParameter}
`;
}

const quote = (name: string) => `\`${name}\``;

/**
 * The rows after the key in the order. Where the first column is never NULL, a condition of that column alone precedes, by which
 * engines skip partitions.
 */
function beyond(keys: RowPages['keys'], backwards: boolean): string {
  const [first] = keys;
  const after = afterKey(keys, 0, backwards);
  if (first.isNullable || keys.length === 1) return after;
  return `${quote(first.column)} ${first.descending === backwards ? '>=' : '<='} @${pageKeyParameters(0).value} and (${after})`;
}

function afterKey(keys: readonly PageKey[], at: number, backwards: boolean): string {
  const [key] = keys.slice(at);
  if (key === undefined) return 'false';
  const { value, isNull } = pageKeyParameters(at);
  const column = quote(key.column);
  const isAscending = key.descending === backwards;
  const plain = `${column} ${isAscending ? '>' : '<'} @${value}`;
  const whenNull = (is: string, otherwise: string) =>
    `case when @${isNull} = 'true' then ${is} else ${otherwise} end`;
  // NULL is before all others ascending, and after them descending.
  const nullable = isAscending
    ? whenNull(`${column} is not null`, plain)
    : whenNull('false', `(${plain} or ${column} is null)`);
  const strictly = key.isNullable ? nullable : plain;
  if (at === keys.length - 1) return strictly;
  const equal = key.isNullable
    ? whenNull(`${column} is null`, `${column} = @${value}`)
    : `${column} = @${value}`;
  return `${strictly} or (${equal} and (${afterKey(keys, at + 1, backwards)}))`;
}
