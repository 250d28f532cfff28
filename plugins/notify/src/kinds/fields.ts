import { RpcError, type Static } from '@svc/plugin-sdk';
import { didYouMean } from '@svc/plugin-sdk/util';
import type { KindField } from '../schemas.ts';

/** Field of a kind's form. */
export type Field = Static<typeof KindField> & {
  /** Names the receiver: when its host changes, the secrets are emptied. */
  readonly host?: true;
  /** Address to which the kind appends paths: it has no query and no fragment. */
  readonly base?: true;
};

/** Fields that are no secret and those that are, as one. */
export type Values = Readonly<Record<string, unknown>>;

const [MOST_TEXT, MOST_LINES, MOST_LIST] = [2_000, 16_000, 50];
/** Bytes of all fields of one form together. */
const MOST_BYTES = 16_000;
const CONTROL = /\p{Cc}/u;

const isText = (value: unknown, most: number): value is string =>
  typeof value === 'string' && value.length <= most && !value.includes('\0');
const isLine = (value: unknown): value is string =>
  isText(value, MOST_TEXT) && !CONTROL.test(value);

function isUrl(value: unknown, { base }: Field): boolean {
  if (!isLine(value) || !URL.canParse(value)) return false;
  const { protocol, username, password } = new URL(value);
  if (base && /[?#]/.test(value)) return false;
  return /^https?:$/.test(protocol) && username === '' && password === '';
}

const TYPES: {
  readonly [type in Field['type']]: readonly [
    is: (value: unknown, field: Field) => boolean,
    what: (field: Field) => string,
  ];
} = {
  text: [isLine, () => 'a text of one line'],
  url: [
    isUrl,
    ({ base }) =>
      `an address that begins with https:// or http://, without user and password${base ? ', without ? and #: paths are appended to it' : ''}`,
  ],
  number: [(value) => Number.isSafeInteger(value), () => 'a whole number'],
  boolean: [(value) => typeof value === 'boolean', () => 'true or false'],
  choice: [
    (value, { choices }) => choices?.some((one) => one === value) ?? false,
    ({ choices }) => `one of ${choices?.join(', ')}`,
  ],
  list: [
    (value) => Array.isArray(value) && value.length <= MOST_LIST && value.every(isLine),
    () => `a list of at most ${MOST_LIST} texts`,
  ],
  multiline: [(value) => isText(value, MOST_LINES), () => 'a text'],
};

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (Array.isArray(value) && value.length === 0);

/** Fault of one field, or undefined. */
function faultOf(field: Field, value: unknown): string | undefined {
  const { name, title, required, type, help, example } = field;
  if (isEmpty(value)) {
    if (!required) return undefined;
    const hint = help ?? (example === undefined ? '' : `for example ${example}`);
    return `'${name}' (${title}) is missing${hint === '' ? '' : `: ${hint}`}`;
  }
  const [is, what] = TYPES[type];
  return is(value, field) ? undefined : `'${name}' (${title}) is ${what(field)}`;
}

/** Form of one kind, with the member that holds its fields without secrets. */
export interface CheckedForm {
  readonly kind: string;
  readonly fields: readonly Field[];
  /** Name of that member: `config`. */
  readonly open: string;
  /** Faults that the fields alone do not show: what to change. */
  check?(values: Values): string | undefined;
}

function stray(form: CheckedForm, values: Values, isSecret: boolean): string | undefined {
  for (const name of Object.keys(values)) {
    const field = form.fields.find((one) => one.name === name);
    if (field === undefined) {
      const names = form.fields.map((one) => one.name);
      return `'${name}' is no field of ${form.kind}${didYouMean(name, names)}; fields are: ${names.join(', ')}`;
    }
    if (field.secret && !isSecret) return `'${name}' is secret: write it into \`secret\``;
    if (!field.secret && isSecret) return `'${name}' is no secret: write it into \`${form.open}\``;
  }
  return undefined;
}

/** Checks the fields of a form, those that are secret apart. @throws RpcError 108 that names the field and what to write */
export function checkFields(form: CheckedForm, plain: Values, secret: Values): void {
  const values = { ...plain, ...secret };
  if (Buffer.byteLength(JSON.stringify(values)) > MOST_BYTES)
    throw RpcError.invalid(`the fields together are longer than ${MOST_BYTES} bytes: shorten them`);
  const fault =
    stray(form, plain, false) ??
    stray(form, secret, true) ??
    form.fields
      .map((field) => faultOf(field, values[field.name]))
      .find((one) => one !== undefined) ??
    form.check?.(values);
  if (fault !== undefined) throw RpcError.invalid(fault);
}
