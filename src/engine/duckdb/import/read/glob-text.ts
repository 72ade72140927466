import { quoteText } from '../../store/column-type.ts';

/** DuckDB takes paths for patterns: characters that mean something there stand in brackets. */
export const globText = (path: string) => quoteText(path.replace(/[*?[]/g, '[$&]'));
