import { needs, type Requirement } from '@svc/plugin-sdk';

const onFiles = (name: string, word: string, right: string): Requirement => ({
  scopes: [{ static_bucket: name }],
  permissions: [{ static_bucket_file: word }],
  denied: `Permission denied for static-bucket-file '${name}', required permission: ${right}`,
});

interface Named {
  readonly name: string;
}

export const mayRead = needs(({ name }: Named) => onFiles(name, 'read', 'Read'));
export const mayWrite = needs(({ name }: Named) => onFiles(name, 'write', 'Write'));
export const mayDelete = needs(({ name }: Named) => onFiles(name, 'delete', 'Delete'));
export const mayList = needs(({ name }: Named) => onFiles(name, 'list', 'List'));
/** Renaming needs this beside `mayWrite`; another limit entry may grant it. */
export const deletion = (name: string): Requirement => onFiles(name, 'delete', 'Delete');
