/** An APPROX_QUANTILES as its rule writes it, under a name. */
const definition = /\bquantile_disc\((?:[^()[\]]|\([^()]*\))*, \[([\d., ]+)\]\) AS ("(?:[^"]|"")+")/g;

/**
 * A query in which APPROX_QUANTILES computes those quantiles alone that the query reads, where every use of it is an
 * `[OFFSET(n)]` with a number: of its hundred and one, two are wanted mostly.
 */
export function narrowQuantiles(text: string): string {
  const found = [...text.matchAll(definition)];
  return found.reduce((narrowed, [whole, list = '', name = '']) => narrow(narrowed, whole, list, name), text);
}

function narrow(text: string, whole: string, list: string, name: string): string {
  const fractions = list.split(', ');
  const use = new RegExp(
    `bq\\.at_offset\\(((?:"(?:[^"]|"")+"\\.)?${RegExp.escape(name)}), CAST\\((\\d+) AS BIGINT\\)\\)`,
    'g',
  );
  const offsets = [...new Set([...text.matchAll(use)].map(([, , offset]) => Number(offset)))];
  const uses = text.match(use)?.length ?? 0;
  const isRead = uses > 0 && offsets.every((offset) => offset < fractions.length);
  if (!isRead || text.split(name).length - 1 !== uses + 1) return text;
  const wanted = offsets.map((offset) => fractions[offset]).join(', ');
  return text
    .replace(whole, () => whole.replace(`[${list}]`, () => `[${wanted}]`))
    .replaceAll(
      use,
      (_, array: string, offset: string) => `${array}[${offsets.indexOf(Number(offset)) + 1}]`,
    );
}
