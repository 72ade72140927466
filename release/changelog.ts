/** A change as @changesets/cli describes it. */
interface Changeset {
  readonly summary: string;
}

/**
 * How a change is written in CHANGELOG.md. The versions of the other packages are left out, because all packages have the
 * same one.
 */
export default {
  getReleaseLine: async ({ summary }: Changeset): Promise<string> =>
    `- ${summary.replace(/\n(?=.)/g, '\n  ')}`,
  getDependencyReleaseLine: async (): Promise<string> => '',
};
