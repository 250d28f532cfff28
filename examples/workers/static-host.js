// Serves files from a namespace of the key-value store, and takes uploads from callers with the right to write there.
// Rights of env.token, and env: README.md.

const TYPES = {
  css: 'text/css;charset=utf-8',
  html: 'text/html;charset=utf-8',
  ico: 'image/x-icon',
  js: 'text/javascript;charset=utf-8',
  json: 'application/json',
  png: 'image/png',
  svg: 'image/svg+xml',
  txt: 'text/plain;charset=utf-8',
};
const PREFIX = /^(?:\/svc)?\/worker-route\/[^/]+/;
const CORS = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, HEAD, PUT, DELETE, OPTIONS',
  'access-control-allow-headers': 'authorization, content-type',
};

const text = (status, body) => new Response(body, { status, headers: CORS });

function keyOf(request) {
  const path = decodeURIComponent(new URL(request.url).pathname.replace(PREFIX, ''));
  const clean = path.replace(/^\/+/, '');
  return clean === '' || clean.endsWith('/') ? `${clean}index.html` : clean;
}

async function read(request, { token, namespace }, key) {
  const { result, error } = await svc('kv_get_value', { token, namespace, key });
  if (error) throw new Error(error.message);
  if (result === null) return text(404, 'Not found');
  const extension = key.slice(key.lastIndexOf('.') + 1).toLowerCase();
  const headers = {
    ...CORS,
    'content-type': TYPES[extension] ?? 'application/octet-stream',
    'cache-control': 'no-cache',
    etag: result.etag,
  };
  if (request.headers.get('if-none-match') === result.etag)
    return new Response(null, { status: 304, headers });
  return new Response(Buffer.from(result.base64, 'base64'), { headers });
}

const hex = (bytes) => Buffer.from(bytes).toString('hex');

/** Writes with the caller's own credential: the server decides whether it may. */
async function write(request, { namespace }, key) {
  const [scheme, token] = (request.headers.get('authorization') ?? '').split(' ');
  if (scheme !== 'Bearer' || !token) return text(401, 'Bearer credential required');
  const place = { token, namespace, key };
  if (request.method === 'DELETE') return answer(await svc('kv_delete_key', place), 204);
  const bytes = await request.arrayBuffer();
  const etag = `"${hex(await crypto.subtle.digest('SHA-256', bytes)).slice(0, 32)}"`;
  const value = { etag, base64: Buffer.from(bytes).toString('base64') };
  return answer(await svc('kv_set_value', { ...place, value }), 201);
}

const answer = ({ error }, status) =>
  error ? text(error.code === 102 ? 403 : 400, error.message) : text(status, null);

export default {
  onRoute(request, env) {
    if (request.method === 'OPTIONS') return text(200, null);
    const key = keyOf(request);
    if (request.method === 'GET' || request.method === 'HEAD') return read(request, env, key);
    if (request.method === 'PUT' || request.method === 'DELETE') return write(request, env, key);
    return text(405, 'GET, HEAD, PUT, DELETE or OPTIONS');
  },
};
