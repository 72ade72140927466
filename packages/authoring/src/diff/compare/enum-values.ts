import type { EnumParameter } from '../../catalog-types.ts';
import { type Change, change, fromTo, removal } from '../change.ts';
import type { Kind } from '../verdicts.ts';

type Value = EnumParameter['values'][number];

/** Changes of what the texts of an enum mean in REST, and of its names in GraphQL. */
export function compareEnums(before: EnumParameter, after: EnumParameter): readonly Change[] {
  const path = ['parameters', after.name];
  const changes: Change[] = [
    ...before.values.flatMap((old) => compareValue(old, after)),
    ...after.values.flatMap((now) => newTexts(now, before)),
  ].map((one) => ({ ...one, path: [...path, 'values', ...one.path] }));
  if (before.enum !== after.enum)
    changes.push(change('enum-type-renamed', [...path, 'enum'], `enum ${fromTo(before.enum, after.enum)}`));
  if (before.unknown !== after.unknown) {
    const kind = after.unknown === 'refuse' ? 'unknown-refused' : 'unknown-accepted';
    changes.push(change(kind, [...path, 'unknown'], `unknown ${fromTo(before.unknown, after.unknown)}`));
  }
  return changes.map((one) => ({ ...one, text: `parameter ${after.name}: ${one.text}` }));
}

/** The changes of one value, with paths relative to the enum: `['value', 'name']`. */
function compareValue(old: Value, after: EnumParameter): readonly Change[] {
  const { value } = old;
  const now = after.values.find((one) => one.value === value);
  const namesake = after.values.find(({ name }) => name === old.name);
  /** The text of the value today: it may have another one, if it has kept its name. */
  const same = (now ?? namesake)?.value;
  const meaning = meaningOf(after, value);
  const changes: Change[] = [];
  if (meaning === same && meaning !== undefined) {
    if (namesake === undefined)
      changes.push(
        change('enum-name-changed', [value], `value ${value}: name ${fromTo(old.name, now?.name)}`),
      );
    else if (namesake.value !== same)
      changes.push(
        change(
          'enum-name-moved',
          [namesake.value],
          `name ${old.name}: value ${fromTo(value, namesake.value)}`,
        ),
      );
    if (now !== undefined && now.description !== old.description)
      changes.push(change('description', [value], `value ${value}: description changed`));
  } else changes.push(lostValue(old, meaning, namesake !== undefined));

  for (const spelling of old.also) {
    const found = meaningOf(after, spelling);
    // The spelling changes with its value, which is reported already.
    if (found === same || found === meaning) continue;
    changes.push(
      found === undefined
        ? change('enum-text-removed', [value, 'also'], `spelling ${spelling} of ${value} removed`)
        : change('enum-text-changed', [value, 'also'], `spelling ${spelling}: value ${fromTo(value, found)}`),
    );
  }
  return changes;
}

/** A value whose text is refused, or means another value. */
function lostValue({ value }: Value, meaning: string | undefined, hasNamesake: boolean): Change {
  const kinds: readonly [byText: Kind, altogether: Kind] =
    meaning === undefined
      ? ['enum-text-removed', 'enum-value-removed']
      : ['enum-text-changed', 'enum-value-merged'];
  const what = meaning === undefined ? 'removed' : `means ${meaning} now`;
  return removal(kinds[hasNamesake ? 0 : 1], [value], `value ${value} ${what}`);
}

function newTexts(now: Value, before: EnumParameter): readonly Change[] {
  const changes: Change[] = [];
  const isKnown = (text: string) =>
    before.values.some(({ value, also }) => value === text || also.includes(text));
  if (!before.values.some(({ value, name }) => value === now.value || name === now.name))
    changes.push(change('enum-value-added', [now.value], `value ${now.value} added`));
  for (const text of [now.value, ...now.also]) {
    if (isKnown(text)) continue;
    const path = text === now.value ? [now.value] : [now.value, 'also'];
    const meaning = meaningOf(before, text);
    if (meaning !== undefined && meaning !== now.value)
      changes.push(change('enum-text-changed', path, `text ${text}: value ${fromTo(meaning, now.value)}`));
    else if (text !== now.value || before.values.some(({ name }) => name === now.name))
      changes.push(change('enum-text-added', path, `text ${text} of ${now.value} added`));
  }
  return changes;
}

/** The value that the SQL gets for a text; undefined if the text is refused. */
function meaningOf({ values, unknown, default: byDefault }: EnumParameter, text: string): string | undefined {
  const found = values.find(({ value, also }) => value === text || also.includes(text));
  if (found !== undefined) return found.value;
  return unknown === 'default' ? (byDefault as string | undefined) : undefined;
}
