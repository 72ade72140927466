import AxeSource from 'axe-core';
import type { Page } from 'playwright-core';

/** What axe finds in a page, with the elements. */
export async function axeViolations(page: Page): Promise<unknown> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(AxeSource.source);
  return page.evaluate(
    'axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.map(({ html, failureSummary }) => html.slice(0, 200) + " " + failureSummary)]))',
  );
}
