import type { Parameter } from '../../../src/catalog/model/saved-query.ts';
import { arrayOf, sameName, scalar, type Type } from './types.ts';

/** What the SQL needs to know of a declared parameter. */
export type TypedParameter = Pick<Parameter, 'name' | 'bind' | 'repeated'>;

/** The type of a parameter in the SQL. */
function parameterType({ bind = 'STRING', repeated }: TypedParameter): Type {
  const element = scalar(bind);
  return repeated ? arrayOf(element) : element;
}

/** The types of parameters by name, which has no case in SQL. Undeclared ones are STRING. */
export const parameterTypes =
  (parameters: readonly TypedParameter[] = []) =>
  (name: string): Type => {
    const declared = parameters.find((parameter) => sameName(parameter.name, name));
    return declared === undefined ? scalar('STRING') : parameterType(declared);
  };
