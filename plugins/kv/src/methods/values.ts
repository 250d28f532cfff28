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
  /** Made once a call. */
  const texts = new WeakMap<RawJson, string>();
  const textOf = (value: RawJson): string => {
    const text = texts.get(value) ?? valueText(String(value.text));
    texts.set(value, text);
    return text;
  };

  const checkNames = ({ namespace, key }: Item) => {
    checkText('namespace', namespace);
    checkText('key', key);
    checkKey(key);
  };

  methods.add('kv_set_value', {
    summary: 'Stores a value under a key of an existing namespace.',
    params: { ...Names, value: JsonText },
    result: Success,
    access: mayWrite,
    validate({ namespace, key, value }) {
      const text = String(value.text);
      if (checkValue(text)) texts.set(value, text);
      checkNames({ namespace, key });
    },
    check({ namespace, key, value }) {
      checkLength('namespace', namespace);
      checkLength('key', key);
      const text = textOf(value);
      if (
        text.length * 3 > parts.maxValueBytes() &&
        Buffer.byteLength(text) > parts.maxValueBytes()
      )
        throw RpcError.invalid(`value is longer than ${parts.maxValueBytes()} bytes`);
      refuseZero(namespace, key, holdsZero(text) ? '\0' : '');
    },
    async handle({ namespace, key, value }) {
      if (!(await parts.set({ namespace, key, value: textOf(value) })))
        throw noNamespace(namespace);
      return { success: true as const };
    },
  });

  methods.add('kv_get_value', {
    summary: 'The value of a key, null when the key is missing.',
    params: Names,
    result: Type.Unknown(),
    access: mayRead,
    validate: checkNames,
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
    access: mayDelete,
    validate: checkNames,
    check: ({ namespace, key }) => refuseZero(namespace, key),
    async handle({ namespace, key }) {
      if (!(await writes.deleteKey(namespace, key))) throw noNamespace(namespace);
      return { success: true as const };
    },
  });
}
