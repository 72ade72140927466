/** DuckDB's reason for a row of CSV or JSON that is not UTF-8, as what must be, and how to make it so. */
export const withEncodingAdvice = (reason: string): string =>
  reason.replace(
    /Invalid unicode \(byte sequence mismatch\) detected.*|invalid UTF-8 encoding in string\.?/s,
    'must be UTF-8: iconv -f latin1 -t utf-8',
  );
