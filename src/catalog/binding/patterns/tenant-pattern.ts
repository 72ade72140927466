import { groupDepths, isQuantifier, literalOf, textsOf, tokensOf } from './pattern-tokens.ts';
import { escapeForRe2, re2Problem } from './re2.ts';
import { endsHost, isBeforeHost } from './url-host.ts';

/** The placeholder of the tenant in a `tenant_pattern`, as in `{project}`. */
function placeholderOf(parameter: string): string {
  return `{${parameter}}`;
}

/** A pattern that is safe on URLs from anyone, for messages: the tenant is the first label of the host. */
export function exampleTenantPattern(parameter: string): string {
  return `^https?://${placeholderOf(parameter)}\\.[^/?#@\\\\\\s]*(?:[/?#]|$)`;
}

/** The pattern that runs for one tenant, whose value matches literally. */
export function fillTenantPattern(pattern: string, parameter: string, value: string): string {
  // With a function as replacement, `$&` in the value has no special meaning.
  return pattern.replaceAll(placeholderOf(parameter), () => escapeForRe2(value));
}

/**
 * Checks that a pattern cannot match another tenant's rows. Only the text is examined, so the rules are strict enough
 * to guarantee it: the pattern is anchored at the start and has no alternative to the placeholder; what precedes the
 * placeholder is one of a few texts of which none begins with another, so that the tenant begins in one place; and what
 * follows ends the name, and in the host of a URL the host.
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
  const before = tokens.slice(1, places[0]);
  const wide = before.find(matchesWidely);
  if (wide !== undefined) {
    return `must not have ${wide} before ${placeholder}: it can match other parts of a URL`;
  }
  const texts = textsOf(before);
  if (texts === undefined) {
    return `must have only characters, groups, | and ? before ${placeholder}, for at most 64 texts`;
  }
  const [first = 0, ...others] = places;
  const isInHost = texts.some(isBeforeHost);
  const surrounded = (at: number) =>
    endsName(tokens, at - 1, depths, '^') && endsName(tokens, at + 1, depths, '$');
  if (isInHost ? !isSurroundedInHost(tokens, first, depths) : !surrounded(first)) {
    return isInHost
      ? `must end the host after ${placeholder}, as in ${exampleTenantPattern(parameter)}`
      : neighbourProblem(placeholder);
  }
  if (!others.every(surrounded)) return neighbourProblem(placeholder);
  const shorter = texts.find((text) => texts.some((other) => other !== text && other.startsWith(text)));
  if (shorter !== undefined) {
    return `must not allow two texts before ${placeholder} of which one begins with the other: a tenant could be named like the rest`;
  }
  return re2Problem(fillTenantPattern(pattern, parameter, 'tenant'));
}

function neighbourProblem(placeholder: string): string {
  return `must have a character before and after ${placeholder} that ends a name, as in /${placeholder}/: one of ${nameEnds.join(' ')}, or the start or end of the text`;
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

/**
 * The characters that no name contains, escaped or not. Dots and hyphens are part of names, and so is what URLs leave
 * unescaped in them: ~ ! ' + $. After a % a name may go on, and before an @ there is a name of the caller's choice.
 */
const nameEnds = ['/', ':', '=', '&', '?', '#', ',', ';', '<', '>', '"', '|'];

/** True for the end of the text on this side, and for a mandatory character that no name contains. */
function endsName(
  tokens: readonly string[],
  at: number,
  depths: readonly number[],
  textEnd: '^' | '$',
): boolean {
  const token = tokens[at] ?? '';
  if (depths[at] !== 0 || isQuantifier(tokens[at + 1])) return false;
  return token === textEnd || nameEnds.includes(literalOf(token) ?? '');
}

/** In a host the dot ends a label, and other characters do not: what follows must end the host. */
function isSurroundedInHost(tokens: readonly string[], at: number, depths: readonly number[]): boolean {
  const isDot = literalOf(tokens[at - 1]) === '.' && depths[at - 1] === 0;
  return (isDot || endsName(tokens, at - 1, depths, '^')) && endsHost(tokens, at + 1);
}

/** How a tenant is found in a text that its pattern matches. */
export interface TenantExtraction {
  /** A regular expression whose group is the tenant, if the pattern of a tenant with a plain name matches the text. */
  readonly expression: string;
  /** The tenant whose pattern a text is; undefined if it is another pattern, or not one of a plain name. */
  tenantOf(pattern: string): string | undefined;
}

/** Names without characters that a regular expression or a URL reads in another way. */
const plainName = '[0-9A-Za-z_-]+';

/**
 * Finds the tenant as a part of what a `tenant_pattern` matches. It begins in one place, as the check of the pattern says, and ends
 * before a character that no plain name has, so that there is one such part.
 *
 * @returns undefined for a pattern that has the tenant in several places
 */
export function extractTenant(pattern: string, parameter: string): TenantExtraction | undefined {
  const placeholder = placeholderOf(parameter);
  const tokens = tokensOf(pattern, placeholder);
  const at = tokens.indexOf(placeholder);
  const next = tokens[at + 1];
  const ends = next === '$' || /^[^0-9A-Za-z_-]$/.test(literalOf(next) ?? '');
  if (at < 0 || pattern.split(placeholder).length !== 2 || !ends || isQuantifier(tokens[at + 2]))
    return undefined;
  const expression = tokens
    .map((token, index) => {
      if (token === placeholder) return `(${plainName})`;
      return token === '(' && tokens[index + 1] !== '?' ? '(?:' : token;
    })
    .join('');
  const [before = '', after = ''] = pattern.split(placeholder);
  const isPlain = new RegExp(`^${plainName}$`);
  return {
    expression,
    tenantOf(text) {
      const tenant = text.slice(before.length, text.length - after.length).replaceAll('\\', '');
      return isPlain.test(tenant) && fillTenantPattern(pattern, parameter, tenant) === text
        ? tenant
        : undefined;
    },
  };
}
