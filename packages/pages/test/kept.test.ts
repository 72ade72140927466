import { beforeEach, describe, expect, test } from 'vitest';
import { callerOf, parseHeaders, requestHeaders } from '../graphiql/src/credentials.ts';
import { updateExamples } from '../graphiql/src/examples.ts';
import { areaOf, openStorage, removeOldItems } from '../graphiql/src/storage.ts';

/** What a browser keeps, as an object whose properties are its items. */
function fakeLocalStorage(): Storage {
  const methods = {
    getItem(this: Record<string, unknown>, name: string) {
      return Object.hasOwn(this, name) ? String(this[name]) : null;
    },
    setItem(this: Record<string, unknown>, name: string, value: string) {
      this[name] = value;
    },
    removeItem(this: Record<string, unknown>, name: string) {
      delete this[name];
    },
  };
  return Object.create(methods);
}

beforeEach(() => {
  Object.defineProperty(globalThis, 'localStorage', { value: fakeLocalStorage(), configurable: true });
});

const kept = () => JSON.stringify(localStorage);

describe('what the GraphiQL page keeps in the browser', () => {
  test('has no headers, which GraphiQL would write into its history', () => {
    const storage = openStorage('');
    const headers = '{"X-API-KEY": "secret"}';
    storage.setItem(
      'graphiql:queries',
      JSON.stringify({ queries: [{ query: '{ a }', headers, variables: '{"headers":"kept"}' }] }),
    );
    storage.setItem('graphiql:tabState', JSON.stringify({ tabs: [{ query: '{ b }', headers }] }));
    storage.setItem('graphiql:headers', headers);
    storage.setItem('graphiql:theme', 'dark');
    expect(kept()).not.toContain('secret');
    expect(JSON.parse(storage.getItem('graphiql:queries') ?? '')).toEqual({
      queries: [{ query: '{ a }', headers: null, variables: '{"headers":"kept"}' }],
    });
    expect(storage.getItem('graphiql:theme')).toBe('dark');
    expect(storage.getItem('graphiql:headers')).toBeNull();
  });

  test('is apart for each key, and says nothing of the key', () => {
    const [ann, bob] = [openStorage(areaOf('key-of-ann')), openStorage(areaOf('key-of-bob'))];
    ann.setItem('graphiql:query', '{ anns }');
    expect(bob.getItem('graphiql:query')).toBeNull();
    bob.setItem('graphiql:query', '{ bobs }');
    expect([ann.length, bob.length]).toEqual([1, 1]);
    bob.clear();
    expect([ann.getItem('graphiql:query'), bob.length]).toEqual(['{ anns }', 0]);
    expect(kept()).not.toContain('key-of');
  });

  test('has the texts of the tab that was shown, though those of the editors were kept earlier', () => {
    const storage = openStorage('');
    storage.setItem('graphiql:query', '');
    expect(storage.getItem('graphiql:query')).toBe('');
    const tabs = [
      { query: '{ a }', variables: null },
      { query: '{ b }', variables: '{"x":1}' },
    ];
    storage.setItem('graphiql:tabState', JSON.stringify({ activeTabIndex: 1, tabs }));
    expect([storage.getItem('graphiql:query'), storage.getItem('graphiql:variables')]).toEqual([
      '{ b }',
      '{"x":1}',
    ]);
    storage.setItem('graphiql:tabState', 'no JSON');
    expect(storage.getItem('graphiql:query')).toBe('');
  });

  test('loses what the page of earlier versions kept, with keys', () => {
    localStorage.setItem('graphiql:headers', '{"X-API-KEY": "secret"}');
    localStorage.setItem('graphiql:tabState', '{"tabs":[{"headers":"secret"}]}');
    removeOldItems();
    expect(kept()).toBe('{}');
  });
});

describe('the tabs with examples', () => {
  const example = (name: string, field = 'a') => `# About it.\nquery ${name} {\n  ${field}\n}\n`;
  const tab = (query: string) => ({ query, title: 'x' });
  const queriesOf = (storage: Storage) =>
    JSON.parse(storage.getItem('graphiql:tabState') ?? '{"tabs":[]}').tabs.map(
      ({ query }: { query: string }) => query,
    );
  const keepTabs = (storage: Storage, queries: readonly string[], activeTabIndex = 0) =>
    storage.setItem('graphiql:tabState', JSON.stringify({ tabs: queries.map(tab), activeTabIndex }));

  test('follow the catalog: a new query gets one, a changed example replaces the old one', () => {
    const storage = openStorage('');
    updateExamples(storage, [example('One'), example('Two')]);
    expect(storage.getItem('graphiql:tabState')).toBeNull();
    keepTabs(storage, [example('One'), example('Two'), '{ mine }'], 2);
    updateExamples(storage, [example('One'), example('Two', 'b'), example('Three')]);
    expect(queriesOf(storage)).toEqual([example('One'), '{ mine }', example('Two', 'b'), example('Three')]);
    expect(JSON.parse(storage.getItem('graphiql:tabState') ?? '').activeTabIndex).toBe(1);
    expect(JSON.parse(storage.getItem('graphiql:tabState') ?? '').tabs[3]).toMatchObject({
      title: 'Three',
      operationName: 'Three',
      headers: null,
    });
  });

  test('stay as their user left them: closed ones closed, edited ones edited', () => {
    const storage = openStorage('');
    updateExamples(storage, [example('One'), example('Two')]);
    keepTabs(storage, [`${example('One')}# edited`]);
    updateExamples(storage, [example('One'), example('Two')]);
    expect(queriesOf(storage)).toEqual([`${example('One')}# edited`]);
  });

  test('are opened as at the first time when none is left', () => {
    const storage = openStorage('');
    updateExamples(storage, [example('Old')]);
    keepTabs(storage, [example('Old')]);
    updateExamples(storage, []);
    expect(storage.getItem('graphiql:tabState')).toBeNull();
  });
});

describe('the key of a request', () => {
  test('is that of the tab, or else that of the page', () => {
    const sent = (headers: string, key: string) =>
      Object.fromEntries(requestHeaders(parseHeaders(headers) ?? {}, key));
    expect(sent('', 'page')).toEqual({ 'x-api-key': 'page' });
    expect(sent('{"X-Api-Key": "tab"}', 'page')).toEqual({ 'x-api-key': 'tab' });
    expect(sent('{"authorization": "Bearer tab"}', 'page')).toEqual({ authorization: 'Bearer tab' });
    expect(sent('{"X-API-KEY": "", "a": "b"}', 'page')).toEqual({ 'x-api-key': 'page', a: 'b' });
    expect(sent('{"X-API-KEY": ""}', '')).toEqual({});
  });

  test('identifies the caller; headers that are no JSON object are still being typed', () => {
    expect(callerOf(requestHeaders({ a: 'b' }, 'x'))).toBe(callerOf(requestHeaders({}, 'x')));
    expect(callerOf(requestHeaders({}, 'y'))).not.toBe(callerOf(requestHeaders({}, 'x')));
    expect(['{', '[1', '3', 'null'].map(parseHeaders)).toEqual([undefined, undefined, undefined, undefined]);
    expect(parseHeaders('{"a": 1, "b": "2"}')).toEqual({ b: '2' });
  });
});
