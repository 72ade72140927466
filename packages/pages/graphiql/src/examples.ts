/** A tab as GraphiQL keeps it. */
interface KeptTab {
  readonly query: string | null;
}

/**
 * Brings the kept tabs up to date with the catalog: a saved query that is new gets a tab with its example, an example that
 * has changed replaces the old one unless that was edited, and one that was closed stays closed.
 */
export function updateExamples(storage: Storage, examples: readonly string[]): void {
  const before: readonly string[] = JSON.parse(storage.getItem(shownItem) ?? '[]');
  storage.setItem(shownItem, JSON.stringify(examples));
  const text = storage.getItem(tabsItem);
  // GraphiQL opens the examples itself.
  if (text === null) return;
  const { tabs, activeTabIndex }: { tabs: readonly KeptTab[]; activeTabIndex: number } = JSON.parse(text);
  const isOutdated = ({ query }: KeptTab) => before.includes(query ?? '') && !examples.includes(query ?? '');
  const active = tabs[activeTabIndex];
  const updated = [
    ...tabs.filter((tab) => !isOutdated(tab)),
    ...examples.filter((example) => !before.includes(example)).map(newTab),
  ];
  const index = Math.max(active === undefined ? 0 : updated.indexOf(active), 0);
  // An empty list would leave GraphiQL without a tab.
  if (updated.length === 0) storage.removeItem(tabsItem);
  else storage.setItem(tabsItem, JSON.stringify({ tabs: updated, activeTabIndex: index }));
}

const shownItem = 'examples';
const tabsItem = 'graphiql:tabState';

function newTab(query: string): KeptTab & Readonly<Record<string, string | null>> {
  const title = /^query (?<name>\w+)/m.exec(query)?.groups?.name ?? 'Example';
  const empty = { hash: null, variables: null, headers: null, response: null };
  return { id: title + Math.random(), title, query, operationName: title, ...empty };
}
