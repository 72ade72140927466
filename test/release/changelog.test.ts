import { expect, test } from 'vitest';
import { nextVersion, releaseChangelog } from '../../release/changelog.ts';

test.each([
  ['0.1.0', 'patch', '0.1.1'],
  ['0.1.9', 'minor', '0.2.0'],
  ['1.4.2', 'major', '2.0.0'],
  ['0.1.0', '0.1.0', '0.1.0'],
  ['0.1.0', '0.3.0-rc.1', '0.3.0-rc.1'],
  ['0.2.0', '0.1.9', undefined],
  ['1.0.0', '0.9.9', undefined],
  ['0.1.0', 'next', undefined],
  ['0.1.0', '1.0', undefined],
])('from %s, %s is %s', (current, requested, next) => {
  expect(nextVersion(current, requested)).toBe(next);
});

const text = `# Changelog

## [Unreleased]

### Added

- A thing.

## [0.1.0] - 2026-01-01

- The first.
`;

test('what is unreleased gets a version and a date, below an empty section', () => {
  expect(releaseChangelog(text, '0.2.0', '2026-11-22')).toBe(
    text.replace('## [Unreleased]\n', '## [Unreleased]\n\n## [0.2.0] - 2026-11-22\n'),
  );
});

test('without anything unreleased there is no release', () => {
  expect(releaseChangelog(text.replace('- A thing.\n', ''), '0.2.0', '2026-11-22')).toBeUndefined();
  expect(releaseChangelog('# Changelog\n', '0.2.0', '2026-11-22')).toBeUndefined();
});
