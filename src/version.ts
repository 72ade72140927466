import { readFileSync } from 'node:fs';

interface Manifest {
  readonly version: string;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

/** The manifest beside `src/` or `dist/`. */
export const packageManifest = (): Manifest =>
  JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

/** The version of this package. */
export const packageVersion = (): string => packageManifest().version;
