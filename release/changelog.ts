const unreleased = '## [Unreleased]';

const versionPattern = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/;

/**
 * The next version, by Semantic Versioning.
 *
 * @param requested a step, or the version itself
 * @returns undefined if it is neither, or not later than the current one
 */
export function nextVersion(current: string, requested: string): string | undefined {
  const [major = 0, minor = 0, patch = 0] = current.split('-', 1)[0]?.split('.').map(Number) ?? [];
  const steps: Readonly<Record<string, string>> = {
    major: `${major + 1}.0.0`,
    minor: `${major}.${minor + 1}.0`,
    patch: `${major}.${minor}.${patch + 1}`,
  };
  const next = steps[requested] ?? requested;
  if (!versionPattern.test(next)) return undefined;
  const numbers = next.split('-', 1)[0]?.split('.').map(Number) ?? [];
  const [at = -1] = [major, minor, patch].flatMap((number, place) =>
    numbers[place] === number ? [] : [place],
  );
  // The first release has the version that the manifest has had from the beginning.
  if (at < 0) return next;
  return (numbers[at] ?? 0) > ([major, minor, patch][at] ?? 0) ? next : undefined;
}

/**
 * The changelog with what is unreleased under a version and a date, and a new empty section above.
 *
 * @returns undefined if nothing is listed as unreleased
 */
export function releaseChangelog(text: string, version: string, date: string): string | undefined {
  const at = text.indexOf(`${unreleased}\n`);
  if (at < 0) return undefined;
  const rest = text.slice(at + unreleased.length + 1);
  const end = /^## \[/m.exec(rest)?.index ?? rest.length;
  if (!/^- /m.test(rest.slice(0, end))) return undefined;
  return `${text.slice(0, at)}${unreleased}\n\n## [${version}] - ${date}\n${rest}`;
}
