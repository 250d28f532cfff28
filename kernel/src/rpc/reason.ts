interface Failure {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: object;
  readonly message: string;
}

const UNKNOWN: Failure = { keyword: 'type', instancePath: '', params: {}, message: 'does not fit' };

/** Why a value does not fit its schema, in the wording of conventions.md §2.3; the texts are informative. */
export function reason(name: string, value: unknown, failures: readonly Failure[]): string {
  const depth = ({ instancePath }: Failure) => instancePath.split('/').length;
  const [first = UNKNOWN] = failures;
  const failure = failures.reduce((best, next) => (depth(next) > depth(best) ? next : best), first);
  const at = failure.instancePath;
  const found = at.split('/').slice(1).reduce(memberOf, value);
  if (failure.keyword === 'required') {
    const { requiredProperties } = failure.params as { requiredProperties?: string[] };
    return `missing field \`${requiredProperties?.[0] ?? name}\``;
  }
  if (failure.keyword === 'enum') return `unknown variant \`${String(found)}\``;
  return `invalid type: ${describe(found)}, ${name}${at} ${failure.message}`;
}

/** One step along a JSON pointer. */
const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null
    ? (value as Record<string, unknown>)[name.replaceAll('~1', '/').replaceAll('~0', '~')]
    : undefined;

/** Kind and value; of a string the kind alone, because it may be a secret. */
function describe(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'sequence';
  if (typeof value === 'object') return 'map';
  if (typeof value === 'boolean') return `boolean \`${value}\``;
  if (typeof value === 'bigint' || Number.isInteger(value)) return `integer \`${value}\``;
  return typeof value === 'number' ? `floating point \`${value}\`` : 'string';
}
