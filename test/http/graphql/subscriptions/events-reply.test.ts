import { expect, test } from 'vitest';
import { LoopTurns } from '../../../../src/concurrency/loop-turns.ts';
import { asEvents } from '../../../../src/http/graphql/response/events-reply.ts';
import { ByteBudget } from '../../../../src/http/message/byte-budget.ts';

/** Counts the steps of the work that it does. */
class CountedTurns extends LoopTurns {
  steps = 0;

  override run<T>(owner: string, work: Iterator<void, T>): Promise<T> {
    const next = () => {
      this.steps += 1;
      return work.next();
    };
    return super.run(owner, { next });
  }
}

test('a large result becomes an event in steps, on one line, counted while it is copied', async () => {
  const budget = new ByteBudget();
  const turns = new CountedTurns();
  const row = '{"text":"ä\\n"},\r\n\n';
  const rows = row.repeat(150_000);
  const json = Buffer.from(`{"data":[${rows}{}]}`);
  const making = asEvents({ status: 200, headers: {}, body: json }, { owner: 'key', budget, turns });
  expect(budget.usedBytes).toBe(json.byteLength);
  const { headers, body } = await making;
  expect(budget.usedBytes).toBe(0);
  expect(turns.steps).toBe(Math.ceil(json.byteLength / 1_000_000));
  const events = body as Buffer;
  expect(headers['content-length']).toBe(String(events.byteLength));
  const [first = '', second] = events.toString().split('\n\n');
  expect(first.startsWith('event: next\ndata: {')).toBe(true);
  expect(first.slice('event: next\n'.length)).not.toMatch(/[\r\n]/);
  const data = JSON.parse(first.slice('event: next\ndata: '.length)) as unknown;
  expect(data).toEqual(JSON.parse(json.toString()));
  expect(second).toBe('event: complete\ndata: ');
});
