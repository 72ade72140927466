/** A line for each row, its cells below each other. */
export function alignedText(rows: readonly (readonly string[])[]): string {
  const widths =
    rows[0]?.map((_, at) => rows.reduce((most, row) => Math.max(most, row[at]?.length ?? 0), 0)) ?? [];
  const lines = rows.map((row) => row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  '));
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}
