/** A name of a saved query, with the number of its version if its file has one: `area.query-name`, `area.query-name@2`. */
export const namePattern = /^[a-z][a-z0-9]*(?:[._-][a-z0-9]+)*(?:@[1-9][0-9]{0,3})?$/;

/** A message's end for a name that does not match. */
export const nameRule =
  'must be lowercase words joined by . _ or -, as in area.query-name; a version has its number after it, as in area.query-name@2';

/** Which version of which query a name means. */
export interface VersionName {
  /** The name that all versions share. */
  readonly base: string;
  readonly version: number;
}

/** Reads the name of a file: without a number, it is version 1. */
export function parseVersionName(name: string): VersionName {
  const at = name.lastIndexOf('@');
  return at < 0
    ? { base: name, version: 1 }
    : { base: name.slice(0, at), version: Number(name.slice(at + 1)) };
}

/** The address of one version, whichever is the default. */
export const pinnedName = ({ base, version }: VersionName): string => `${base}@${version}`;
