/** The words of a name, as a name in SQL and GraphQL: `customer_account` of `Customer Account`; '' if it has no Latin letter and no digit. */
export function snakeCase(text: string): string {
  const words = text
    .replace(/%/g, ' percent ')
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .replace(/[^a-z\d]+/gi, '_')
    .replace(/^_+|_+$/g, '')
    .toLowerCase();
  return /^\d/.test(words) ? `column_${words}` : words;
}
