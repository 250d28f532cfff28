/** What leaves a script: fetch, calls of this server's methods, other workers, and the answer of a route. */
(function calls(api, { make, list, pairsOf }, bodies, http) {
  const { define, op, sync, handed, host, fail, brand } = api;
  const { take, content, extract, bytesOf, held, pulled, chunksOf, until, signalOf } = bodies;
  const { arrived, adopt, isOne, methodOf, redirectOf, signalGiven } = http;

  function orderOf(input, init) {
    const from = input instanceof Request ? input : undefined;
    const signal = init.signal === undefined ? from && signalGiven(from) : signalOf(init.signal);
    signal?.throwIfAborted();
    const method = init.method !== undefined ? methodOf(init.method) : (from?.method ?? 'GET');
    const given = init.body !== undefined && init.body !== null;
    if (given && /^(?:GET|HEAD)$/.test(method))
      throw new TypeError('GET and HEAD requests have no body');
    const body = given ? extract(init.body) : from ? take(from) : null;
    const headers =
      init.headers !== undefined ? pairsOf(init.headers) : from ? list(from.headers) : [];
    if (given && body.type && !headers.some(([name]) => name === 'content-type'))
      headers.push(['content-type', body.type]);
    const redirect = redirectOf(init.redirect ?? from?.redirect ?? 'follow');
    const url = new URL(from ? from.url : String(input)).href;
    return { order: { url, method, headers, redirect, body: body !== null }, body, signal };
  }
  /** Names a fetch and its body, whichever run of this context it is of; 0 is the request of a route. */
  let lastFetch = 0;
  define('fetch', async function fetch(input, init) {
    const { order, body, signal } = orderOf(input, init ?? {});
    const bytes = body === null ? undefined : await bytesOf(body);
    const key = ++lastFetch;
    const carried = held(key, signal, () => {
      sync('release', key);
      void op('cancel', key);
    });
    signal?.throwIfAborted();
    signal?.addEventListener('abort', carried.stop);
    let value;
    try {
      ({ value } = await until(signal, op('fetch', { ...order, key }, bytes)));
    } finally {
      if (!value?.body) signal?.removeEventListener('abort', carried.stop);
    }
    const { status, url, redirected, headers } = value;
    const [place] = url.split('#');
    return adopt(value.body ? carried : null, {
      status,
      url: place,
      redirected,
      headers: make(headers),
      type: 'basic',
    });
  });

  const isRequest = (entry) =>
    typeof entry === 'object' &&
    entry !== null &&
    entry.jsonrpc === '2.0' &&
    'id' in entry &&
    typeof entry.method === 'string';
  const refuse = (reason) => {
    throw new TypeError(`Error converting from js 'jsonrpc_module' into type 'String': ${reason}`);
  };
  function checked(entry) {
    if (!isRequest(entry)) refuse('an entry is no request: jsonrpc, id and method are needed');
    return entry;
  }
  async function call(...args) {
    const [first, params] = args;
    if (args.length === 0 || first === undefined) refuse('no request');
    if (typeof first !== 'string') return batchOr(first);
    const text = first.trim();
    if (args.length === 1 && /^[[{]/.test(text)) return rawCall(text);
    if (args.length === 1 && text === '') refuse('no request');
    if (args.length === 1 && !/^[a-z][\w-]*_\w+$/i.test(text)) refuse('not a request');
    const id = args.length > 2 ? args[2] : randomUUID();
    return single({
      jsonrpc: '2.0',
      method: first,
      ...(params === undefined ? {} : { params }),
      ...(id === undefined ? {} : { id }),
    });
  }
  const single = async (request) =>
    (await op('rpc', checked(JSON.parse(JSON.stringify(request) ?? 'null')))).value;
  async function batchOr(request) {
    if (!Array.isArray(request)) return single(request);
    const answers = [];
    for (const entry of request) answers.push(await single(entry));
    return answers;
  }
  /** The text goes to the server as it is: no number is rounded on the way. */
  async function rawCall(text) {
    let parsed;
    try {
      parsed = JSON.parse(text);
    } catch (error) {
      refuse(error.message);
    }
    if (Array.isArray(parsed)) return batchOr(parsed);
    checked(parsed);
    return (await op('rpctext', text)).value;
  }
  define(brand, call);

  const helper = async (method, params) => {
    const { result, error } = await call(method, params);
    if (error) throw new Error(error.message);
    return result;
  };
  define('execSql', (token, sql, params) =>
    helper(`${brand}-server_exec_sql`, { token, sql, params: params ?? null }),
  );
  define('getDatabaseType', (token) => helper(`${brand}-server_get_database_type`, { token }));
  define('db', {
    create: (token, name) => helper('db_create', { token, name }),
    read: (token, name) => helper('db_read', { token, name }),
    update: (token, name, newName) => helper('db_update', { token, name, new_name: newName }),
    remove: (token, name) => helper('db_delete', { token, name }),
    list: (token) => helper('db_list', { token }),
    execSql: (token, name, sql, params) =>
      helper('db_exec_sql', { token, name, sql, params: params ?? null }),
  });

  api.inlineCall = async function inlineCall(name, params, timeoutSec) {
    const worker = String(name).trim();
    if (worker === '') throw new Error('inlineCall js_worker_name cannot be empty');
    const seconds = timeoutSec === null || timeoutSec === undefined ? null : Number(timeoutSec);
    if (seconds !== null && !(Number.isFinite(seconds) && seconds > 0))
      throw new Error('inlineCall timeout_sec must be a positive finite number');
    let text;
    try {
      text = JSON.stringify(params) ?? 'null';
    } catch (error) {
      throw new Error(`inlineCall params is not JSON-serializable: ${error?.message ?? error}`);
    }
    return (await op('inline', { worker, seconds, params: text })).value;
  };
  define('inlineCall', api.inlineCall);

  /** The request of a route run: from HTTP (`route`), or described by a caller (`route-json`). */
  api.requestOf = (given, mode) => {
    if (mode === 'route') {
      const { url, method, headers, body } = given;
      const facts = { url, method: methodOf(method), headers: make(headers) };
      return arrived(body === null ? null : held(body), facts);
    }
    if (typeof given !== 'object' || given === null)
      throw new Error('onRoute input must be an object');
    const { url = '', method = 'GET', headers, body_base64, body_bytes } = given;
    const named = Array.isArray(headers) ? headers : [];
    const pairs = new Headers(named.map(({ name, value }) => [String(name), String(value ?? '')]));
    const bytes = body_base64
      ? Uint8Array.from(atob(body_base64), (byte) => byte.charCodeAt(0))
      : Array.isArray(body_bytes) && body_bytes.length > 0
        ? Uint8Array.from(body_bytes)
        : undefined;
    const request = new Request('', { method, headers: pairs, body: bytes });
    request.headers.delete('content-type');
    const type = pairs.get('content-type');
    if (type !== null) request.headers.set('content-type', type);
    return arrived(content(request), {
      url: String(url),
      method: request.method,
      headers: request.headers,
    });
  };

  async function sendStream(head, stream) {
    for await (const chunk of chunksOf(stream)) {
      const refused = host.out(new Uint8Array(chunk).buffer);
      if (refused !== '') throw new Error(refused ?? 'out of memory');
    }
    host.done('response', JSON.stringify({ ...head, out: true }));
  }
  function sendBytes(head, bytes) {
    const given = host.done('response', JSON.stringify(head), handed(bytes));
    if (given === undefined) throw new InternalError('out of memory');
  }
  /** The bytes go from where they are held to the client, past the script's heap. */
  async function sendHeld(head, body) {
    await pulled(body);
    host.done('response', JSON.stringify({ ...head, host: body.host }));
  }
  api.respond = (response) => {
    try {
      if (!isOne(response)) throw new Error('onRoute must return a Response object');
      const { status } = response;
      const head = { status, headers: list(response.headers) };
      const body = take(response);
      if (body === null) return host.done('response', JSON.stringify(head));
      if (body.text !== undefined)
        return host.done('response', JSON.stringify({ ...head, text: body.text }));
      const failed = (error) => fail('js_invoke', error);
      if (body.host !== undefined) return sendHeld(head, body).catch(failed);
      if (body.bytes) return sendBytes(head, body.bytes);
      return sendStream(head, body.stream).catch(failed);
    } catch (error) {
      return fail('js_invoke', error);
    }
  };
});
