/** What the gateway writes into the page, as JSON in the element `page-data`. */
export interface PageData {
  /** A worked example for each saved query, for browsers on the gateway's machine. */
  readonly examples: readonly string[];
  /** The key that the gateway made at start, for the same browsers. */
  readonly apiKey?: string;
}

export function readPageData(): PageData {
  return JSON.parse(document.getElementById('page-data')?.textContent ?? '{"examples":[]}');
}
