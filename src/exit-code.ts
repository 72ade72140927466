/** Exit codes of the process, for its supervisor. */
export const exitCode = { ok: 0, forced: 1, problems: 1, badStart: 2, bug: 3 } as const;
