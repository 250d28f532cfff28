import { type Logger, RpcError } from '@svc/plugin-sdk';
import { codeOf } from '@svc/plugin-sdk/util';

/** The texts that a caller gets for file system errors. The details are logged (static-bucket.md §7). */
const reasons: { readonly [code: string]: string } = {
  ENOENT: 'not found',
  EISDIR: 'is a directory',
  // On macOS for `unlink` of a directory, elsewhere for a forbidding mode.
  EPERM: 'not permitted',
  EACCES: 'permission denied',
  EROFS: 'read-only file system',
  ENOTDIR: 'a parent is no directory',
  IS_FILE: 'is a file',
  EEXIST: 'exists already',
  ENOTEMPTY: 'the target is a directory that is not empty',
  EBUSY: 'in use',
  EINVAL: 'a directory cannot move into itself',
  ELOOP: 'too many symbolic links',
  ENAMETOOLONG: 'name too long',
  ENOSPC: 'no space left',
  EDQUOT: 'quota exceeded',
  EFBIG: 'file too large',
  EMFILE: 'too many open files',
  ENFILE: 'too many open files',
};

/** 108: the file path leaves the bucket. */
export const leadsOut = () => RpcError.invalid('Invalid path: path traversal detected');

/** The error that a caller gets for a failed file operation. `what` begins its text, such as `Failed to read file: `. */
export function ioFailure(what: string, error: unknown, log: Logger): RpcError {
  const code = codeOf(error);
  if (error instanceof RpcError) return error;
  if (code === 'LEADS_OUT') return leadsOut();
  if (code === 'BUCKET_FULL') return RpcError.io(what + (error as Error).message);
  log.warn('file operation failed', { what, error });
  return RpcError.io(what + (reasons[code] ?? 'unexpected failure'), { cause: error });
}

/** Tells whether the path names nothing that may be served (static-http.md §A2, rows 5, 6 and 8). */
export const isMissing = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ELOOP', 'EINVAL', 'EACCES', 'EPERM', 'ENXIO'].includes(
    codeOf(error),
  );
