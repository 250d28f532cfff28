/** Globals that are evaluated at their first use; a first write replaces them unread. */
(function lazy(api) {
  const { host } = api;
  const { defineProperty } = Reflect;
  const evaluated = {};
  function group(file) {
    evaluated[file] ??= host.load(file)(api);
    return evaluated[file];
  }
  function add(file, names) {
    for (const name of names) {
      const put = (value) =>
        defineProperty(globalThis, name, {
          value,
          writable: true,
          configurable: true,
          enumerable: false,
        });
      defineProperty(globalThis, name, {
        get() {
          const value = group(file)[name];
          put(value);
          return value;
        },
        set: put,
        configurable: true,
        enumerable: false,
      });
    }
  }
  add('streams', [
    'ReadableStream',
    'ReadableStreamDefaultController',
    'ReadableByteStreamController',
    'ReadableStreamBYOBRequest',
    'ReadableStreamDefaultReader',
    'ReadableStreamBYOBReader',
    'WritableStream',
    'WritableStreamDefaultController',
    'WritableStreamDefaultWriter',
    'ByteLengthQueuingStrategy',
    'CountQueuingStrategy',
    'TransformStream',
    'TransformStreamDefaultController',
  ]);
  add('buffer', ['Buffer']);
  add('blob', ['Blob', 'File', 'FormData']);
  add('abort', ['Event', 'EventTarget', 'AbortSignal', 'AbortController']);
  add('clone', ['structuredClone']);
  add('crypto', ['crypto', 'CryptoKey']);
  if (typeof DisposableStack === 'undefined')
    add('dispose', ['DisposableStack', 'AsyncDisposableStack', 'SuppressedError']);
  for (const name of ['dispose', 'asyncDispose']) {
    if (Symbol[name] === undefined)
      defineProperty(Symbol, name, { value: Symbol(`Symbol.${name}`) });
  }
});
