import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { GatewayError } from '../src/gateway.ts';
import { follow, type LiveState } from '../src/live/follow.ts';

let page: EventTarget & { hidden: boolean };
beforeEach(() => {
  vi.useFakeTimers();
  page = Object.assign(new EventTarget(), { hidden: false });
  vi.stubGlobal('document', page);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Follows rows over connections that have these events, one connection after the other. */
function followed(connections: readonly (string | GatewayError)[]) {
  const states: LiveState['kind'][] = [];
  const etags: (string | undefined)[] = [];
  const shown: unknown[] = [];
  const left = [...connections];
  const close = follow({
    known: { etag: '"a"', rows: [] },
    rowKey: [],
    async connect(etag) {
      etags.push(etag);
      const next = left.shift();
      if (next instanceof GatewayError) throw next;
      const open = new ReadableStream<Uint8Array>();
      return next === undefined ? open : new Blob([next]).stream();
    },
    onChange: async ({ rows }) => void shown.push(rows),
    onFailure: () => {},
    onState: ({ kind }) => states.push(kind),
  });
  return { states, etags, shown, close };
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const result = 'event: next\nid: "b"\ndata: {"result":[{"x":1}]}\n\n';

test('a connection that is lost is opened again after a while, with the rows that are known', async () => {
  const { states, etags, shown, close } = followed([result]);
  await vi.waitFor(() => expect(states).toEqual(['connecting', 'live', 'waiting']));
  expect(shown).toEqual([[{ x: 1 }]]);
  await pass(1_000);
  expect(etags).toEqual(['"a"', '"b"']);
  expect(states.slice(3)).toEqual(['connecting', 'live']);
  close();
});

test('nothing is followed while the page is hidden, and nothing once the stream has ended for good', async () => {
  const end = 'event: end\ndata: {"code":"KEY_REVOKED","message":"x"}\n\n';
  page.hidden = true;
  const { states, close } = followed([end]);
  const change = () => page.dispatchEvent(new Event('visibilitychange'));
  expect(states).toEqual(['paused']);
  page.hidden = false;
  change();
  await vi.waitFor(() => expect(states.slice(1)).toEqual(['connecting', 'live', 'ended']));
  change();
  await pass(60_000);
  expect(states).toHaveLength(4);
  close();
});

test('a request that would be refused again is not repeated', async () => {
  const refused = new GatewayError('gone', { status: 404 });
  const { states } = followed([refused]);
  await pass(60_000);
  expect(states).toEqual(['connecting', 'ended']);
});
