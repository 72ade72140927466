import type { Problem } from '../errors.ts';
import { camelCase } from './names.ts';
import type { EnumParameter, SavedQuery } from './saved-query.ts';

/** Root fields that describe the catalog itself; no saved query may take their names. */
const ownFields = ['endpoint', 'endpoints'];

/** What files that are right one by one get wrong together: addresses, GraphQL fields and enums must be unique. */
export function checkCatalog(queries: readonly SavedQuery[]): readonly Problem[] {
  return queries.flatMap((query, at) => {
    const earlier = queries.slice(0, at);
    const problems: Problem[] = [];
    const add = (message: string) => problems.push({ file: query.source.file, line: 1, message });

    const sameId = earlier.find((other) => other.id === query.id);
    if (sameId !== undefined) add(`id ${query.id} is taken by ${sameId.source.file}`);

    const field = camelCase(query.name);
    const sameField = earlier.find((other) => camelCase(other.name) === field);
    if (sameField !== undefined) add(`is the GraphQL field ${field}, as ${sameField.source.file} is`);
    if (ownFields.includes(field))
      add(`the GraphQL field ${field} describes the catalog; choose another name`);

    for (const parameter of enumsOf(query)) {
      const other = earlier.flatMap(enumsOf).find(({ enum: name }) => name === parameter.enum);
      if (other !== undefined && !sameValues(parameter, other)) {
        add(`parameters.${parameter.name}: enum ${parameter.enum} has other values in another file`);
      }
    }
    return problems;
  });
}

function enumsOf(query: SavedQuery): readonly EnumParameter[] {
  return query.parameters.filter((parameter) => parameter.type === 'enum');
}

function sameValues(a: EnumParameter, b: EnumParameter): boolean {
  return JSON.stringify(a.values) === JSON.stringify(b.values);
}
