import AxeSource from 'axe-core';
import type { Page } from 'playwright-core';
import { atNight, isNightly } from './nightly.ts';

/** Screens for axe: the first width in dark, and at night all of them, in light too. */
export const screensOf = (...widths: readonly number[]) =>
  (isNightly ? widths : widths.slice(0, 1)).flatMap((width) =>
    (['dark', ...atNight('light' as const)] as const).map((colorScheme) => ({ width, colorScheme })),
  );

/** What axe finds in a page, with the elements. */
export async function axeViolations(page: Page): Promise<unknown> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(AxeSource.source);
  return page.evaluate(
    'axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.map(({ html, failureSummary }) => html.slice(0, 200) + " " + failureSummary)]))',
  );
}
