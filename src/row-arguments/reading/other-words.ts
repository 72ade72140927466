/** Words of OData, JSON:API, json-server, Django, Spring, LoopBack, Prisma, Relay and others, in lower case, letters only. */
const words = {
  filter:
    'filter filters filterby where wheres condition conditions criteria predicate rsql fiql rql q search',
  negation: 'not',
  order:
    'order sort sorts sorting sortby sortfield sortcolumn sortkey orderby ordering orders orderfield ordercolumn',
  direction: 'direction dir sortdir sortdirection sortorder orderdir orderdirection',
  limit:
    'limit top first take size pagesize pagelimit pagelength perpage maxresults maxrecords maxrows maxitems maxpagesize itemsperpage resultsperpage rowsperpage limitto',
  offset: 'offset skip startindex startat startrow pageoffset firstresult',
  page: 'page pagenumber pageno pagenum pageindex currentpage range',
  after:
    'after cursor aftercursor nextcursor pageafter pagecursor pagetoken nexttoken nextpagetoken skiptoken continuation continuationtoken startingafter startafter marker bookmark',
  before: 'before beforecursor prevcursor previouscursor pagebefore endingbefore endbefore',
  last: 'last',
  columns: 'select fields field columns cols projection attributes outfields expand',
  groups: 'distinct distinctby distincton group groups groupby having aggregate aggregates aggregation apply',
  count: 'count inlinecount totalcount includetotal includecount withcount',
};

/** The thing that a word of another service says about rows. */
export type Meaning = keyof typeof words;

/** Words that are about pages if their value is a number, and about other things if it is not. */
const wordsOfNumbers: Readonly<Partial<Record<Meaning, string>>> = {
  limit: 'count max rows length num',
  offset: 'start from',
  page: 'end',
};

const byWord = (table: Readonly<Partial<Record<Meaning, string>>>): ReadonlyMap<string, Meaning> =>
  new Map(
    Object.entries(table).flatMap(([meaning, list]) =>
      list.split(' ').map((word) => [word, meaning as Meaning] as const),
    ),
  );

const meanings = byWord(words);
const meaningsOfNumbers = byWord(wordsOfNumbers);

/** The meaning in other services of a name with a value, '' if that is not known: `$top`, `_limit`, `page[size]`, `orderBy`. */
export function meaningOf(name: string, text: string): Meaning | undefined {
  if (!/^[!-~]+$/.test(name)) return undefined;
  const [base = ''] = name.split(/(?<=\w)[^\w-]/, 1);
  for (const word of [lettersOf(name), lettersOf(base)]) {
    const meaning = (/^\d+$/.test(text) ? meaningsOfNumbers.get(word) : undefined) ?? meanings.get(word);
    if (meaning !== undefined) return meaning;
  }
  return undefined;
}

const lettersOf = (text: string): string => text.replaceAll(/[^a-z0-9]/gi, '').toLowerCase();

/** The parameters of rows by which the same is said here, the best first. */
const wordsHere: Readonly<Record<Meaning, readonly string[]>> = {
  filter: ['and'],
  negation: ['and'],
  order: ['order'],
  direction: ['order'],
  limit: ['limit'],
  offset: ['offset', 'after'],
  page: ['offset', 'after'],
  after: ['after', 'offset'],
  before: ['before', 'after', 'offset'],
  last: ['order'],
  columns: [],
  groups: ['select'],
  count: ['select'],
};

/** The parameters of rows that a word of another service probably means, the best first. */
export function meantWords(name: string): readonly string[] {
  const meaning = meaningOf(name, '');
  return meaning === undefined ? [] : wordsHere[meaning];
}
