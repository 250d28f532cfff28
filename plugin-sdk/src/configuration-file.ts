import type { TObject } from 'typebox';
import { service } from './service.ts';

/** Setting that is allowed and that its author probably did not mean: an entry of `svc-server_config_warnings`. */
export interface ConfigWarning {
  /** `unknown`: ignored; `restart`: not in force yet; `reload`: the file could not be followed; `advice`: anything else. */
  readonly kind: 'unknown' | 'restart' | 'reload' | 'advice';
  /** `database.max_connections`; absent where no single key is meant. */
  readonly key?: string | undefined;
  /** The known key that was probably meant. */
  readonly nearest?: string | undefined;
  /** A sentence that says what to change. */
  readonly message: string;
}

/** The file that the server was started with: a service of the program. */
export interface ConfigurationFile {
  /** Absolute. */
  readonly path: string;
  /** Parses and validates a complete text. @throws UserError with line and key */
  check(text: string): void;
  /** Schema of a whole file: the kernel's keys, those of all built-in plugins, loaded or not, and of the others that are loaded. */
  schema(): Promise<TObject>;
  /** The table that was read last without a fault: at the start, or by a reload. */
  inForce(): Readonly<Record<string, unknown>>;
  /** Trial of a text for `reload`: address free, certificate readable. @throws UserError */
  try(text: string): Promise<void>;
  /** Replaces the file: temporary file and rename; mode, owner and symbolic link stay. @throws the system's error */
  write(text: string): Promise<void>;
  /** Replaces a file of another program in the same way. @throws the system's error */
  replace(path: string, text: string): Promise<void>;
  /** Reads the file again: all or nothing; the old state goes on serving after a failure. @throws UserError */
  reload(): Promise<void>;
  /** Settings of the file that have no effect at this moment, and what plugins add in the hook `warnings`. */
  warnings(): Promise<readonly ConfigWarning[]>;
}
export const ConfigurationFile = service<ConfigurationFile>('configuration-file');
