/** A package in a `package-lock.json`, as far as it matters here. */
export interface LockedPackage {
  readonly version?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly resolved?: string;
  readonly hasInstallScript?: boolean;
  /** True for a workspace. */
  readonly link?: boolean;
  integrity?: string;
  engines?: unknown;
}

export interface Lockfile {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

/** The packages that a lockfile installs, without the project itself and its workspaces. */
export function packagesOf({ packages }: Lockfile): readonly { name: string; entry: LockedPackage }[] {
  return Object.entries(packages).flatMap(([path, entry]) => {
    const [, name] = /(?:^|.*\/)node_modules\/(.+)$/.exec(path) ?? [];
    return name === undefined || entry.link ? [] : [{ name, entry }];
  });
}
