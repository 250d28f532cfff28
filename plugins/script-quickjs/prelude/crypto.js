/** `crypto`: random values, digests, and HMAC with keys that a script brings. The host does the work. */
(function crypto(api) {
  const { sync, takeBytes, tagOf, viewOf } = api;
  const HASHES = ['SHA-1', 'SHA-256', 'SHA-384', 'SHA-512'];
  const USAGES = ['sign', 'verify'];
  const fail = (name, message) => {
    throw new DOMException(message, name);
  };
  const nameOf = (algorithm) =>
    String(typeof algorithm === 'string' ? algorithm : algorithm?.name).toUpperCase();
  const demandHmac = (algorithm) => {
    const name = nameOf(algorithm);
    if (name !== 'HMAC') fail('NotSupportedError', `Unrecognized algorithm: ${name}`);
  };

  const MADE = Symbol('made');
  class CryptoKey {
    #secret;
    constructor(made, facts, secret) {
      if (made !== MADE) throw new TypeError('Illegal constructor');
      Object.assign(this, facts);
      Object.freeze(this);
      this.#secret = secret;
    }
    static secretOf(key, usage) {
      if (!(key instanceof CryptoKey && #secret in key)) throw new TypeError('not a CryptoKey');
      if (!key.usages.includes(usage))
        fail('InvalidAccessError', `the key was not imported for '${usage}'`);
      return key.#secret;
    }
  }
  const { secretOf } = CryptoKey;
  delete CryptoKey.secretOf;

  const hmac = (key, usage, data) => {
    const secret = secretOf(key, usage);
    return takeBytes(sync('hmac', [key.algorithm.hash.name, secret], viewOf(data)));
  };

  const subtle = {
    async digest(algorithm, data) {
      return takeBytes(sync('digest', nameOf(algorithm), viewOf(data)));
    },
    async importKey(format, keyData, algorithm, extractable, usages) {
      if (format !== 'raw')
        fail('NotSupportedError', `keys are imported as 'raw', not '${format}'`);
      demandHmac(algorithm);
      if (algorithm?.hash === undefined) throw new TypeError('HMAC needs a hash');
      const hash = nameOf(algorithm.hash);
      if (!HASHES.includes(hash)) fail('NotSupportedError', `Unrecognized algorithm: ${hash}`);
      const asked = [...usages];
      if (asked.length === 0 || asked.some((usage) => !USAGES.includes(usage)))
        fail('SyntaxError', "the usages of a HMAC key are 'sign' and 'verify'");
      const bytes = viewOf(keyData);
      const length = bytes.byteLength * 8;
      if (length === 0 || (algorithm.length ?? length) !== length)
        fail('DataError', 'the key is empty, or has another length');
      const facts = {
        type: 'secret',
        extractable: Boolean(extractable),
        algorithm: Object.freeze({ name: 'HMAC', hash: Object.freeze({ name: hash }), length }),
        usages: Object.freeze(USAGES.filter((usage) => asked.includes(usage))),
      };
      return new CryptoKey(MADE, facts, sync('hex', null, bytes));
    },
    async sign(algorithm, key, data) {
      demandHmac(algorithm);
      return hmac(key, 'sign', data);
    },
    async verify(algorithm, key, signature, data) {
      demandHmac(algorithm);
      const given = new Uint8Array(viewOf(signature));
      const made = new Uint8Array(hmac(key, 'verify', data));
      let differs = given.length ^ made.length;
      // All bytes are looked at: the time says nothing about the first one that differs.
      for (let at = 0; at < made.length; at++) differs |= made[at] ^ given[at];
      return differs === 0;
    },
  };

  return {
    CryptoKey,
    crypto: {
      subtle,
      randomUUID: () => sync('uuid', null),
      getRandomValues(array) {
        if (!/^Big|int/i.test(tagOf(array) ?? ''))
          fail('TypeMismatchError', 'not an integer array');
        const random = new Uint8Array(takeBytes(sync('random', array.byteLength)));
        new Uint8Array(array.buffer, array.byteOffset, array.byteLength).set(random);
        return array;
      },
    },
  };
});
