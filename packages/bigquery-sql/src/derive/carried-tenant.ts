import { foldName } from '@querygate/text';
import type * as Syntax from '../syntax/nodes.ts';
import { walk } from '../syntax/walk.ts';
import { NotDerivable, type TextEdit } from './edit-text.ts';

/** The query whose rows are computed for many tenants. */
export interface SharedQuery {
  readonly sql: string;
  /** The names of its columns. */
  readonly columns: readonly string[];
  /** How many rows of a tenant are read at most, without those that OFFSET leaves out. */
  readonly maxRows: number;
  /** The parameter that names the tenant. */
  readonly tenant: string;
  readonly isPattern: boolean;
  /** If its value is a pattern: the regular expression whose group is the tenant in each text that the pattern matches. */
  readonly extract?: string | undefined;
}

/** Names that the text does not have. */
export interface SharedNames {
  /** The parameter with the tenants. */
  readonly list: string;
  /** The column with the tenant of a row. */
  readonly tenant: string;
  readonly rank: string;
  readonly rows: string;
  readonly key: string;
}

/** Which common tables of a scope have rows of several tenants, by name in lower case. */
export type Scope = ReadonlyMap<string, boolean>;

/** The text whose tenant is carried, with the edits found so far. */
export class CarriedTenant {
  readonly sql: string;
  readonly names: SharedNames;
  readonly edits: TextEdit[] = [];
  readonly #parameter: string;
  /** Of a pattern: the regular expression whose group is the tenant. */
  readonly #extract: string | undefined;
  readonly isPattern: boolean;
  /** Where the parameter is, and tables with a name of one part, in the order of the text. */
  readonly #places: readonly { readonly start: number; readonly table: string | undefined }[];

  constructor(
    sql: string,
    root: Syntax.Node,
    { tenant, isPattern, extract }: Pick<SharedQuery, 'tenant' | 'isPattern' | 'extract'>,
    names: SharedNames,
  ) {
    this.sql = sql;
    this.names = names;
    this.#parameter = foldName(tenant);
    this.isPattern = isPattern;
    this.#extract = extract;
    const places: { start: number; table: string | undefined }[] = [];
    walk(root, (node) => {
      const table = nameOfTable(node);
      if (table !== undefined || this.isTenant(node)) places.push({ start: node.start, table });
    });
    this.#places = places;
  }

  isTenant(node: Syntax.Node): boolean {
    return node.kind === 'NamedParameter' && foldName(node.name.name) === this.#parameter;
  }

  /** True if the rows or the value of a node depend on the tenant. */
  depends({ start, end }: Syntax.Node, scope: Scope): boolean {
    for (let at = firstFrom(this.#places, start); ; at += 1) {
      const place = this.#places[at];
      if (place === undefined || place.start >= end) return false;
      if (place.table === undefined || scope.get(place.table) === true) return true;
    }
  }

  text({ start, end }: Syntax.Located): string {
    return this.sql.slice(start, end);
  }

  insert(at: number, text: string): void {
    this.edits.push({ start: at, end: at, text });
  }

  replace({ start, end }: Syntax.Located, text: string): void {
    this.edits.push({ start, end, text });
  }

  /** Requires that an edit replaces each place of the parameter: a shared run has no value for it. @throws NotDerivable */
  requireReplaced(): void {
    const replaced = this.edits.filter(({ start, end }) => start < end).toSorted((a, b) => a.start - b.start);
    const left = this.#places.find(({ start, table }) => {
      const edit = replaced[firstFrom(replaced, start + 1) - 1];
      return table === undefined && (edit === undefined || edit.end <= start);
    });
    if (left !== undefined)
      refuse({ ...left, end: left.start }, 'the parameter of the tenant is used outside of a SELECT');
  }

  /** The tenant of a row by a value that is compared with it. */
  tenantOf(value: string): string {
    return this.#extract === undefined ? value : `REGEXP_EXTRACT(${value}, ${quoteText(this.#extract)})`;
  }

  get members(): string {
    return `UNNEST(@${this.names.list})`;
  }
}

/** @throws NotDerivable */
export function refuse(node: Syntax.Located, message: string): never {
  throw new NotDerivable(message, node.start);
}

export const nameOfTable = (node: Syntax.Node): string | undefined =>
  node.kind === 'Table' && node.path.parts.length === 1 ? foldName(node.path.parts[0].name) : undefined;

/** A name in backquotes. */
export const quoteName = (name: string): string => `\`${name}\``;

const quoteText = (text: string): string =>
  `'${text.replace(/[\\']/g, '\\$&').replace(/\n/g, '\\n').replace(/\r/g, '\\r')}'`;

/** The index of the first of sorted items that does not start before a place. */
function firstFrom(items: readonly { readonly start: number }[], place: number): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((items[middle]?.start ?? place) < place) low = middle + 1;
    else high = middle;
  }
  return low;
}
