/** A heading and a table in aligned columns, on standard output; the first column is text, the others numbers. */
export function printTable(
  heading: string,
  columns: readonly string[],
  rows: readonly (readonly string[])[],
): void {
  const widths = columns.map((name, at) =>
    Math.max(name.length, ...rows.map((row) => (row[at] ?? '').length)),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join('  ')
      .trimEnd();
  console.log(`\n${[heading, '', line(columns), ...rows.map(line)].join('\n')}`);
}

/** Progress, on standard error. */
export function showProgress(line: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${line}`);
  else process.stderr.write(`${line}\n`);
}

export function endProgress(): void {
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
}

export const ms = (value: number) => value.toFixed(value < 100 ? 1 : 0);
export const ratio = (value: number) => value.toFixed(2);
export const count = (value: number) => Math.round(value).toLocaleString('en').replaceAll(',', ' ');
export const megabytes = (bytes: number) => `${count(bytes / 1e6)} MB`;
