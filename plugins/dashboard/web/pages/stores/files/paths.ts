import { to } from '../../../frame/index.ts';

/** Returns the path of a folder with a slash at its end; empty: the bucket itself. */
export const asFolder = (path: string): string => {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  return parts.length === 0 ? '' : `${parts.join('/')}/`;
};

/** Returns the path of a file without slashes at its start. */
export const asFile = (path: string): string => path.replace(/^\/+/, '');

/** Returns the folder that a file is in. */
export const folderOf = (path: string): string =>
  asFolder(path.slice(0, path.lastIndexOf('/') + 1));

/** Returns the folder that a folder is in. */
export const parentOf = (folder: string): string => folderOf(folder.slice(0, -1));

export const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** Address of a folder, or of a file in its preview. */
export const toFolder = (bucket: string, folder: string, file?: string): string =>
  to('stores', 'files', {
    in: bucket,
    folder: folder === '' ? undefined : folder.slice(0, -1),
    file,
  });
