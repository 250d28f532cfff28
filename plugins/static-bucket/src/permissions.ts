import { needs, type Requirement, superOnly } from '@svc/plugin-sdk';
import { trim } from '@svc/plugin-sdk/util';

/** The kinds of buckets and of their files, and the scope of one bucket (auth.md §5). */
export const permissions = {
  static_bucket: { words: ['read', 'write', 'delete'] },
  static_bucket_file: { words: ['read', 'write', 'delete', 'list'] },
};
export const scopes = { static_bucket: 'prefix' } as const;

const onBucket = (name: string, word: string, right: string): Requirement => ({
  scopes: [{ static_bucket: name }],
  permissions: [{ static_bucket: word }],
  denied: `Permission denied for static-bucket '${name}', required permission: ${right}`,
});

/** The server's permission for buckets: the right to every bucket there is and will be. */
export const everywhere = (): Requirement => ({
  scopes: ['global'],
  permissions: [{ static_bucket: 'write' }],
  denied: '',
});

/** The right to know of a bucket. */
export const mayReadIt = (name: string): Requirement => onBucket(name, 'read', 'Read');

interface Named {
  readonly name: string;
}

export const mayRead = needs(({ name }: Named) => onBucket(name, 'read', 'Read'));
// The methods change the record of the trimmed name, so the permission is checked for that name.
export const mayWrite = needs(({ name }: Named) => onBucket(trim(name), 'write', 'Write'));
export const mayDelete = needs(({ name }: Named) => onBucket(trim(name), 'delete', 'Delete'));
export const mayList = superOnly('Only SuperToken can list all static names');
