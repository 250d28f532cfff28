declare module 'nodemailer' {
  import type { Socket } from 'node:net';

  export interface SmtpOptions {
    readonly host: string;
    readonly port: number;
    readonly secure: boolean;
    readonly requireTLS: boolean;
    readonly ignoreTLS: boolean;
    readonly auth?: { readonly user: string; readonly pass: string };
    readonly tls: { readonly servername?: string; readonly rejectUnauthorized: boolean };
    readonly connectionTimeout: number;
    readonly greetingTimeout: number;
    readonly socketTimeout: number;
    readonly disableFileAccess: boolean;
    readonly disableUrlAccess: boolean;
    readonly getSocket: (
      options: unknown,
      done: (error: Error | null, socket?: { readonly connection: Socket }) => void,
    ) => void;
  }

  export interface Sent {
    readonly response: string;
    readonly messageId: string;
  }

  export interface Transport {
    sendMail(message: object): Promise<Sent>;
    close(): void;
  }

  export function createTransport(options: SmtpOptions): Transport;
  /** Makes mails without sending them. */
  export function createTransport(options: {
    readonly streamTransport: true;
    readonly buffer: true;
  }): {
    sendMail(message: object): Promise<{
      readonly message: Buffer;
      readonly envelope: { readonly from: string; readonly to: readonly string[] };
    }>;
  };
}
