import { sameName, type TypedParameter } from '@querygate/bigquery-sql/types';
import { readHeader } from '../header/split-file.ts';
import { boundArguments } from './bound-arguments.ts';
import type { ReadTable } from './closure.ts';

/** A parameter of a part that a parameter of its reader takes the place of. */
export interface TakenParameter {
  /** That of the reader. */
  readonly name: string;
  /** False if it passes on by its name. */
  readonly isBound: boolean;
  readonly parameter: TypedParameter;
  /** As the header of the part declares it. */
  readonly declared: () => unknown;
}

/** The parameters that parts take of their reader. */
export const takenParameters = (tables: readonly ReadTable[]): readonly TakenParameter[] =>
  tables.flatMap(({ node, unit: { file, fileText, parameters } }) => {
    const bound = boundArguments(node);
    return parameters.flatMap((parameter): TakenParameter[] => {
      const { name } = parameter;
      const value = bound.find((one) => sameName(one.name, name))?.value;
      if (value !== undefined && value.kind !== 'NamedParameter') return [];
      const declared = () => declarationOf(file, fileText, name);
      return [{ name: value?.name.name ?? name, isBound: value !== undefined, parameter, declared }];
    });
  });

function declarationOf(file: string, text: string, name: string): unknown {
  const parts = readHeader(file, text);
  const { parameters } = ('header' in parts ? parts.header : {}) as {
    readonly parameters?: Readonly<Record<string, unknown>>;
  };
  return parameters?.[name];
}
