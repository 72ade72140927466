import { element } from '../element.ts';
import type { Parameter, ValueSchema } from '../endpoint.ts';
import { fromDateField, toDateField } from './moments.ts';
import { canonicalText } from './values.ts';

/** The part of a form that takes the value of one parameter. */
export interface Control {
  /** The element that is labelled, described and focused. */
  readonly input: HTMLElement;
  /** True for a group, whose label is a legend. */
  readonly isGroup?: true;
  /** The texts to send; none for an empty field. */
  read(): readonly string[];
  write(values: readonly string[]): void;
  /** Why the browser refuses what was typed; '' if it does not. */
  problem(): string;
}

/**
 * A control that keeps the texts that were written, which its field may be unable to hold, until people change it.
 *
 * @param tenants that the key is restricted to
 */
export function buildControl(...given: Parameters<typeof fieldOf>): Control {
  const field = fieldOf(...given);
  let written: readonly string[] = [];
  field.input.addEventListener('input', () => {
    written = [];
  });
  return {
    ...field,
    read: () => (written.length > 0 ? written : field.read()),
    write(texts) {
      field.write(texts);
      written = texts;
    },
  };
}

function fieldOf(parameter: Parameter, id: string, tenants: readonly string[] | undefined): Control {
  const { schema, isTenant, required } = parameter;
  if (isTenant && tenants !== undefined) {
    // The only tenant of a key is filled in, of a list too.
    const isSeveral = schema.type === 'array' && tenants.length > 1;
    return isSeveral ? checkboxes(id, schema, tenants) : choice(id, parameter, tenants, []);
  }
  if (schema.type === 'array') {
    return schema.items?.enum === undefined ? lines(id) : checkboxes(id, schema.items, schema.items.enum);
  }
  if (schema.enum !== undefined)
    return choice(id, parameter, schema.enum, schema['x-enum-descriptions'] ?? []);
  if (schema.type === 'boolean') return choice(id, parameter, ['true', 'false'], []);
  if (schema.format?.startsWith('date-time') === true) {
    // `date-time-local` has no zone.
    return moment(id, required, schema.format === 'date-time');
  }
  if (schema.format === 'date') return dateField(id, required);
  if (schema.type === 'integer' || schema.type === 'number') return numberField(id, required, schema);
  return textField(id, required);
}

const first = (values: readonly string[]) => values[0] ?? '';
const single = (value: string): readonly string[] => (value === '' ? [] : [value]);

/** One of several values. An address may have another one, which is then offered too; or another spelling of one. */
function choice(
  id: string,
  { required, fallback, schema }: Parameter,
  values: readonly string[],
  descriptions: readonly string[],
): Control {
  const option = (value: string, text: string) => element('option', { value }, text);
  const input = element('select', { id, required });
  const absent = fallback.length > 0 ? `default (${fallback.join(', ')})` : required ? 'choose …' : 'none';
  const isOnlyOne = required && values.length === 1;
  input.append(
    ...(isOnlyOne ? [] : [option('', absent)]),
    ...values.map((value, at) => {
      const description = descriptions[at] ?? '';
      return option(value, description === '' ? value : `${value}: ${description}`);
    }),
  );
  return {
    input,
    read: () => single(input.value),
    write(texts) {
      const value = canonicalText(first(texts), schema);
      if (value !== '' && ![...input.options].some((one) => one.value === value)) {
        input.append(option(value, value));
      }
      input.value = value === '' && isOnlyOne ? (values[0] ?? '') : value;
    },
    problem: () => input.validationMessage,
  };
}

function moment(id: string, required: boolean, isMoment: boolean): Control {
  const input = element('input', {
    id,
    type: 'datetime-local',
    step: 'any',
    max: '9999-12-31T23:59:59',
    required,
  });
  return {
    input,
    read: () => single(input.type === 'text' ? input.value.trim() : fromDateField(input.value, isMoment)),
    write(texts) {
      const text = first(texts);
      writeDate(input, 'datetime-local', text, text === '' ? '' : toDateField(text, isMoment));
    },
    problem: () => input.validationMessage,
  };
}

