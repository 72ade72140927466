/**
 * What GraphiQL keeps in the browser: tabs and history, without the headers of their requests, because these have keys.
 * GraphiQL would write the headers of every operation into its history.
 *
 * @param area separates what users of different keys keep
 */
export function openStorage(area: string): Storage {
  const prefix = `querygate${area}:`;
  const items = browserItems();
  const names = () => Object.keys(items).filter((name) => name.startsWith(prefix));
  return {
    getItem: (name) => textOfTab(name, items.getItem(prefix + tabsItem)) ?? items.getItem(prefix + name),
    setItem(name, text) {
      if (!headerItems.has(name)) items.setItem(prefix + name, withoutHeaders(text));
    },
    removeItem: (name) => items.removeItem(prefix + name),
    clear() {
      for (const name of names()) items.removeItem(name);
    },
    key: (at) => names()[at]?.slice(prefix.length) ?? null,
    get length() {
      return names().length;
    },
  };
}

type Items = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** A browser may refuse to store anything: then it is kept as long as the page. */
function browserItems(): Items {
  try {
    return localStorage;
  } catch {
    return pageItems;
  }
}

/** Like `localStorage`, an object whose properties are its items. */
const pageItems: Items = Object.create({
  getItem(this: Record<string, string>, name: string) {
    return Object.hasOwn(this, name) ? this[name] : null;
  },
  setItem(this: Record<string, string>, name: string, text: string) {
    this[name] = text;
  },
  removeItem(this: Record<string, string>, name: string) {
    delete this[name];
  },
});

/**
 * The area of a key. A digest of 32 bits keeps users apart, and is far too short to find a key by it. It must work on
 * pages without TLS, where browsers have no digests of their own.
 */
export function areaOf(key: string): string {
  let digest = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(key)) digest = Math.imul(digest ^ byte, 0x01000193);
  return `-${(digest >>> 0).toString(36)}`;
}

const tabsItem = 'graphiql:tabState';

/** What the editors show, by the names of a tab's members. */
const editorItems = new Map([
  ['graphiql:query', 'query'],
  ['graphiql:variables', 'variables'],
]);

/**
 * The text of an editor, as the shown one of the kept tabs has it. GraphiQL keeps the text a moment later than the tabs, and
 * after a reload in between it would open another tab for the difference.
 *
 * @returns undefined if the item is no text of an editor, or no tabs are kept
 */
function textOfTab(name: string, tabs: string | null): string | null | undefined {
  const member = editorItems.get(name);
  if (member === undefined || tabs === null) return undefined;
  try {
    const state: { activeTabIndex: number; tabs: Record<string, string | null>[] } = JSON.parse(tabs);
    return state.tabs[state.activeTabIndex]?.[member];
  } catch {
    return undefined;
  }
}

const headerItems = new Set(['graphiql:headers', 'graphiql:shouldPersistHeaders']);

/** Texts that are no JSON have no headers: an operation, a theme, a width. */
function withoutHeaders(text: string): string {
  if (!text.includes('"headers"')) return text;
  try {
    return JSON.stringify(JSON.parse(text), (name, value) => (name === 'headers' ? null : value));
  } catch {
    return text;
  }
}

/** Removes what the page of earlier versions kept, with keys. */
export function removeOldItems(): void {
  for (const name of ['tabState', 'query', 'variables', 'headers'])
    browserItems().removeItem(`graphiql:${name}`);
}
