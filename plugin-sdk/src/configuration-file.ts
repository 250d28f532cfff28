import { service } from './service.ts';

/** The file that the server was started with: a service of the program. */
export interface ConfigurationFile {
  /** Absolute. */
  readonly path: string;
  /** Parses and validates a complete text. @throws UserError with line and key */
  check(text: string): void;
  /** Trial of a text for `reload`: address free, certificate readable. @throws UserError */
  try(text: string): Promise<void>;
  /** Replaces the file: temporary file and rename; mode, owner and symbolic link stay. @throws the system's error */
  write(text: string): Promise<void>;
  /** Reads the file again: all or nothing; the old state goes on serving after a failure. @throws UserError */
  reload(): Promise<void>;
}
export const ConfigurationFile = service<ConfigurationFile>('configuration-file');
