import { nextSlice } from '@svc/fair-turns';
import { RpcError } from '@svc/plugin-sdk';
import { Cursor, camelOf, jsonAt, OPEN_LIST, OPEN_OBJECT, type Span } from '@svc/plugin-sdk/json';
import type { Incoming } from '@svc/plugin-sdk/kernel';

/** A message over this must show a valid credential before it is parsed, bytes. */
export const UNAUTHENTICATED_BYTES = 256 * 1024;
/** Longest name of a method, and longest credential, bytes of JSON. */
export const LONGEST_NAME = 512;
const LONGEST_CREDENTIAL = 8 * 1024;
const MOST_MEMBERS = 1_000;

const OVER = `a message of more than ${UNAUTHENTICATED_BYTES} bytes`;

/** The members of the object that begins at the cursor. @throws SyntaxError also for more than a thousand */
export async function membersOf(cursor: Cursor): Promise<Span[]> {
  const members: Span[] = [];
  for (const span of cursor.items()) {
    if (!span) await nextSlice();
    else if (members.push(span) > MOST_MEMBERS) throw new SyntaxError('too many members');
  }
  return members;
}

/** The only member of this name. */
export function only(members: readonly Span[], name: string): Span | undefined {
  const found = members.filter((member) => member.name === name);
  return found.length === 1 ? found[0] : undefined;
}

/** The string that stands there; undefined for anything else, and for a longer one. */
export function shortString(bytes: Buffer, span: Span | undefined, most: number) {
  if (!span || span.end - span.start > most) return undefined;
  const value = jsonAt(bytes, span);
  return typeof value === 'string' ? value : undefined;
}

/** Finds the credentials of a long message by the rules of the parser, and has them checked. */
export class CredentialCheck {
  readonly #incoming: Incoming;
  /** Method and credential of the last entry: those of a batch are mostly the same. */
  #last = '';

  constructor(incoming: Incoming) {
    this.#incoming = incoming;
  }

  /** @returns the credential of the call with these members, which is valid. @throws RpcError when there is none */
  async credentialOf(members: readonly Span[]): Promise<string> {
    const { bytes } = this.#incoming;
    const method = shortString(bytes, only(members, 'method'), LONGEST_NAME);
    if (method === undefined) throw invalid(`${OVER} must be a call with a valid credential`);
    const parameter = this.#incoming.credentialOf(method);
    if (parameter === undefined)
      throw invalid(`'${method}' takes no credential, and ${OVER} must show one: send less`);
    const span = await this.#credentialSpan(only(members, 'params'), parameter);
    const credential = shortString(bytes, span, LONGEST_CREDENTIAL);
    if (credential === undefined)
      throw RpcError.params(`missing field \`${parameter}\`: ${OVER} must show a valid credential`);
    const shown = `${method} ${credential}`;
    if (shown !== this.#last) await this.#incoming.authenticate(method, credential);
    this.#last = shown;
    return credential;
  }

  async #credentialSpan(params: Span | undefined, parameter: string): Promise<Span | undefined> {
    const { bytes } = this.#incoming;
    if (!params) return undefined;
    const cursor = new Cursor(bytes, params.start, params.end);
    const opening = bytes[params.start];
    if (opening === OPEN_LIST) {
      for (const span of cursor.items()) {
        if (span) return span;
        await nextSlice();
      }
    }
    if (opening !== OPEN_OBJECT) return undefined;
    const camel = camelOf(parameter);
    const members = await membersOf(cursor);
    const found = members.filter(({ name }) => name === parameter || name === camel);
    if (found.length > 1) throw RpcError.params(`duplicate field \`${parameter}\``);
    return found[0];
  }
}

const invalid = (data: string) => new RpcError(-32600, 'Invalid request', { data });
