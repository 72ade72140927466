import { describe, expect, test } from 'vitest';
import { joinSources } from '../../src/keys/join-sources.ts';
import type { FindRequest, OpenKeys, Verified } from '../../src/keys/key-source.ts';
import { type Principal, unrestricted } from '../../src/keys/principal.ts';

const request = (headers: Record<string, string> = {}): FindRequest => ({
  method: 'GET',
  url: 'http://gateway.test/',
  headers,
  address: undefined,
});

/** A source of one key, which counts how often it is asked. */
function keyOf(text: string, name: string): OpenKeys & { asked: number } {
  const principal = unrestricted(name);
  return {
    asked: 0,
    generation: () => 0,
    find(given) {
      this.asked += 1;
      return given === text ? principal : undefined;
    },
  };
}

/** What has to be verified, and is of this source only if it begins with `token-`. */
const tokens: OpenKeys = {
  find: async (text = ''): Promise<Verified> =>
    text.startsWith('token-') ? { principal: unrestricted(text) } : { refusal: undefined },
};

const bySession: OpenKeys = {
  readsRequest: true,
  find: (_, { headers }) => (headers.cookie === undefined ? undefined : unrestricted(headers.cookie)),
};

const idOf = async (found: Principal | Promise<Verified> | undefined) => {
  const value = await found;
  if (value === undefined || 'id' in value) return value?.id;
  return 'principal' in value ? value.principal.id : value.refusal;
};

describe('several sources', () => {
  test('the first that knows a request decides', async () => {
    const { find } = joinSources([keyOf('a', 'first'), tokens, keyOf('a', 'third'), keyOf('b', 'last')]);
    const ids = ['a', 'b', 'token-1', 'c', undefined].map((text) => idOf(find(text, request())));
    expect(await Promise.all(ids)).toEqual(['first', 'last', 'token-1', undefined, undefined]);
  });

  test('a key that is known is not given to earlier sources again', () => {
    const [first, last] = [keyOf('a', 'first'), keyOf('b', 'last')];
    const { find } = joinSources([first, last]);
    for (let at = 0; at < 3; at += 1) find('b', request());
    expect([first.asked, last.asked]).toEqual([1, 3]);
  });

  test('but to one that has other keys by now', () => {
    let keys: readonly string[] = [];
    const changing: OpenKeys = {
      generation: () => keys.length,
      find: (text = '') => (keys.includes(text) ? unrestricted('changed') : undefined),
    };
    const { find } = joinSources([changing, keyOf('b', 'last')]);
    const ids = () => [find('b', request()), find('b', request())].map((one) => one && 'id' in one && one.id);
    expect(ids()).toEqual(['last', 'last']);
    keys = ['b'];
    expect(ids()).toEqual(['changed', 'changed']);
    keys = [];
    expect(ids()).toEqual(['last', 'last']);
  });

  test('and to one that accepts the key from some addresses only', async () => {
    const bound: OpenKeys = {
      generation: () => 0,
      find: (text, { address }) =>
        text === 'b' && address === '192.0.2.1' ? unrestricted('bound') : undefined,
    };
    const { find } = joinSources([bound, keyOf('b', 'last')]);
    const idFrom = (address: string) => idOf(find('b', { ...request(), address }));
    for (let round = 0; round < 2; round += 1) {
      expect(await idFrom('192.0.2.2')).toBe('last');
      expect(await idFrom('192.0.2.1')).toBe('bound');
    }
  });

  test('and to one that does not say when its keys change', () => {
    const { generation: _, ...first } = keyOf('z', 'first');
    const { find } = joinSources([first, keyOf('b', 'last')]);
    for (let at = 0; at < 3; at += 1) find('b', request());
    expect(first.asked).toBe(3);
  });

  test('but to one that reads more than the key, which may know the next request', async () => {
    const { find } = joinSources([keyOf('z', 'other'), bySession, keyOf('b', 'key')]);
    expect(await idOf(find('b', request()))).toBe('key');
    expect(await idOf(find('b', request({ cookie: 'alice' })))).toBe('alice');
    expect(await idOf(find('b', request({ cookie: 'bob' })))).toBe('bob');
    expect(await idOf(find('b', request()))).toBe('key');
  });

  test('what an earlier source knows is remembered before one that reads more', async () => {
    const [first, second] = [keyOf('z', 'first'), keyOf('a', 'second')];
    const { find } = joinSources([first, second, bySession]);
    for (let at = 0; at < 3; at += 1) expect(await idOf(find('a', request({ cookie: 'x' })))).toBe('second');
    expect(first.asked).toBe(1);
  });
});
