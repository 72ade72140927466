import type { CellTexts } from '@querygate/text';
import type { PrometheusText } from '../catalog/model/saved-query.ts';
import { GatewayError } from '../errors.ts';
import type { Renderer } from './renderer.ts';
import { cellParts, plainText, type Rows } from './rows.ts';

/** Only for queries whose header declares metrics, of their own columns. Labels are compared over all rows before any is sent. */
export const prometheus: Renderer = {
  names: ['prometheus', 'prom'],
  contentType: 'text/plain; version=0.0.4; charset=utf-8',
  mediaTypes: ['text/plain'],
  version: '0.0.4',
  fileExtension: undefined,
  isWhole: true,
  unavailable: ({ prometheus: declared }, isCallerSql) =>
    declared !== undefined && !isCallerSql
      ? undefined
      : `has no Prometheus text: its header does not declare prometheus${isCallerSql ? " for a caller's SQL" : ''}`,
  settings: ({ prometheus: declared }) => declared,
  *parts(rows, { prometheus: declared }) {
    if (declared === undefined) throw new TypeError('the query declares no metrics');
    yield yield* prometheusText(rows, declared);
  },
};

/**
 * Rows as text that Prometheus scrapes, in steps: one sample of each metric for each row. A NULL gives no sample, or no label.
 *
 * @throws GatewayError ENGINE_FAILED if two rows have the same labels: Prometheus would refuse or mix them; NOT_ACCEPTABLE if
 * the rows are aggregates
 * @see https://prometheus.io/docs/instrumenting/exposition_formats/
 */
function* prometheusText(rows: Rows, { labels, metrics }: PrometheusText): Generator<undefined, string> {
  const placeOf = (column: string) => {
    const place = rows.columns.findIndex(({ name }) => name === column);
    if (place >= 0) return place;
    throw new GatewayError(
      'NOT_ACCEPTABLE',
      `Aggregates without ${column} have no Prometheus text; choose another format`,
    );
  };
  const labelPlaces = labels.map((label) => ({ label, place: placeOf(label) }));
  const samples = metrics.map((metric) => ({ metric, place: placeOf(metric.column), texts: [] as string[] }));
  const seen = new Set<string>();
  for (const part of cellParts(rows)) {
    const lines: string[][] = samples.map(() => []);
    for (const cells of part) {
      const pairs = labelPairs(labelPlaces, cells);
      // To Prometheus, an empty label is an absent one.
      const identity = labelSet(pairs.filter(({ value }) => value !== ''));
      if (seen.has(identity)) {
        throw new GatewayError(
          'ENGINE_FAILED',
          `Two rows have the same labels, ${identity === '' ? 'none' : labels.join(', ')}: as Prometheus text an endpoint has one row for each set of labels`,
        );
      }
      seen.add(identity);
      const set = labelSet(pairs);
      for (const [at, { metric, place }] of samples.entries()) {
        const number = numeral(plainText(cells[place]));
        if (number !== undefined) lines[at]?.push(`${metric.name}${set} ${number}\n`);
      }
    }
    // All lines at the end would be joined in one long step.
    for (const [at, { texts }] of samples.entries()) texts.push(lines[at]?.join('') ?? '');
    yield undefined;
  }
  return samples
    .map(({ metric: { name, help, type }, texts }) =>
      [`# HELP ${name} ${escapeHelp(help)}\n`, `# TYPE ${name} ${type}\n`, ...texts].join(''),
    )
    .join('');
}

interface LabelPair {
  readonly label: string;
  readonly value: string;
}

const labelPairs = (
  labels: readonly { readonly label: string; readonly place: number }[],
  cells: CellTexts,
): readonly LabelPair[] =>
  labels.flatMap(({ label, place }) => {
    const value = plainText(cells[place]);
    return value === undefined ? [] : [{ label, value }];
  });

function labelSet(pairs: readonly LabelPair[]): string {
  const texts = pairs.map(({ label, value }) => `${label}="${escapeLabel(value)}"`);
  return texts.length === 0 ? '' : `{${texts.join(',')}}`;
}

function numeral(text: string | undefined): string | undefined {
  if (text === 'true') return '1';
  return text === 'false' ? '0' : text;
}

const escapeHelp = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');

const escapeLabel = (text: string) => escapeHelp(text).replaceAll('"', '\\"');
