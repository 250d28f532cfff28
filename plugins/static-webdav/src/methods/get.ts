import { type Answer, Refusal } from '../answers.ts';
import { etagOf } from '../etags.ts';
import type { DavRequest } from '../request.ts';
import { allowed } from './options.ts';

/** GET and HEAD (static-http.md §B5). @returns undefined when the file server has answered */
export async function get(request: DavRequest): Promise<Answer | undefined> {
  await request.checkIf();
  const { server } = request.parts;
  const file = await request.files.open(request.path);
  try {
    const { stat } = file;
    if (stat.isDirectory()) return ofDirectory(request, stat);
    const etag = etagOf(stat);
    const mtime_ms = Math.max(0, Math.floor(stat.mtimeMs));
    const modified = new Date(mtime_ms).toUTCString();
    await server.serve(request.exchange, {
      size: stat.size,
      mtime_ms,
      etag,
      common: ['etag', etag, 'last-modified', modified, 'accept-ranges', 'bytes'],
      entity: ['content-type', server.mediaType(request.path.at(-1) ?? '')],
      body: file,
      multipart: true,
      strongOnly: true,
    });
    return undefined;
  } finally {
    await file.close();
  }
}

function ofDirectory(request: DavRequest, stat: Parameters<typeof allowed>[1]): Answer {
  if (request.slash) throw new Refusal({ status: 405, headers: { allow: allowed(request, stat) } });
  return { status: 302, headers: { location: request.href(request.path, true) } };
}
