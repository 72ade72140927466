import AxeSource from 'axe-core';
import type { Page } from 'playwright-core';
import { isNightly } from './nightly.ts';

/** Screens for axe: each width in light and dark by turns, and at night in both. */
export const screensOf = (...widths: readonly number[]) =>
  widths.flatMap((width, at) =>
    (['dark', 'light'] as const)
      .filter((_, turn) => isNightly || turn === at % 2)
      .map((colorScheme) => ({ width, colorScheme })),
  );

/** What axe finds in a page, with the elements. */
export async function axeViolations(page: Page): Promise<unknown> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(AxeSource.source);
  return page.evaluate(
    'axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.map(({ html, failureSummary }) => html.slice(0, 200) + " " + failureSummary)]))',
  );
}
