import type { Labels, MetricFamily } from '../../gateway/plugin.ts';

export const textFormatType = 'text/plain; version=0.0.4; charset=utf-8';

/**
 * Families with their samples in Prometheus' text format, those without samples too.
 *
 * @see https://prometheus.io/docs/instrumenting/exposition_formats/
 */
export const textFormat = (families: readonly MetricFamily[]): string =>
  families.map((family) => `${familyText(family)}\n`).join('\n');

function familyText({ name, help, type, samples }: MetricFamily): string {
  const lines = samples().map(
    ({ metricName = name, labels, value }) => `${metricName}${labelsText(labels)} ${valueText(value)}`,
  );
  return [`# HELP ${name} ${escapeText(help)}`, `# TYPE ${name} ${type}`, ...lines].join('\n');
}

function labelsText(labels: Labels): string {
  const pairs = Object.entries(labels).map(
    ([name, value]) => `${name}="${escapeText(String(value)).replaceAll('"', '\\"')}"`,
  );
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

const escapeText = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');

function valueText(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
}
