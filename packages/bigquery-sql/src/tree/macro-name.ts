/** The name of the macro that is called as `bq.name`, or as one of its signatures: `bq."name(a bigint)"`. */
export function macroName(callee: string): string | undefined {
  return /^bq\."?(\w+)/.exec(callee)?.[1];
}
