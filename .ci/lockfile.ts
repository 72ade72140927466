/** A package in a `package-lock.json`, as far as it matters here. */
export interface LockedPackage {
  readonly version?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly resolved?: string;
  readonly hasInstallScript?: boolean;
  integrity?: string;
  engines?: unknown;
}

export interface Lockfile {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

/** The packages that a lockfile installs, without the project itself. */
export function packagesOf({ packages }: Lockfile): readonly { name: string; entry: LockedPackage }[] {
  return Object.entries(packages).flatMap(([path, entry]) => {
    const name = path.split('node_modules/').at(-1) ?? '';
    return name === '' ? [] : [{ name, entry }];
  });
}
