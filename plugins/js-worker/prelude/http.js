/** Bodies, Request and Response. Bytes that the host holds stay there until they are read. */
(function http(api, { viewOf, encode, decode }, { make, list, pairsOf }) {
  const { define, sync, op, takeBytes, loaded } = api;
  const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
  const FORBIDDEN =
    /^(?:accept-charset|accept-encoding|access-control-request-headers|access-control-request-method|connection|content-length|cookie2?|date|dnt|expect|host|keep-alive|origin|referer|set-cookie|te|trailer|transfer-encoding|upgrade|via|proxy-.*|sec-.*)$/;
  const BANNED = /^(?:CONNECT|TRACE|TRACK)$/i;
  const NO_BODY = "Failed to construct 'Request': Request with GET/HEAD method cannot have body.";

  const is = (name, value) => {
    const Known = loaded[name];
    return Known !== undefined && value instanceof Known;
  };
  /** `{ text | bytes | stream | host, type }` of what a caller gives as body; null for none. */
  function extract(body) {
    if (body === undefined || body === null) return null;
    if (body instanceof URLSearchParams)
      return { text: body.toString(), type: 'application/x-www-form-urlencoded;charset=UTF-8' };
    if (is('ReadableStream', body)) {
      if (body.locked) throw new TypeError('ReadableStream is locked');
      return { stream: body };
    }
    if (is('Blob', body)) return { bytes: loaded.blobBytes(body), type: body.type || undefined };
    if (is('FormData', body)) return loaded.formBody(body);
    if (body instanceof ArrayBuffer || ArrayBuffer.isView(body)) return { bytes: viewOf(body) };
    return { text: String(body), type: 'text/plain;charset=UTF-8' };
  }

  async function bytesOf(body) {
    if (body === null) return new ArrayBuffer(0);
    if (body.bytes) return body.bytes;
    if (body.text !== undefined) return encode(body.text).buffer;
    if (body.stream) return joined(body.stream);
    await op('pull', body.host);
    return takeBytes(sync('body', body.host), true);
  }
  async function textOf(body) {
    if (body === null) return '';
    if (body.text !== undefined) return String(body.text).toWellFormed();
    const utf8 = { label: 'utf-8', fatal: false, ignoreBOM: false };
    if (body.host === undefined) return decode(await bytesOf(body), utf8);
    await op('pull', body.host);
    return decode(undefined, { ...utf8, body: body.host });
  }
  async function joined(stream) {
    const chunks = [];
    let length = 0;
    for await (const chunk of chunksOf(stream)) {
      chunks.push(chunk);
      length += chunk.length;
    }
    const whole = new Uint8Array(length);
    let at = 0;
    for (const chunk of chunks) {
      whole.set(chunk, at);
      at += chunk.length;
    }
    return whole.buffer;
  }
  async function* chunksOf(stream) {
    const reader = stream.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      if (!(value instanceof Uint8Array))
        throw new TypeError('a body stream must give Uint8Arrays');
      yield value;
    }
  }

  class Body {
    #body;
    #used = false;
    constructor(body) {
      this.#body = body;
    }
    static fill(one, body) {
      one.#body = body;
      return one;
    }
    static content = (one) => (one.bodyUsed ? null : one.#body);
    static take(one) {
      if (one.bodyUsed || one.#body?.stream?.locked) throw new TypeError('Body is already read');
      if (one.#body !== null) one.#used = true;
      return one.#body;
    }
    static split(one) {
      if (one.bodyUsed) throw new TypeError('Body is already read');
      const body = one.#body;
      if (!body?.stream) return body;
      const [left, right] = body.stream.tee();
      one.#body = { stream: left };
      return { stream: right };
    }
    get bodyUsed() {
      return this.#used;
    }
    get body() {
      const body = this.#body;
      if (body === null) return null;
      if (!body.stream) this.#body = { stream: streamOf(body) };
      return this.#body.stream;
    }
    async text() {
      return textOf(take(this));
    }
    async json() {
      const text = await textOf(take(this));
      if (text === '') throw new SyntaxError('JSON input is empty');
      return JSON.parse(text);
    }
    async arrayBuffer() {
      const body = take(this);
      const bytes = await bytesOf(body);
      return body?.bytes ? bytes.slice(0) : bytes;
    }
    async bytes() {
      return new Uint8Array(await this.arrayBuffer());
    }
    async blob() {
      const type = this.headers.get('content-type') ?? '';
      return new Blob([await this.arrayBuffer()], { type });
    }
    async formData() {
      const type = this.headers.get('content-type') ?? '';
      const bytes = await bytesOf(take(this));
      void FormData;
      return loaded.formOf((await op('form', type, bytes)).value);
    }
  }
  const { take, split, fill, content } = Body;
  for (const name of ['take', 'split', 'fill', 'content']) delete Body[name];

  function streamOf(body) {
    let at = 0;
    const { ReadableStream } = globalThis;
    return new ReadableStream(
      {
        async pull(controller) {
          if (body.host === undefined) {
            const bytes = new Uint8Array(await bytesOf(body));
            if (bytes.length > 0) controller.enqueue(bytes.slice());
            return controller.close();
          }
          const { value, bytes } = await op('chunk', [body.host, at]);
          if (value === null) return controller.close();
          at += value;
          return controller.enqueue(new Uint8Array(bytes));
        },
      },
      { highWaterMark: 0 },
    );
  }

  const dropped = (name, value) =>
    FORBIDDEN.test(name) || (/^x-(?:http-)?method(?:-override)?$/.test(name) && BANNED.test(value));
  const KNOWN_METHODS = /^(?:delete|get|head|options|post|put|patch)$/i;
  const methodOf = (method) => {
    const text = String(method);
    if (!TOKEN.test(text)) throw new TypeError(`Invalid method: ${text}`);
    if (BANNED.test(text)) throw new TypeError('This method is not allowed.');
    return KNOWN_METHODS.test(text) ? text.toUpperCase() : text;
  };

  class Request extends Body {
    #facts;
    constructor(input, init = {}) {
      const from = input instanceof Request ? input : undefined;
      const url = from ? from.url : String(input);
      if (/^[a-z][a-z0-9+.-]*:[\\/]*[^/?#\\]*@/i.test(url) && !from)
        throw new TypeError('Request URL must not hold credentials');
      const method = init.method !== undefined ? methodOf(init.method) : (from?.method ?? 'GET');
      const given = init.body !== undefined && init.body !== null;
      if (given && /^(?:GET|HEAD)$/.test(method)) throw new TypeError(NO_BODY);
      const body = given ? extract(init.body) : from ? take(from) : null;
      super(body);
      const headers =
        init.headers !== undefined ? pairsOf(init.headers) : from ? list(from.headers) : [];
      const kept = make(headers, dropped);
      if (body?.type && !kept.has('content-type')) kept.set('content-type', body.type);
      const redirect = init.redirect ?? from?.redirect ?? 'follow';
      if (!/^(?:follow|error|manual)$/.test(redirect)) throw new TypeError('Invalid redirect mode');
      this.#facts = { url, method, headers: kept, redirect };
    }
    /** A request with any URL, method and headers. */
    static arrived(body, facts) {
      const request = fill(new Request(''), body);
      request.#facts = { redirect: 'follow', ...facts };
      return request;
    }
    get url() {
      return this.#facts.url;
    }
    get method() {
      return this.#facts.method;
    }
    get headers() {
      return this.#facts.headers;
    }
    get redirect() {
      return this.#facts.redirect;
    }
    clone() {
      return arrived(split(this), { ...this.#facts, headers: make(list(this.headers), dropped) });
    }
    get [Symbol.toStringTag]() {
      return 'Request';
    }
  }

  const { arrived } = Request;
  delete Request.arrived;

  const NO_SET_COOKIE = (name) => name === 'set-cookie' || name === 'set-cookie2';
  class Response extends Body {
    #facts;
    constructor(body, init = {}) {
      const facts = init instanceof Response ? init : (init ?? {});
      const status = facts.status === undefined ? 200 : Math.trunc(Number(facts.status));
      if (!(status >= 200 && status <= 599))
        throw new RangeError(`Invalid response status: ${facts.status}`);
      const content = extract(body);
      if (content && [204, 205, 304].includes(status))
        throw new TypeError(`Response with status ${status} cannot have body`);
      super(content);
      const headers = make(pairsOf(facts.headers), NO_SET_COOKIE);
      if (content?.type && !headers.has('content-type')) headers.set('content-type', content.type);
      const statusText = String(facts.statusText ?? '');
      this.#facts = { status, statusText, headers, type: 'default', url: '', redirected: false };
    }
    /** A response with any status and headers. */
    static adopt(body, facts) {
      const response = fill(new Response(null), body);
      response.#facts = { statusText: '', type: 'default', url: '', redirected: false, ...facts };
      return response;
    }
    static isOne = (value) => typeof value === 'object' && value !== null && #facts in value;
    static json(value, init = {}) {
      const text = JSON.stringify(value);
      if (text === undefined) throw new TypeError('value is not JSON serializable');
      const response = new Response(text, init);
      if (!pairsOf(init?.headers).some(([name]) => name === 'content-type'))
        response.headers.set('content-type', 'application/json');
      return response;
    }
    static redirect(url, status = 302) {
      if (![301, 302, 303, 307, 308].includes(Number(status)))
        throw new RangeError('Invalid redirect status');
      return new Response(null, { status, headers: { location: new URL(url).href } });
    }
    static error() {
      return adopt(null, { status: 0, headers: make([]), type: 'error' });
    }
    get status() {
      return this.#facts.status;
    }
    get ok() {
      return this.status >= 200 && this.status <= 299;
    }
    get statusText() {
      return this.#facts.statusText;
    }
    get headers() {
      return this.#facts.headers;
    }
    get type() {
      return this.#facts.type;
    }
    get url() {
      return this.#facts.url;
    }
    get redirected() {
      return this.#facts.redirected;
    }
    clone() {
      return adopt(split(this), { ...this.#facts, headers: make(list(this.headers)) });
    }
    get [Symbol.toStringTag]() {
      return 'Response';
    }
  }
  const { adopt, isOne } = Response;
  delete Response.adopt;
  delete Response.isOne;

  define('Request', Request);
  define('Response', Response);
  return { take, content, extract, arrived, adopt, isOne, bytesOf, chunksOf, methodOf };
});
