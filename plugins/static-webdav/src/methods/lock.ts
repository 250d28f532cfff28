import { randomUUID } from 'node:crypto';
import { open } from 'node:fs/promises';
import { codeOf } from '@svc/plugin-sdk/util';
import { type Answer, failedCondition, Refusal, XML_TYPE } from '../answers.ts';
import { xmlBody } from '../bodies.ts';
import { parseIf, tokensOf } from '../if-header.ts';
import { activeLocks } from '../lock-elements.ts';
import { covers, type Lock } from '../locks.ts';
import { BEGIN, END, responseElement, statusElement } from '../multistatus.ts';
import { MAX_KEY_BYTES } from '../paths.ts';
import { type DavRequest, depthOf } from '../request.ts';
import { davChildren, type Element, elementsOf, isDav } from '../xml/parse.ts';
import { elementText, PROLOGUE } from '../xml/write.ts';

const SECOND_MS = 1000;
/** Longest life of a lock. Clients renew it. */
const MAX_TIMEOUT_S = 120;
const MAX_OWNER_BYTES = 4_096;

/** Takes or renews a lock (RFC 4918 §9.10). A missing resource is made as an empty file (§7.3). */
export async function lock(request: DavRequest): Promise<Answer> {
  const depth = depthOf(request);
  if (depth === '1') throw new Refusal(400);
  const root = await xmlBody(request);
  if (!root) return renew(request);
  const wanted = wantedLock(request, root, depth !== '0');
  if (Buffer.byteLength(request.key) > MAX_KEY_BYTES) throw new Refusal(414);
  if (request.path.length > 0) await request.requireParent();
  const found = await request.look();
  await request.checkConditions(found);
  if (!found) await request.checkLocks({ path: request.key, member: true });
  await grant(request, wanted);
  const made = !found && (await makeEmpty(request, wanted));
  return granted(request, wanted, { status: made ? 201 : 200, withToken: true });
}

/** @throws Refusal 400 */
function wantedLock(request: DavRequest, root: Element, deep: boolean): Lock {
  const scopes = davChildren(root, 'lockscope').flatMap(elementsOf);
  const types = davChildren(root, 'locktype').flatMap(elementsOf);
  const scope = ['exclusive', 'shared'].find((word) => scopes.some((each) => isDav(each, word)));
  const isWrite = types.some((each) => isDav(each, 'write'));
  if (!isDav(root, 'lockinfo') || scopes.length !== 1 || !scope || !isWrite) throw new Refusal(400);
  const [stated] = davChildren(root, 'owner');
  const owner = stated ? elementText(stated) : '';
  if (Buffer.byteLength(owner) > MAX_OWNER_BYTES) throw new Refusal(400);
  return {
    token: `opaquelocktoken:${randomUUID()}`,
    path: request.key,
    deep,
    exclusive: scope === 'exclusive',
    owner,
    principal: request.caller.id,
    expires_at: expiry(request),
  };
}

/** Returns when a lock expires: by the first value of `Timeout`, at most 120 seconds from now, which is also the default. */
function expiry({ headers, now }: DavRequest): number {
  const first =
    String(headers['timeout'] ?? '')
      .split(',', 1)[0]
      ?.trim() ?? '';
  const given = Number(/^Second-(\d{1,10})$/i.exec(first)?.[1] ?? MAX_TIMEOUT_S);
  return now + Math.max(1, Math.min(given, MAX_TIMEOUT_S)) * SECOND_MS;
}

/** @throws Refusal 423, 207, 507 */
async function grant(request: DavRequest, wanted: Lock): Promise<void> {
  const { bucket, parts, now } = request;
  const outcome = await parts.locks.grant(bucket.id, wanted, now);
  if (outcome === 'granted') return;
  if (outcome === 'full') throw new Refusal(507);
  const held = outcome.conflicting[0] as Lock;
  const direct = outcome.conflicting.find((each) => covers(each, wanted.path));
  if (direct) {
    const href = `<D:href>${request.hrefOf(direct.path)}</D:href>`;
    throw failedCondition(423, `<D:no-conflicting-lock>${href}</D:no-conflicting-lock>`);
  }
  const body = [
    BEGIN,
    responseElement(request.hrefOf(held.path), statusElement(423)),
    responseElement(request.hrefOf(wanted.path), statusElement(424)),
    END,
  ];
  throw new Refusal({ status: 207, headers: XML_TYPE, body: body.join('') });
}

/** Makes an empty file. @returns false when it has been made meanwhile */
async function makeEmpty(request: DavRequest, wanted: Lock): Promise<boolean> {
  const { bucket, files, path, parts } = request;
  try {
    await files.charge();
    const handle = await open(await files.prepare(path), 'wx');
    await handle.close();
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    await parts.locks.release(bucket.id, wanted.token);
    throw error;
  }
  parts.buckets.touch();
  await request.created();
  return true;
}

/** Renews a lock. @throws Refusal 400 without exactly one token, 412 for an unknown lock, 403 for a lock of another credential */
async function renew(request: DavRequest): Promise<Answer> {
  const field = request.headers['if'];
  if (typeof field !== 'string') throw new Refusal(400);
  const [token, ...more] = tokensOf(parseIf(field));
  if (token === undefined || more.length > 0) throw new Refusal(400);
  await request.checkIf();
  const { bucket, key, now, parts } = request;
  const held = (await parts.locks.around(bucket.id, key, { now, below: false })).find(
    (each) => each.token === token && covers(each, key),
  );
  if (!held) throw new Refusal(412);
  if (!request.owns(held)) throw new Refusal(403);
  const expires_at = expiry(request);
  if (!(await parts.locks.renew(bucket.id, token, { now, expires_at }))) throw new Refusal(412);
  return granted(request, { ...held, expires_at }, { status: 200, withToken: false });
}

/** The answer to a LOCK. The own lock comes first, because some clients read only the first one. */
async function granted(
  request: DavRequest,
  own: Lock,
  { status, withToken }: { status: number; withToken: boolean },
): Promise<Answer> {
  const { bucket, key, now, parts } = request;
  const around = await parts.locks.around(bucket.id, key, { now, below: false });
  const others = around.filter((each) => each.token !== own.token && covers(each, key));
  const locks = activeLocks(request, [own, ...others]);
  return {
    status,
    headers: { ...XML_TYPE, ...(withToken ? { 'lock-token': `<${own.token}>` } : {}) },
    body: `${PROLOGUE}<D:prop xmlns:D="DAV:"><D:lockdiscovery>${locks}</D:lockdiscovery></D:prop>`,
  };
}
