import type { Lock } from './locks.ts';
import type { DavRequest } from './request.ts';
import { escapeText } from './xml/write.ts';

/** Value of `lockdiscovery` (RFC 4918 §15.8). */
export const activeLocks = (request: DavRequest, locks: readonly Lock[]): string =>
  locks.map((lock) => activeLock(request, lock)).join('');

function activeLock(request: DavRequest, lock: Lock): string {
  const scope = lock.exclusive ? 'exclusive' : 'shared';
  const left_s = Math.max(1, Math.ceil((lock.expires_at - request.now) / 1000));
  return [
    '<D:activelock>',
    `<D:lockscope><D:${scope}/></D:lockscope><D:locktype><D:write/></D:locktype>`,
    `<D:depth>${lock.deep ? 'infinity' : '0'}</D:depth>`,
    lock.owner,
    `<D:timeout>Second-${left_s}</D:timeout>`,
    `<D:locktoken><D:href>${escapeText(lock.token)}</D:href></D:locktoken>`,
    `<D:lockroot><D:href>${request.hrefOf(lock.path)}</D:href></D:lockroot>`,
    '</D:activelock>',
  ].join('');
}

const entry = (scope: string): string =>
  `<D:lockentry><D:lockscope><D:${scope}/></D:lockscope><D:locktype><D:write/></D:locktype></D:lockentry>`;

/** Value of `supportedlock` (RFC 4918 §15.10). */
export const SUPPORTED_LOCKS = entry('exclusive') + entry('shared');
