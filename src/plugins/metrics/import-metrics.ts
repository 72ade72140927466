import type { ImportReport } from '../../engine-contract/engine.ts';
import type { MetricFamily } from '../../gateway/plugin.ts';
import { plainFamily } from './metric-family.ts';

export interface ImportMetrics {
  record(report: ImportReport): void;
  readonly families: readonly MetricFamily[];
}

/** Metrics of the import of local files; without samples on engines that import nothing. */
export function buildImportMetrics(): ImportMetrics {
  let rows: number | undefined;
  let rejected: number | undefined;
  let completeAt: number | undefined;
  let firstAt: number | undefined;
  let last: ImportReport | undefined;
  const lagMs = () => {
    if (completeAt !== undefined) return performance.now() - completeAt;
    if (firstAt === undefined) return undefined;
    const waitingMs = last?.waitingSince === undefined ? 0 : Date.now() - last.waitingSince;
    return Math.max(performance.now() - firstAt, waitingMs);
  };
  return {
    record(report) {
      last = report;
      firstAt ??= performance.now();
      rows = (rows ?? 0) + report.rows;
      rejected = (rejected ?? 0) + report.rejected;
      if (report.isComplete) completeAt = performance.now();
    },
    families: [
      plainFamily('counter', 'querygate_import_rows_total', 'Rows imported from files.', () => rows),
      plainFamily(
        'counter',
        'querygate_import_rejected_rows_total',
        'Rows of files that could not be read.',
        () => rejected,
      ),
      plainFamily(
        'gauge',
        'querygate_import_lag_seconds',
        'Time since all rows of the data folder were last imported; before the first time, the age of the oldest file that waits.',
        () => toSeconds(lagMs()),
      ),
      plainFamily(
        'gauge',
        'querygate_import_empty_tables',
        'Declared tables without rows.',
        () => last?.emptyTables,
      ),
      plainFamily(
        'gauge',
        'querygate_import_unreadable_tables',
        'Tables with files that cannot be read, or that wait for the first import.',
        () => last?.unreadableTables,
      ),
      plainFamily(
        'gauge',
        'querygate_import_other_files',
        'Files and folders of the data folder that are named after no table.',
        () => last?.otherFiles,
      ),
    ],
  };
}

const toSeconds = (ms: number | undefined) => (ms === undefined ? undefined : ms / 1000);
