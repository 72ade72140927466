import { expect, test } from 'vitest';
import { buildImportMetrics } from '../../../src/plugins/metrics/import-metrics.ts';

const sampleOf = ({ families }: ReturnType<typeof buildImportMetrics>, name: string) =>
  families.find((family) => family.name === `querygate_import_${name}`)?.samples()[0]?.value;

test('the lag is the age of the oldest file that waits, until everything has been imported once', () => {
  const metrics = buildImportMetrics();
  expect(sampleOf(metrics, 'lag_seconds')).toBeUndefined();
  const waits = { rows: 0, rejected: 0, isComplete: false };
  metrics.record({ ...waits, unreadableTables: 2 });
  expect(sampleOf(metrics, 'lag_seconds')).toBeGreaterThanOrEqual(0);
  expect(sampleOf(metrics, 'unreadable_tables')).toBe(2);
  metrics.record({ ...waits, waitingSince: Date.now() - 7_200_000 });
  expect(sampleOf(metrics, 'lag_seconds')).toBeGreaterThanOrEqual(7200);
  metrics.record({ rows: 1, rejected: 0, isComplete: true });
  metrics.record({ ...waits, waitingSince: Date.now() - 7_200_000 });
  expect(sampleOf(metrics, 'lag_seconds')).toBeLessThan(7200);
});
