import { type Coding, codings, type Encodings } from '../results/result-document.ts';

/**
 * The form that a caller reads and that costs least, by its `Accept-Encoding`.
 *
 * @see RFC 9110, 12.5.3
 */
export function chooseCoding(forms: Encodings, accepted: string | undefined): Coding {
  if (accepted === undefined || forms.zstd === undefined) return 'identity';
  const weights = new Map(accepted.split(',').map(parseWeight));
  const weightOf = (coding: Coding) =>
    weights.get(coding) ?? weights.get('*') ?? (coding === 'identity' ? leastWeight : 0);
  const [best = 'identity'] = codings
    .filter((coding) => forms[coding] !== undefined && weightOf(coding) > 0)
    .sort((a, b) => weightOf(b) - weightOf(a));
  return best;
}

/** Plain is always read, but whoever names a coding would rather have that. */
const leastWeight = 0.000_1;

function parseWeight(part: string): readonly [string, number] {
  const [coding = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
  const q = parameters.find((parameter) => parameter.startsWith('q='));
  const weight = q === undefined ? 1 : Number(q.slice(2));
  return [coding, Number.isNaN(weight) ? 0 : weight];
}
