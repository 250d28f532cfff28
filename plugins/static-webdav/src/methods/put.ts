import type { Stats } from 'node:fs';
import { codeOf } from '@svc/plugin-sdk/util';
import { type Answer, bucketFull, Refusal } from '../answers.ts';
import { etagOf } from '../etags.ts';
import { merged } from '../partial.ts';
import type { DavRequest } from '../request.ts';
import { lengthOf } from '../uploads.ts';

/**
 * Streams the body into a temporary file, which then replaces the target (static-http.md §B4). With `Content-Range` the
 * body replaces that part of the file; a chunked body has the length of the range.
 */
export async function put(request: DavRequest): Promise<Answer> {
  const field = request.headers['content-range'];
  if (field === undefined) return store(request, { isPart: false, content: (body) => body });
  const announced = lengthOf(request.headers);
  return store(request, {
    isPart: true,
    content(body, before) {
      const { start, end } = rangeOf(String(field), before?.size ?? 0);
      const length = end - start;
      if (announced !== undefined && announced !== length) throw new Refusal(400);
      return merged(request, ofLength(length, body), { start, end, before });
    },
  });
}

/** The part of the file that the body replaces. @throws Refusal 400 for a malformed field, 416 for an impossible range */
function rangeOf(field: string, size: number): { readonly start: number; readonly end: number } {
  const found = /^bytes[ \t]+(\d{1,15})-(\d{1,15})\/(\d{1,15}|\*)$/i.exec(field.trim());
  if (!found) throw new Refusal(400);
  const [first, last] = [Number(found[1]), Number(found[2])];
  const total = found[3] === '*' ? Number.POSITIVE_INFINITY : Number(found[3]);
  if (last < first || last >= total || first > size) throw new Refusal(416);
  return { start: first, end: last + 1 };
}

/** The body, which must have this length. @throws Refusal 400 at the first byte too many, or at the end */
async function* ofLength(length: number, body: Body): AsyncGenerator<Uint8Array, void> {
  let seen = 0;
  for await (const chunk of body) {
    seen += chunk.length;
    if (seen > length) throw new Refusal(400);
    yield chunk;
  }
  if (seen < length) throw new Refusal(400);
}

type Body = AsyncIterable<Uint8Array>;

interface Upload {
  /** Tells whether the body replaces only a part of the file. */
  readonly isPart: boolean;
  /** Makes the new content from the body and the old file. */
  content(body: Body, before: Stats | undefined): Body | Promise<Body>;
}

/** Replaces a file. Parts of one file are written one after the other, each into the result of the one before. */
export async function store(request: DavRequest, upload: Upload): Promise<Answer> {
  const { path, files, parts } = request;
  if (path.length === 0) throw new Refusal(403);
  await request.requireParent();
  const real = await files.prepare(path);
  if (!upload.isPart) return replace(request, upload, real);
  return parts.turns.run(`part of ${real}`, () => replace(request, upload, real));
}

async function replace(request: DavRequest, upload: Upload, real: string): Promise<Answer> {
  const { path, files, exchange, parts } = request;
  const before = await request.look();
  await mayStore(request, before);
  if (!upload.isPart) await requireRoom(request, before?.size ?? 0);
  let end = () => {};
  // From the last check of the target to its replacement no other request changes it.
  const lastLook = async () => {
    end = await parts.turns.acquire(real);
    if (request.caller.ended.aborted) throw new Refusal(403);
    const found = await request.look();
    await mayStore(request, found);
    if (upload.isPart && !isSame(found, before)) throw new Refusal(409);
  };
  try {
    const { created, stat } = await parts.uploads.receive(exchange, async (body) =>
      files.write(path, checkedAtEnd(await upload.content(body, before), lastLook)),
    );
    if (created) await request.created();
    return { status: created ? 201 : 204, headers: writtenHeaders(stat) };
  } catch (error) {
    // The directory was removed meanwhile, or the file whose part is written.
    throw codeOf(error) === 'ENOENT' ? new Refusal(409) : error;
  } finally {
    end();
  }
}

const isSame = (a: Stats | undefined, b: Stats | undefined): boolean =>
  (a && etagOf(a)) === (b && etagOf(b));

/** Checks that the target may be replaced. @throws Refusal 403 for a directory, 412, 423 */
async function mayStore(request: DavRequest, found: Stats | undefined): Promise<void> {
  if (found?.isDirectory()) throw new Refusal(403);
  await request.checkConditions(found);
  await request.checkLocks({ path: request.key, member: found === undefined });
}

/** The body, followed by a check: an upload may take hours, and the conditions must hold at its end too. */
async function* checkedAtEnd(
  body: Body,
  check: () => Promise<void>,
): AsyncGenerator<Uint8Array, void> {
  yield* body;
  await check();
}

/** Checks the free space before the body is read. @throws Refusal 507 when the body does not fit in the place of what it replaces */
async function requireRoom(request: DavRequest, replaced: number): Promise<void> {
  const length = lengthOf(request.headers);
  if (length === undefined || length === 0) return;
  const { available_bytes } = await request.files.quota(length - replaced);
  if (length <= available_bytes + replaced) return;
  throw bucketFull(
    'neither the bucket (max_bucket_bytes under [static-bucket]) nor the disk has so much room left',
  );
}

const writtenHeaders = (stat: Stats) => ({
  etag: etagOf(stat),
  'last-modified': new Date(stat.mtimeMs).toUTCString(),
  'accept-ranges': 'bytes',
});