function dateField(id: string, required: boolean): Control {
  const input = element('input', { id, type: 'date', max: '9999-12-31', required });
  return {
    input,
    read: () => single(input.value.trim()),
    write(texts) {
      const text = first(texts);
      writeDate(input, 'date', text, text);
    },
    problem: () => input.validationMessage,
  };
}

/**
 * Shows a value in a date field, or as text what the field cannot show: it would become empty.
 *
 * @param value as the field takes it; undefined if it does not
 */
function writeDate(input: HTMLInputElement, type: string, text: string, value: string | undefined): void {
  input.type = type;
  input.value = value ?? '';
  if (value !== undefined && (value === '' || input.value !== '')) return;
  input.type = 'text';
  input.value = text;
}

/** A text field: a number field would round large integers, and hide what it cannot read. */
function numberField(id: string, required: boolean, { type, minimum, maximum }: ValueSchema): Control {
  const input = element('input', {
    id,
    type: 'text',
    inputmode: type === 'integer' && (minimum ?? -1) >= 0 ? 'numeric' : 'text',
    autocomplete: 'off',
    required,
  });
  const problem = () => {
    const text = input.value.trim();
    if (text === '') return input.validationMessage;
    const value = Number(text);
    if (Number.isNaN(value) || (type === 'integer' && !/^[+-]?\d+$/.test(text))) {
      return type === 'integer' ? 'Type a whole number.' : 'Type a number.';
    }
    if (minimum !== undefined && value < minimum) return `The least is ${minimum}.`;
    return maximum !== undefined && value > maximum ? `The most is ${maximum}.` : '';
  };
  return {
    input,
    read: () => single(input.value.trim()),
    write(texts) {
      input.value = first(texts);
    },
    problem,
  };
}

function textField(id: string, required: boolean): Control {
  const attributes = { id, required, autocomplete: 'off', autocapitalize: 'off' };
  // One line, but it keeps the line breaks of a value.
  const input = element('textarea', { ...attributes, rows: 1, spellcheck: 'false', class: 'one-line' });
  input.addEventListener('keydown', submitOnEnter);
  return {
    input,
    read: () => single(input.value),
    write(texts) {
      input.value = first(texts);
      input.rows = Math.min(input.value.split('\n').length, 6);
    },
    problem: () => input.validationMessage,
  };
}

/** Enter submits the form, as in a field of one line; Shift+Enter is a line break. */
function submitOnEnter(event: KeyboardEvent): void {
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  if (event.target instanceof HTMLTextAreaElement) event.target.form?.requestSubmit();
}

/** A list: a value on each line. */
function lines(id: string): Control {
  const input = element('textarea', { id, rows: 3, spellcheck: 'false', autocomplete: 'off' });
  return {
    input,
    read: () => input.value.split('\n').filter((line) => line !== ''),
    write(texts) {
      input.value = texts.join('\n');
    },
    problem: () => input.validationMessage,
  };
}

/** A list of values that are known. An address may have others, as for one value. */
function checkboxes(id: string, schema: ValueSchema, values: readonly string[]): Control {
  const input = element('div', { id, class: 'choices' });
  const boxes = new Map<string, HTMLInputElement>();
  const add = (value: string, text = '') => {
    const box = element('input', { type: 'checkbox', id: `${id}-${boxes.size}`, value });
    boxes.set(value, box);
    input.append(element('label', { for: box.id }, box, ` ${value}${text === '' ? '' : `: ${text}`}`));
  };
  for (const [at, value] of values.entries()) add(value, schema['x-enum-descriptions']?.[at]);
  return {
    input,
    isGroup: true,
    read: () => [...boxes].flatMap(([value, box]) => (box.checked ? [value] : [])),
    write(texts) {
      const chosen = texts.map((text) => canonicalText(text, schema));
      for (const value of chosen) if (!boxes.has(value)) add(value);
      for (const [value, box] of boxes) box.checked = chosen.includes(value);
    },
    problem: () => '',
  };
}
