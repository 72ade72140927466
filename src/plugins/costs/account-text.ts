import type { AccountRow } from './account.ts';

const firstLine = '{"accounts": [';

/** A day, the process, key, tenant and endpoint, then three counts. */
const texts = 5;
const fields = 8;

const isDay = (text: unknown): boolean => typeof text === 'string' && /^\d{4}-\d\d-\d\d$/.test(text);
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;

/** Rows of one part of the text: it is written in a turn of the event loop. */
const rowsOfPart = 500;

/** The text of some accounts, one a line, in parts. The number at its end shows that nothing is cut. */
export function* textOf(rows: Iterable<AccountRow>): Generator<string> {
  let count = 0;
  let lines: string[] = [];
  const before = () => (count === lines.length ? `${firstLine}\n` : ',\n');
  for (const row of rows) {
    const { day, instance, key, tenant, endpoint, runs, bytesBilled, slotMs } = row;
    lines.push(JSON.stringify([day, instance, key, tenant, endpoint, runs, bytesBilled, slotMs]));
    count += 1;
    if (lines.length < rowsOfPart) continue;
    yield before() + lines.join(',\n');
    lines = [];
  }
  if (lines.length > 0 || count === 0) yield before() + lines.join(',\n');
  yield `\n], "count": ${count}}\n`;
}

/** Reads such a text as its parts come. Text of another form, as a person may have written it, is read as a whole. */
export class AccountTextReader {
  readonly #rows: AccountRow[] = [];
  #rest = '';
  /** undefined: a row for each line. */
  #whole: string[] | undefined;
  #line = 0;
  #hasEnded = false;

  /** @throws Error if the text is damaged */
  add(part: string): void {
    if (this.#whole !== undefined) {
      this.#whole.push(part);
      return;
    }
    const lines = (this.#rest + part).split('\n');
    this.#rest = lines.pop() ?? '';
    const [first = this.#rest] = lines;
    const mayBeFirst = lines.length > 0 ? first === firstLine : firstLine.startsWith(first);
    if (this.#line === 0 && !mayBeFirst) this.#whole = [[...lines, this.#rest].join('\n')];
    else for (const line of lines) this.#addLine(line);
  }

  /** @throws Error if the text is damaged, or of a newer version */
  end(): readonly AccountRow[] {
    if (this.#whole === undefined) this.#addLine(this.#rest);
    if (this.#hasEnded) return this.#rows;
    this.#addEnd((this.#whole ?? [this.#rest]).join(''));
    return this.#rows;
  }

  #addLine(line: string): void {
    this.#line += 1;
    if (this.#line === 1 && line === firstLine) return;
    if (line.startsWith('[')) this.#addRow(JSON.parse(line.endsWith(',') ? line.slice(0, -1) : line));
    else if (line !== '') this.#addEnd(firstLine + line);
  }

  #addRow(row: unknown): void {
    const isRow =
      Array.isArray(row) &&
      row.length === fields &&
      isDay(row[0]) &&
      row.every((value, at) => (at < texts ? typeof value === 'string' : isCount(value)));
    if (!isRow || this.#hasEnded) throw new Error('not a row of accounts');
    const [day, instance, key, tenant, endpoint, runs, bytesBilled, slotMs] = row;
    this.#rows.push({ day, instance, key, tenant, endpoint, runs, bytesBilled, slotMs });
  }

  #addEnd(text: string): void {
    const { accounts, count, version, ...others } = JSON.parse(text);
    if (version !== undefined) throw new NewerVersion();
    if (!Array.isArray(accounts) || Object.keys(others).length > 0) throw new Error('not accounts');
    for (const row of accounts) this.#addRow(row);
    if (count !== this.#rows.length) throw new Error('count is not the number of accounts');
    this.#hasEnded = true;
  }
}

/** The error for a text with a version: later ones have it. */
export class NewerVersion extends Error {}
