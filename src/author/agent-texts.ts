import type { Catalog, SavedQuery } from '../catalog/model/saved-query.ts';
import type { Problem } from '../errors.ts';
import { visibleText } from '@querygate/text';

/** Phrases of texts that are to make a model do something; no description of data has them. */
const instructions: readonly RegExp[] = [
  /\b(?:ignore|disregard|forget|override)\b[^.]{0,40}\b(?:instructions?|prompts?|rules|guidelines)\b/i,
  /\b(?:do not|don't|never)\b[^.]{0,30}\bthe user\b/i,
  /\b(?:system|developer) (?:prompt|message)\b/i,
  /<\/?(?:system|assistant|user|instructions?|important)\b[^>]*>/i,
  /\b(?:before|after|instead of)\b[^.]{0,30}\b(?:using|calling)\b[^.]{0,20}\btools?\b/i,
  /\byou (?:must|are required to|should always)\b[^.]{0,40}\b(?:call|send|read|run|execute|pass|include)\b/i,
  /\b(?:send|post|upload|forward)\b[^.]{0,60}\bhttps?:\/\//i,
];

/**
 * Descriptions that agents get as part of a tool, and that read as instructions to a model or hide a part of themselves: a
 * contribution to the folder of queries could steer every agent that lists its tools.
 */
export const agentTextProblems = ({ queries }: Pick<Catalog, 'queries'>): readonly Problem[] =>
  queries.flatMap((query) =>
    textsOf(query).flatMap(({ place, text }) => {
      const what = problemOf(text);
      return what === undefined ? [] : [{ file: query.source.file, message: `${place}: ${what}` }];
    }),
  );

function problemOf(text: string): string | undefined {
  const shown = visibleText(text);
  if (shown !== text)
    return `has hidden characters, which models read: ${JSON.stringify(shown)}; remove them`;
  const [found] = instructions.map((pattern) => pattern.exec(text)?.[0]).filter((one) => one !== undefined);
  return found === undefined
    ? undefined
    : `${JSON.stringify(found)} reads as an instruction to a model; describe the data instead`;
}

/** The texts of a header that tools have, by their place in it. */
function textsOf({ description, parameters, columns }: SavedQuery) {
  return [
    { place: 'description', text: description },
    ...parameters.flatMap((parameter) => [
      { place: `parameters.${parameter.name}.description`, text: parameter.description },
      ...(parameter.type === 'enum'
        ? parameter.values.map(({ value, description: text }) => ({
            place: `parameters.${parameter.name}.values.${value}.description`,
            text,
          }))
        : []),
    ]),
    ...columns.map(({ name, description: text }) => ({ place: `columns.${name}.description`, text })),
  ];
}
