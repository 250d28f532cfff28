import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { examineFolder, type Finding, finding } from '@svc/plugin-sdk';
import type { Head } from '../config/head.ts';

/** Examines the files that the program itself opens: they can be used, and by no other user where they hold secrets. */
export function examineFiles(path: string, head: Head): Finding[] {
  const { enable_unix_socket, logging, tls_key, unix_socket_path } = head;
  const { json_log_file } = logging;
  const found = [secret(path, 'It may hold passwords.')];
  if (tls_key !== undefined && existsSync(tls_key))
    found.push(secret(tls_key, 'It is the key of TLS.'));
  if (json_log_file !== undefined) found.push(...logFile(json_log_file));
  if (enable_unix_socket)
    found.push(...examineFolder('unix_socket_path', dirname(unix_socket_path)));
  return found;
}

function secret(path: string, why: string): Finding {
  const open = process.platform === 'win32' ? 0 : statSync(path).mode & 0o077;
  if (open === 0) return finding('permissions', 'ok', `Only its owner can open ${path}.`);
  const [can, level] =
    (open & 0o022) === 0 ? (['read', 'advice'] as const) : (['change', 'problem'] as const);
  const message = `Other users of this machine can ${can} ${path}. ${why}`;
  return finding('permissions', level, message, `chmod 600 ${path}`);
}

function logFile(path: string): Finding[] {
  const found = examineFolder('logging.json_log_file', dirname(path));
  try {
    if (existsSync(path)) accessSync(path, constants.W_OK);
  } catch (error) {
    const message = `logging.json_log_file: ${(error as Error).message}.`;
    const advice = 'Give the file to the user of the service (chown).';
    found.push(finding('permissions', 'problem', message, advice));
  }
  return found;
}
