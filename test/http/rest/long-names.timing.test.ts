import { isAbbreviation } from '@querygate/text';
import { expect, test } from 'vitest';
import { partsBesideOperator, partsOf } from '../../../src/http/rest/meant-name.ts';
import { medianOf } from '../../support/median.ts';
import { processorMs } from '../../support/processor-time.ts';

/** As long as a URL may be. */
const length = 8_000;

test.each<[string, () => unknown]>([
  ['parts', () => partsOf(`a${'-'.repeat(length)}x`)],
  ['words beside operators', () => partsBesideOperator('a-'.repeat(length / 2))],
  ['a number as an abbreviation', () => isAbbreviation(`x${'1'.repeat(8 * length)}x`, 'project')],
])('%s of a long name are found in less than 40 ms', async (_, work) => {
  expect(await medianOf(() => processorMs(work))).toBeLessThan(40);
});
