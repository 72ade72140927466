import { expect, test } from 'vitest';
import { nearOf, probableValue } from '../../../src/plugins/mcp/calls/suggest.ts';
import { medianOf } from '../../support/median.ts';
import { processorMs } from '../../support/processor-time.ts';

test('the nearest of thousands of names is found in little time, also for a long text that is related to all', async () => {
  const names = Array.from(
    { length: 2_000 },
    (_, at) => `warehouse.department_${at}_of_things_and_${at * 7}.sql`,
  );
  const related = 'things.department.warehouse.'.repeat(3);
  const attempt = () => {
    nearOf('x'.repeat(100), names);
    expect(nearOf(related, names)).toBeDefined();
  };
  expect(await medianOf(() => processorMs(attempt))).toBeLessThan(200);
  expect(nearOf('warehouse.department_1999_of_things_and', names)).toBe(names.at(-1));
});

test('the meaning of a long wrong number is looked for in little time', async () => {
  const long = `${'0'.repeat(16_000)}x`;
  expect(await medianOf(() => processorMs(() => probableValue({ type: 'float' }, long)))).toBeLessThan(20);
  expect(probableValue({ type: 'float' }, '1,000.50')).toBe('1000.5');
  expect(probableValue({ type: 'float' }, '1.e2')).toBe('100');
});
