/** Request and Response. */
(function http(api, { make, given, copy, list, typed, pairsOf }, bodies) {
  const { define } = api;
  const { Body, take, split, fill, content, extract, signalOf } = bodies;
  const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
  const FORBIDDEN =
    /^(?:accept-charset|accept-encoding|access-control-request-headers|access-control-request-method|connection|content-length|cookie2?|date|dnt|expect|host|keep-alive|origin|referer|set-cookie|te|trailer|transfer-encoding|upgrade|via|proxy-.*|sec-.*)$/;
  const BANNED = /^(?:CONNECT|TRACE|TRACK)$/i;
  const REASON = /^[\t\x20-\x7e\x80-\xff]*$/;
  const NO_BODY = "Failed to construct 'Request': Request with GET/HEAD method cannot have body.";

  const dropped = (name, value) =>
    FORBIDDEN.test(name) || (/^x-(?:http-)?method(?:-override)?$/.test(name) && BANNED.test(value));
  const KNOWN_METHODS = /^(?:delete|get|head|options|post|put|patch)$/i;
  const methodOf = (method) => {
    if (method === 'GET' || method === 'POST') return method;
    const text = String(method);
    if (!TOKEN.test(text)) throw new TypeError(`Invalid method: ${text}`);
    if (BANNED.test(text)) throw new TypeError('This method is not allowed.');
    return KNOWN_METHODS.test(text) ? text.toUpperCase() : text;
  };

  const redirectOf = (given) => {
    const redirect = String(given);
    if (!/^(?:follow|error|manual)$/.test(redirect)) throw new TypeError('Invalid redirect mode');
    return redirect;
  };

  /** Marker in the place of the first argument: the constructor checks nothing, its caller gives all. */
  const BARE = {};
  class Request extends Body {
    #facts;
    constructor(input, options) {
      if (input === BARE) {
        super(null);
        return;
      }
      const init = options ?? {};
      const from = input instanceof Request ? input : undefined;
      const url = from ? from.url : String(input);
      if (/^[a-z][a-z0-9+.-]*:[\\/]*[^/?#\\]*@/i.test(url) && !from)
        throw new TypeError('Request URL must not hold credentials');
      const method = init.method !== undefined ? methodOf(init.method) : (from?.method ?? 'GET');
      const hasBody = init.body !== undefined && init.body !== null;
      const carried = !hasBody && from !== undefined && content(from) !== null;
      if ((hasBody || carried) && /^(?:GET|HEAD)$/.test(method)) throw new TypeError(NO_BODY);
      const body = hasBody ? extract(init.body) : from ? take(from) : null;
      super(body);
      const headers =
        init.headers !== undefined ? pairsOf(init.headers) : from ? list(from.headers) : [];
      const kept = make(headers, dropped);
      if (hasBody && body.type) typed(kept, body.type);
      const redirect = redirectOf(init.redirect ?? from?.redirect ?? 'follow');
      const signal = init.signal === undefined ? from && signalGiven(from) : signalOf(init.signal);
      this.#facts = { url, method, headers: kept, redirect, signal };
    }
    /** A request with any URL, method and headers, which may come as checked `pairs`. */
    static arrived(body, facts) {
      const request = fill(new Request(BARE), body);
      request.#facts = facts;
      return request;
    }
    /** Undefined until the script has asked for one. */
    static given = (request) => request.#facts.signal;
    get url() {
      return this.#facts.url;
    }
    get method() {
      return this.#facts.method;
    }
    get headers() {
      const facts = this.#facts;
      facts.headers ??= given(facts.pairs);
      return facts.headers;
    }
    get redirect() {
      return this.#facts.redirect;
    }
    get signal() {
      this.#facts.signal ??= new AbortController().signal;
      return this.#facts.signal;
    }
    clone() {
      return arrived(split(this), { ...this.#facts, headers: copy(this.headers) });
    }
    get [Symbol.toStringTag]() {
      return 'Request';
    }
  }

  const { arrived, given: signalGiven } = Request;
  for (const name of ['arrived', 'given']) delete Request[name];

  const NO_SET_COOKIE = (name) => /^set-cookie2?$/.test(name) && !api.cookies;
  class Response extends Body {
    #facts;
    constructor(body, init = {}) {
      const facts = init instanceof Response ? init : (init ?? {});
      const status = facts.status === undefined ? 200 : Math.trunc(Number(facts.status));
      if (!(status >= 200 && status <= 599))
        throw new RangeError(`Invalid response status: ${facts.status}`);
      const content = extract(body);
      if (content && (status === 204 || status === 205 || status === 304))
        throw new TypeError(`Response with status ${status} cannot have body`);
      super(content);
      const headers = make(pairsOf(facts.headers), NO_SET_COOKIE);
      if (content?.type) typed(headers, content.type);
      const statusText = String(facts.statusText ?? '');
      if (statusText !== '' && !REASON.test(statusText)) throw new TypeError('Invalid statusText');
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
      return adopt(split(this), { ...this.#facts, headers: copy(this.headers) });
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
  return { arrived, adopt, isOne, methodOf, redirectOf, signalGiven };
});
