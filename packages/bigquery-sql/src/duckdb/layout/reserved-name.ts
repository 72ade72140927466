import { quote } from '../../types.ts';

/** A name for SQL of this project beside the columns of a table: a dollar sign is in no name of a column of BigQuery. */
export const reservedName = (name: string): string => `$querygate ${name}`;

/** The parameter of a lambda, as SQL. */
export const parameterSql = (name: string): string => quote(reservedName(name));

/**
 * A field of a value, as SQL. Of `p.zone`, DuckDB takes `p` for a column before it takes it for the parameter of a lambda;
 * in parentheses it does not.
 */
export const fieldSql = (value: string, field: string): string => `(${value}).${quote(field)}`;
