import type { z } from 'zod';

/** One problem of a document, at the path of the value that has it. */
export interface SchemaProblem {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** A problem whose message begins with its path. */
export function problem(path: readonly (string | number)[], message: string): SchemaProblem {
  return { path, message: `${path.join('.')}: ${message}` };
}

/** Zod's issues as problems whose messages begin with the path, as in `keys.0.name: is missing`. */
export function schemaProblems({ issues }: z.core.$ZodError): readonly SchemaProblem[] {
  return issues.map((issue) => ({
    // The path of an unknown key leads to its own line.
    path: issue.code === 'unrecognized_keys' ? [...issue.path, ...issue.keys] : issue.path,
    message: [issue.path.join('.'), issue.message].filter((part) => part !== '').join(': '),
  }));
}

/** Zod's option `error`: plain messages for issues to which the schema itself gives none. */
export function describeIssue(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is missing' : `must be ${withArticle(issue.expected)}`;
    case 'too_small':
      return `must be at least ${issue.minimum}`;
    case 'too_big':
      return `must be at most ${issue.maximum}`;
    case 'invalid_value':
      return `must be one of ${issue.values.join(', ')}`;
    case 'invalid_key':
      return issue.issues[0]?.message ?? 'is not a valid name';
    case 'unrecognized_keys':
      return `unknown: ${issue.keys.join(', ')}`;
    default:
      return undefined;
  }
}

function withArticle(type: string): string {
  if (type === 'int') return 'a whole number';
  const name = type === 'record' ? 'object' : type;
  return `${/^[aeiou]/.test(name) ? 'an' : 'a'} ${name}`;
}
