import { JsonText, type Methods, RawJson, RpcError, Type } from '@svc/plugin-sdk';
import { checkKey, checkLength, checkText } from '../names.ts';
import type { KvParts } from '../parts.ts';
import type { Item } from '../patterns.ts';
import { mayDelete, mayRead, mayWrite } from '../permissions.ts';
import { checkValue, holdsZero, valueText } from '../value.ts';
import { noNamespace, Success } from './shared.ts';

const NULL = new RawJson('null');

/** Methods on one key. */
export function addValueMethods(methods: Methods, parts: KvParts): void {
  const { refuseZero, reads, writes } = parts;
  const Names = { namespace: Type.String(), key: Type.String() };

  const withSoundNames = ({ namespace, key }: Item): Item => {
    checkText('namespace', namespace);
    checkText('key', key);
    checkKey(key);
    return { namespace, key };
  };

  methods.add('kv_set_value', {
    summary: 'Stores a value under a key of an existing namespace.',
    params: { ...Names, value: JsonText },
    result: Success,
    prepare({ namespace, key, value }) {
      const text = String(value.text);
      const isStoredForm = checkValue(text);
      return { ...withSoundNames({ namespace, key }), text, isStoredForm };
    },
    access: mayWrite,
    check(input) {
      const { namespace, key } = input;
      checkLength('namespace', namespace);
      checkLength('key', key);
      // Spelling a value anew takes long, so it waits until the caller may write.
      if (!input.isStoredForm) input.text = valueText(input.text);
      const { text } = input;
      if (
        text.length * 3 > parts.maxValueBytes() &&
        Buffer.byteLength(text) > parts.maxValueBytes()
      )
        throw RpcError.invalid(`value is longer than ${parts.maxValueBytes()} bytes`);
      refuseZero(namespace, key, holdsZero(text) ? '\0' : '');
    },
    async handle({ namespace, key, text }) {
      if (!(await parts.set({ namespace, key, value: text }))) throw noNamespace(namespace);
      return { success: true as const };
    },
  });

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

  methods.add('kv_delete_key', {
    summary: 'Deletes a key; a missing key is no error.',
    params: Names,
    result: Success,
    prepare: withSoundNames,
    access: mayDelete,
    check: ({ namespace, key }) => refuseZero(namespace, key),
    async handle({ namespace, key }) {
      if (!(await writes.deleteKey(namespace, key))) throw noNamespace(namespace);
      return { success: true as const };
    },
  });
}
