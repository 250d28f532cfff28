/** `fetch`, and what a handler of requests is given and gives. */
(function fetching(api, { make, list, pairsOf }, bodies, http) {
  const { define, op, sync, handed, host, fail } = api;
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
  /** Names a fetch and its body, whichever run of this context it is of; 0 is the request that a handler was given. */
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

  /** The request of a run: from HTTP (`request`), or described by a caller (`request-json`). */
  api.requestOf = (given, mode, handler) => {
    if (mode === 'request') {
      const { url, method, headers, body } = given;
      const facts = { url, method: methodOf(method), pairs: headers, redirect: 'follow' };
      return arrived(body === null ? null : held(body), facts);
    }
    if (typeof given !== 'object' || given === null)
      throw new Error(`${handler} input must be an object`);
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
      redirect: 'follow',
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
  api.respond = (response, handler) => {
    try {
      if (!isOne(response)) throw new Error(`${handler} must return a Response object`);
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
