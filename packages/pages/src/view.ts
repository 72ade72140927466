/** The columns that the chart shows. */
export interface ChartChoice {
  /** Columns of numbers, by name. */
  readonly values: readonly string[];
  /** The columns whose values each have a line or a bar of their own. */
  readonly split: readonly string[];
}

/** By which column a table is ordered. */
export interface Order {
  readonly column: string;
  readonly descending: boolean;
}

/**
 * How a result is shown. It is in the fragment of the address, so that it is shared with the parameters, is not sent, and
 * cannot be taken for a parameter.
 */
export interface View {
  readonly order: Order | undefined;
  /** undefined: what fits the rows. */
  readonly chart: ChartChoice | undefined;
  /** The language of the shown snippet. */
  readonly tab: string | undefined;
}

/** @param hash with its `#` */
export function viewOf(hash: string): View {
  const parts = new URLSearchParams(hash.slice(1));
  const sort = parts.get('sort') ?? '';
  const column = sort.replace(/^-/, '');
  const values = parts.getAll('y');
  return {
    order: column === '' ? undefined : { column, descending: sort.startsWith('-') },
    chart:
      values.length === 0
        ? undefined
        : { values: values.filter((name) => name !== ''), split: parts.getAll('split') },
    tab: parts.get('tab') ?? undefined,
  };
}

/** @returns '' if everything has its default */
export function hashOf({ order, chart, tab }: View): string {
  const parts = [
    ...(order === undefined ? [] : [['sort', `${order.descending ? '-' : ''}${order.column}`]]),
    // That nothing is chosen is a choice too.
    ...(chart?.values.length === 0 ? [''] : (chart?.values ?? [])).map((value) => ['y', value]),
    ...(chart?.split ?? []).map((name) => ['split', name]),
    ...(tab === undefined ? [] : [['tab', tab]]),
  ];
  return parts.length === 0 ? '' : `#${new URLSearchParams(parts)}`;
}
