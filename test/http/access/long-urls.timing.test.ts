import { afterAll, beforeAll, expect, test } from 'vitest';
import { tokenShape } from '../../../src/keys/jwt/token-shape.ts';
import { medianOf } from '../../support/median.ts';
import { processorMsOf } from '../../support/processor-time.ts';
import { openTestApp, type TestApp } from '../../support/test-app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp({}, { JWT_SECRET: 'a secret of at least thirty-two bytes' });
});
afterAll(() => app.close());

test.each([
  ['beginnings of tokens', `/healthz?%2525${'-eyJ'.repeat(3_800)}`],
  ['beginnings of tokens after a dot', `/healthz?a.${'-eyJaaaaa'.repeat(1_600)}`],
  ['question marks', `/readyz${'?'.repeat(15_000)}`],
  ['ampersands', `/readyz?${'&'.repeat(15_000)}`],
])('a long URL without a key takes little time: %s', async (_, url) => {
  const ms = await medianOf((at) => processorMsOf(() => app.fetch(`${url}&${at}`)));
  expect(ms).toBeLessThan(50);
});

test.each([
  'eyJhbGciO.eyJzdWIi.',
  'a?-eyJhbGciO.eyJzdWIi.sig&b',
  'eyJhb.eyJhbGciO.--___.',
  '=eyJ-----._____.',
])('a token is found in %s', (text) => expect(text).toMatch(tokenShape));

test.each([
  'eyJhbGc.eyJzdWIi.',
  'aeyJhbGciO.eyJzdWIi.',
  'eyJhbGciO.eyJz.',
  'eyJhbGciO.eyJzdWIi',
  '_eyJhbGciO.eyJzdWIi.',
])('no token is found in %s', (text) => expect(text).not.toMatch(tokenShape));
