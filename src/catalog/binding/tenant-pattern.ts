import { escapeForRe2, re2Problem, re2Token } from './re2.ts';

/** The placeholder of the tenant in a `tenant_pattern`, as in `{project}`. */
export function placeholderOf(parameter: string): string {
  return `{${parameter}}`;
}

/** The pattern that runs for one tenant, whose value matches literally. */
export function fillTenantPattern(pattern: string, parameter: string, value: string): string {
  // With a function as replacement, `$&` in the value has no special meaning.
  return pattern.replaceAll(placeholderOf(parameter), () => escapeForRe2(value));
}

/**
 * Checks that a pattern cannot match another tenant's rows. Only the text is examined, so the rules are strict enough
 * to guarantee it: the pattern is anchored at the start, has no alternative to the placeholder, nothing before it can
 * run into other parts of a URL, and the characters beside it cannot be part of a name, so that a tenant whose name is
 * contained in another's does not match it.
 *
 * @returns why the pattern is not safe; undefined if it is
 */
export function tenantPatternProblem(pattern: string, parameter: string): string | undefined {
  const placeholder = placeholderOf(parameter);
  const tokens = tokensOf(pattern, placeholder);
  const places = tokens.flatMap((token, at) => (token === placeholder ? [at] : []));

  if (tokens[0] !== '^' || isQuantifier(tokens[1])) {
    return 'must begin with ^, so that it matches from the start';
  }
  if (!pattern.includes(placeholder)) return `must contain ${placeholder} in the place of the tenant`;
  if (tokens.some((token, at) => token === '(' && tokens[at + 1] === '?' && tokens[at + 2] !== ':')) {
    return 'must have no groups but ( ) and (?: ), and no flags';
  }
  if (/\\[QEC]/.test(pattern)) return 'must not have \\Q, \\E or \\C';
  const depths = groupDepths(tokens);
  if (tokens.some((token, at) => token === '|' && depths[at] === 0)) {
    return 'must not have | outside of groups: it would allow a match without the tenant';
  }
  if (!places.some((at) => depths[at] === 0) || hasEscapedPlaceholder(pattern, tokens, placeholder)) {
    return `must contain ${placeholder} outside of groups, [ ] and escapes`;
  }
  const wide = tokens.slice(0, places[0]).find(matchesWidely);
  if (wide !== undefined) {
    return `must not have ${wide} before ${placeholder}: it can match other parts of a URL`;
  }
  if (places.some((at) => !endsName(tokens, at - 1, depths) || !endsName(tokens, at + 1, depths))) {
    return `must have a character before and after ${placeholder} that ends a name, as in /${placeholder}\\.`;
  }
  return re2Problem(fillTenantPattern(pattern, parameter, 'tenant'));
}

/** RE2's tokens, and the placeholder as one token (except inside a class or an escape as in `\p{…}`). */
function tokensOf(pattern: string, placeholder: string): readonly string[] {
  return pattern.match(new RegExp(`${RegExp.escape(placeholder)}|${re2Token.source}`, re2Token.flags)) ?? [];
}

/** True if RE2 would read a placeholder, or its brace, as a part of an escape, as in `\p{…}` or `\{…}`. */
function hasEscapedPlaceholder(pattern: string, tokens: readonly string[], placeholder: string): boolean {
  const count = (text: string) => text.split(placeholder).length;
  const notEscapes = tokens.filter((token) => !token.startsWith('\\'));
  return count(notEscapes.join('\n')) < count(pattern);
}

/**
 * True if a token can match many kinds of text or any length. Optional single characters and groups of them are fine.
 */
function matchesWidely(token: string): boolean {
  return /^(?:[.*+{[]|\\[a-z\d])/i.test(token);
}

/** For each token, the number of groups around it. */
function groupDepths(tokens: readonly string[]): readonly number[] {
  let depth = 0;
  return tokens.map((token) => {
    if (token === ')') depth -= 1;
    const here = depth;
    if (token === '(') depth += 1;
    return here;
  });
}

/** True for the start, the end, and a mandatory character that no name contains. */
function endsName(tokens: readonly string[], at: number, depths: readonly number[]): boolean {
  const token = tokens[at] ?? '';
  if (depths[at] !== 0) return false;
  if (token === '^' || token === '$') return true;
  return !isQuantifier(tokens[at + 1]) && /^(?:\\[^\w\s]|[/:=@&#,;<>"'~%!])$/.test(token);
}

function isQuantifier(token = ''): boolean {
  return /^(?:[?*+{]|\{\d[\d,]*\})$/.test(token);
}
