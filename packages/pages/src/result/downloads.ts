import { button, element } from '../element.ts';
import type { Endpoint } from '../endpoint.ts';
import type { Gateway } from '../gateway.ts';

const titles: Readonly<Record<string, string>> = {
  csv: 'CSV',
  'csv-bom': 'CSV for Excel',
  json: 'JSON',
  ndjson: 'NDJSON',
  parquet: 'Parquet',
  arrow: 'Arrow',
  prometheus: 'Prometheus',
};

/**
 * A button for each format. The rows are those that are shown, from the same cached result.
 *
 * @param search the query string of their request
 */
export function buildDownloads(
  gateway: Gateway,
  { path, formats }: Endpoint,
  search: () => string,
  onError: (error: unknown) => void,
): HTMLElement {
  const status = element('span', { role: 'status' });
  const save = async (format: string) => {
    const title = titles[format] ?? format;
    status.textContent = `Downloading ${title} …`;
    try {
      // With an extension, the path may be that of another query.
      const file = await gateway.file(`${path}?format=${format}${search().replace('?', '&')}`);
      const { blob, name = `${path.split('/').at(-1)}.${format}` } = file;
      saveFile(blob, name);
      status.textContent = `Saved ${name}.`;
    } catch (error) {
      status.textContent = `${title} could not be downloaded.`;
      onError(error);
    }
  };
  const [csv = [], others = []] = [
    formats.filter((format) => format === 'csv'),
    formats.filter((format) => format !== 'csv'),
  ];
  const buttons = [...csv, 'json', ...others].map((format) =>
    button(titles[format] ?? format, () => void save(format)),
  );
  return element(
    'div',
    { class: 'row', role: 'group', 'aria-label': 'Download' },
    'Download',
    ...buttons,
    status,
  );
}

/** Gives a file to the browser's downloads. */
export function saveFile(blob: Blob, name: string): void {
  const href = URL.createObjectURL(blob);
  element('a', { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}
