/** An APPROX_QUANTILES with an alias, as the aggregate table writes it. */
const definition = /\bquantile_disc\((?:[^()[\]]|\([^()]*\))*, \[([\d., ]+)\]\) AS ("(?:[^"]|"")+")/g;

/**
 * Makes APPROX_QUANTILES compute only those quantiles that the query reads, if it reads them by `[OFFSET(n)]` with a
 * literal n and in no other way: of the 101 quantiles of a percentile query usually two are read.
 */
export function narrowQuantiles(text: string): string {
  const definitions = [...text.matchAll(definition)];
  return definitions.reduce(
    (narrowed, [definitionText, list = '', name = '']) => narrow(narrowed, definitionText, list, name),
    text,
  );
}

function narrow(text: string, definitionText: string, list: string, name: string): string {
  const fractions = list.split(', ');
  const use = new RegExp(
    `bq\\.at_offset\\(((?:"(?:[^"]|"")+"\\.)?${RegExp.escape(name)}), CAST\\((\\d+) AS BIGINT\\)\\)`,
    'g',
  );
  const offsets = [...new Set([...text.matchAll(use)].map(([, , offset]) => Number(offset)))];
  const uses = text.match(use)?.length ?? 0;
  const isRead = uses > 0 && offsets.every((offset) => offset < fractions.length);
  if (!isRead || text.split(name).length - 1 !== uses + 1) return text;
  const readFractions = offsets.map((offset) => fractions[offset]).join(', ');
  return text
    .replace(definitionText, () => definitionText.replace(`[${list}]`, () => `[${readFractions}]`))
    .replaceAll(
      use,
      (_, array: string, offset: string) => `${array}[${offsets.indexOf(Number(offset)) + 1}]`,
    );
}
