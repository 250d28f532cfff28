import { didYouMean } from '@svc/plugin-sdk/util';
import { checkValues, KINDS } from '../kinds/index.ts';
import { CHATS } from './chat.ts';
import { MAILS } from './mail.ts';
import { type Filled, fault, partsOf, type Reader } from './parts.ts';
import { PUSHES } from './push.ts';
import { WEB } from './web.ts';

export type { Filled } from './parts.ts';

const MOST = 4_000;
const READERS: { readonly [scheme: string]: Reader } = { ...CHATS, ...PUSHES, ...MAILS, ...WEB };

/**
 * Reads a URL of Apprise or Shoutrrr, or the address of a webhook, into the fields of a channel.
 * @throws RpcError 108 that says which part is missing; never with a part of the URL in its text
 */
export function readChannelUrl(text: string): Filled {
  if (text.length > MOST) throw fault(`is longer than ${MOST} characters`);
  const parts = partsOf(text);
  const reader = Object.hasOwn(READERS, parts.scheme) ? READERS[parts.scheme] : undefined;
  if (reader === undefined)
    throw fault(
      `has the scheme '${parts.scheme.slice(0, 40)}', which is not known${didYouMean(parts.scheme, Object.keys(READERS))}; choose the kind and fill in the form`,
    );
  const filled = reader(parts);
  const kind = KINDS.get(filled.kind);
  if (kind !== undefined) checkValues(kind, filled.config, filled.secret);
  return filled;
}
