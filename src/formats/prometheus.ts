import type { PrometheusText } from '../catalog/saved-query.ts';
import { GatewayError } from '../errors.ts';
import type { CellTexts } from './cell-texts.ts';
import { cellParts, plainText, type Rows } from './rows.ts';

/**
 * Rows as text that Prometheus scrapes, in steps: one sample of each metric for each row. A NULL gives no sample, or no label.
 *
 * @throws GatewayError ENGINE_FAILED if two rows have the same labels: Prometheus would refuse or mix them
 * @see https://prometheus.io/docs/instrumenting/exposition_formats/
 */
export function* prometheusText(
  rows: Rows,
  { labels, metrics }: PrometheusText,
): Generator<undefined, string> {
  const placeOf = (column: string) => rows.columns.findIndex(({ name }) => name === column);
  const labelPlaces = labels.map((label) => ({ label, place: placeOf(label) }));
  const samples = metrics.map((metric) => ({ metric, place: placeOf(metric.column), lines: [] as string[] }));
  const seen = new Set<string>();
  for (const part of cellParts(rows)) {
    for (const cells of part) {
      const set = labelSet(labelPlaces, cells);
      if (seen.has(set)) {
        throw new GatewayError(
          'ENGINE_FAILED',
          `Two rows have the same labels, ${set === '' ? 'none' : labels.join(', ')}: as Prometheus text an endpoint has one row for each set of labels`,
        );
      }
      seen.add(set);
      for (const { metric, place, lines } of samples) {
        const number = numeral(plainText(cells[place]));
        if (number !== undefined) lines.push(`${metric.name}${set} ${number}\n`);
      }
    }
    yield undefined;
  }
  return samples
    .map(({ metric: { name, help, type }, lines }) =>
      [`# HELP ${name} ${escapeHelp(help)}\n`, `# TYPE ${name} ${type}\n`, ...lines].join(''),
    )
    .join('');
}

function labelSet(
  labels: readonly { readonly label: string; readonly place: number }[],
  cells: CellTexts,
): string {
  const pairs = labels.flatMap(({ label, place }) => {
    const value = plainText(cells[place]);
    return value === undefined ? [] : [`${label}="${escapeLabel(value)}"`];
  });
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function numeral(text: string | undefined): string | undefined {
  if (text === 'true') return '1';
  return text === 'false' ? '0' : text;
}

const escapeHelp = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');

const escapeLabel = (text: string) => escapeHelp(text).replaceAll('"', '\\"');
