import { described, type Methods, RpcError, Type } from '@svc/plugin-sdk';
import { RawJson } from '@svc/plugin-sdk/json';
import { JsonText } from '@svc/plugin-sdk/schemas';
import type { Kv } from '../kv.ts';
import { LARGE, largeValueText, measureLarge } from '../large-value.ts';
import { checkLimit, PREFIX } from '../limits.ts';
import { checkKey, checkLength, checkText } from '../names.ts';
import type { Item } from '../patterns.ts';
import { mayDelete, mayRead, mayWrite } from '../permissions.ts';
import { checkValue, valueText, zeroAt } from '../value.ts';
import { isFull, noNamespace, Success } from './shared.ts';

const NULL = new RawJson('null');

const Names = {
  namespace: Type.String({ description: 'Name of the namespace.' }),
  key: Type.String({ description: 'Exact key; no pattern.' }),
};

const withSoundNames = ({ namespace, key }: Item): Item => {
  checkText('namespace', namespace);
  checkText('key', key);
  checkKey(key);
  return { namespace, key };
};

/** Values are data; limits of the history are settings. */
const setting = ({ namespace, key }: Item): string | undefined =>
  key.startsWith(PREFIX) ? `${namespace}/${key}` : undefined;

/** Methods on one key. */
export function addValueMethods(methods: Methods, kv: Kv): void {
  addSet(methods, kv);
  addGet(methods, kv);
  addDelete(methods, kv);
}

function addSet(methods: Methods, { refuseZero, set, maxValueBytes, maxNamespaceBytes }: Kv): void {
  methods.add('kv_set_value', {
    summary: 'Stores a value under a key of an existing namespace.',
    params: { ...Names, value: described(JsonText, 'Any JSON.') },
    result: Success,
    audit: setting,
    prepare({ namespace, key, value }) {
      const text = String(value.text);
      const isLarge = text.length > LARGE;
      const isStoredForm = !isLarge && checkValue(text);
      return { ...withSoundNames({ namespace, key }), text, isLarge, isStoredForm };
    },
    access: mayWrite,
    async check(input) {
      const { namespace, key, isLarge } = input;
      checkLength('namespace', namespace);
      checkLength('key', key);
      // Writing the value in its stored form takes long, so it waits until the caller's right is known.
      if (isLarge) input.text = await largeValueText(input.text);
      else if (!input.isStoredForm) input.text = valueText(input.text);
      const { text } = input;
      const most = maxValueBytes();
      const { bytes, holdsZero } = isLarge
        ? await measureLarge(text)
        : { bytes: Buffer.byteLength(text), holdsZero: zeroAt(text) };
      if (bytes > most) throw RpcError.invalid(`value is longer than ${most} bytes`);
      refuseZero(namespace, key, holdsZero ? '\0' : '');
      checkLimit(namespace, key, text);
    },
    async handle({ namespace, key, text }) {
      const fate = await set({ namespace, key, value: text });
      if (fate === 'missing') throw noNamespace(namespace);
      if (fate === 'full') throw isFull(namespace, maxNamespaceBytes());
      return { success: true as const };
    },
  });
}

function addGet(methods: Methods, { refuseZero, reads }: Kv): void {
  methods.add('kv_get_value', {
    summary: 'The value of a key, null when the key is missing.',
    params: Names,
    result: Type.Unknown(),
    prepare: withSoundNames,
    access: mayRead,
    check: ({ namespace, key }) => refuseZero(namespace, key),
    async handle({ namespace, key }) {
      const text = await reads.value(namespace, key);
      if (text === undefined) throw noNamespace(namespace);
      return text === null ? NULL : new RawJson(text);
    },
  });
}

function addDelete(methods: Methods, { refuseZero, writes }: Kv): void {
  methods.add('kv_delete_key', {
    summary: 'Deletes a key; a missing key is no error.',
    params: Names,
    result: Success,
    audit: setting,
    prepare: withSoundNames,
    access: mayDelete,
    check: ({ namespace, key }) => refuseZero(namespace, key),
    async handle({ namespace, key }) {
      if (!(await writes.deleteKey(namespace, key))) throw noNamespace(namespace);
      return { success: true as const };
    },
  });
}
