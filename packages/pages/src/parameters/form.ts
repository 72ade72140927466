import { element } from '../element.ts';
import type { Parameter } from '../endpoint.ts';
import { buildControl, type Control } from './controls.ts';
import type { ParameterValues } from './values.ts';

export interface ParameterForm {
  readonly element: HTMLFormElement;
  read(): ParameterValues;
  write(values: ParameterValues): void;
  /**
   * Shows what is wrong with one parameter beside its field.
   *
   * @returns false if the form has no such field
   */
  showProblem(parameter: string, message: string): boolean;
}

interface FormOptions {
  readonly parameters: readonly Parameter[];
  /** The tenants that the key is restricted to; undefined: none, or very many. */
  readonly tenants: readonly string[] | undefined;
  /** Further elements behind the fields. */
  readonly actions: readonly HTMLElement[];
  /** Called when all fields have values that the browser accepts. */
  readonly onSubmit: () => void;
}

export function buildForm({ parameters, tenants, actions, onSubmit }: FormOptions): ParameterForm {
  const fields = parameters.map((parameter, at) => buildField(parameter, `parameter-${at}`, tenants));
  const form = element(
    'form',
    // Its problems are shown like those that the gateway finds.
    { novalidate: true, class: 'parameters' },
    ...(fields.length === 0 ? [element('p', {}, 'This query takes no parameters.')] : []),
    element('div', { class: 'fields' }, ...fields.map((field) => field.element)),
    element('div', { class: 'row' }, ...actions),
  );
  const clearProblems = () => {
    for (const field of fields) field.showProblem('');
  };
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    clearProblems();
    const wrong = fields.filter((field) => field.check());
    if (wrong[0] === undefined) onSubmit();
    else wrong[0].control.input.focus();
  });
  return {
    element: form,
    read: () =>
      new Map(
        fields.flatMap(({ name, control }) => {
          const values = control.read();
          return values.length === 0 ? [] : [[name, values] as const];
        }),
      ),
    write(values) {
      clearProblems();
      for (const { name, control } of fields) control.write(values.get(name) ?? []);
    },
    showProblem(parameter, message) {
      const field = fields.find(({ name }) => name === parameter);
      field?.showProblem(message);
      field?.control.input.focus();
      return field !== undefined;
    },
  };
}

interface Field {
  readonly name: string;
  readonly element: HTMLElement;
  readonly control: Control;
  showProblem(message: string): void;
  /** Takes the value that is shown, and shows what the browser finds wrong with it. @returns whether it is something */
  check(): boolean;
}

function buildField(parameter: Parameter, id: string, tenants: readonly string[] | undefined): Field {
  const { name, required, schema } = parameter;
  const control = buildControl(parameter, id, tenants);
  const { input, isGroup } = control;
  const problem = element('p', { id: `${id}-problem`, class: 'problem', role: 'alert' });
  const help = element('p', { id: `${id}-help`, class: 'muted' }, helpOf(parameter, tenants));
  const mark = required ? [' ', element('span', { class: 'badge' }, 'required')] : [];
  const label = isGroup
    ? element('span', { id: `${id}-label`, class: 'label' }, name, ...mark)
    : element('label', { for: id }, name, ...mark);
  if (isGroup) {
    input.setAttribute('role', 'group');
    input.setAttribute('aria-labelledby', label.id);
    input.tabIndex = -1;
  }
  input.setAttribute('aria-describedby', `${help.id} ${problem.id}`);
  const showProblem = (message: string) => {
    problem.textContent = message;
    if (message === '') input.removeAttribute('aria-invalid');
    else if (!isGroup) input.setAttribute('aria-invalid', 'true');
  };
  return {
    name,
    control,
    element: element('div', { class: 'field' }, label, input, problem, help),
    showProblem,
    check() {
      const values = control.read();
      // The gateway refuses several, of which the field shows the first.
      if (schema.type !== 'array' && values.length > 1) control.write(values.slice(0, 1));
      const missing = required && values.length === 0 && !parameter.fallback.length;
      const message = missing ? 'A value is required.' : control.problem();
      showProblem(message);
      return message !== '';
    },
  };
}

/** The help for the values: the author's description with bounds, and the meaning of the field's type. */
export function helpOf(
  { description, schema, fallback, example, isTenant }: Parameter,
  tenants?: readonly string[],
) {
  const isList = schema.type === 'array';
  const { enum: choices, format } = isList ? (schema.items ?? {}) : schema;
  const isChoice = choices !== undefined || (isTenant && tenants !== undefined);
  const isDescribed = schema.default === undefined;
  return [
    // The key's own tenants are the choices of the field.
    isTenant ? description.replace(tenantSentence, '') : description,
    isList && !isChoice ? 'One value on each line.' : '',
    format === 'date-time' ? 'The time is in UTC.' : '',
    format === 'date-time-local' ? 'A date and time without a zone.' : '',
    fallback.length > 0 && (isList || !isChoice) && !isDescribed ? `Default: ${fallback.join(', ')}.` : '',
    example.length > 0 && !isChoice ? `For example ${example.join(', ')}.` : '',
  ]
    .filter((text) => text !== '')
    .join(' ');
}

const tenantSentence = /\n?A key that is restricted to tenants must name one of its own\.$/;
