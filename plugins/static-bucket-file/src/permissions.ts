import { needs, type Requirement } from '@svc/plugin-sdk';

const onFiles = (name: string, word: string, right: string): Requirement => ({
  scopes: [{ static_bucket: name }],
  permissions: [{ static_bucket_file: word }],
  denied: `Permission denied for static-bucket-file '${name}', required permission: ${right}`,
});

interface Named {
  readonly name: string;
}

export const writing = (name: string): Requirement => onFiles(name, 'write', 'Write');
/** Right to delete, which renaming needs in addition to `writing`; another limit entry may grant it. */
export const deletion = (name: string): Requirement => onFiles(name, 'delete', 'Delete');

export const mayRead = needs(({ name }: Named) => onFiles(name, 'read', 'Read'));
export const mayWrite = needs(({ name }: Named) => writing(name));
export const mayDelete = needs(({ name }: Named) => deletion(name));
export const mayList = needs(({ name }: Named) => onFiles(name, 'list', 'List'));
