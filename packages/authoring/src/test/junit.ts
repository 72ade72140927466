import { outcomeText, plain } from './print-outcomes.ts';
import type { TestOutcome } from './run-files.ts';

/** The outcomes in JUnit's XML, which CI systems read: a suite for each file. */
export function junitXml(outcomes: readonly TestOutcome[]): string {
  const suites = [...Map.groupBy(outcomes, ({ file }) => file)].map(([file, own]) => {
    const cases = own.map((outcome) => {
      const { elapsedMs, test, verdict } = outcome;
      const attributes = attributeText({
        name: test.name,
        classname: file.query.name,
        file: file.file,
        line: test.line,
        time: seconds(elapsedMs),
      });
      if (verdict.passed) return `    <testcase${attributes}/>\n`;
      const [first = ''] = verdict.reason.split('\n');
      return `    <testcase${attributes}>\n      <failure${attributeText({ message: first })}>${escapeXml(outcomeText(outcome, plain))}</failure>\n    </testcase>\n`;
    });
    const attributes = attributeText({ name: file.query.name, ...totals(own) });
    return `  <testsuite${attributes}>\n${cases.join('')}  </testsuite>\n`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites${attributeText({ name: 'querygate', ...totals(outcomes) })}>\n${suites.join('')}</testsuites>\n`;
}

const totals = (outcomes: readonly TestOutcome[]) => ({
  tests: outcomes.length,
  failures: outcomes.filter(({ verdict }) => !verdict.passed).length,
  errors: 0,
  time: seconds(outcomes.reduce((sum, { elapsedMs }) => sum + elapsedMs, 0)),
});

const seconds = (ms: number) => (ms / 1000).toFixed(3);

const attributeText = (attributes: Readonly<Record<string, string | number>>) =>
  Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${escapeXml(String(value))}"`)
    .join('');

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
};

/** XML allows no control characters but for tabs and line ends, not even as entities. */
const escapeXml = (text: string) =>
  text
    .replace(/[^\P{Cc}\t\n\r]|[\ufffe\uffff]/gu, '\ufffd')
    .replace(/[&<>"]/g, (character) => entities[character] ?? '');
