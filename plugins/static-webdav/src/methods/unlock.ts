import { type Answer, failedCondition, Refusal } from '../answers.ts';
import { covers } from '../locks.ts';
import type { DavRequest } from '../request.ts';

/** Releases a lock (RFC 4918 §9.11). The Super Token may release any lock. */
export async function unlock(request: DavRequest): Promise<Answer> {
  const field = request.headers['lock-token'];
  const token = /^\s*<([^<>]+)>\s*$/.exec(typeof field === 'string' ? field : '')?.[1];
  if (token === undefined) throw new Refusal(400);
  const { bucket, key, now, parts } = request;
  await request.checkIf();
  const around = await parts.locks.around(bucket.id, key, { now, below: false });
  const held = around.find((lock) => lock.token === token && covers(lock, key));
  if (!held) throw failedCondition(409, '<D:lock-token-matches-request-uri/>');
  if (!request.owns(held)) throw new Refusal(403);
  await parts.locks.release(bucket.id, token);
  return { status: 204 };
}
