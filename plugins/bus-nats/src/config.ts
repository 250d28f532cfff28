import { readFile } from 'node:fs/promises';
import type { NodeConnectionOptions } from '@nats-io/transport-node';
import { type Static, secretKey, Type } from '@svc/plugin-sdk';

const File = (description: string) => Type.Optional(Type.String({ minLength: 1, description }));

export const config = Type.Object({
  servers: Type.Array(
    Type.String({
      pattern: '^([A-Za-z0-9.-]+|\\[[0-9A-Fa-f:.]+\\])(:[0-9]{1,5})?$',
      description: 'host:port, without credentials',
    }),
    {
      default: [],
      description: 'host:port of any servers of one NATS; empty: this plugin is off.',
    },
  ),
  cluster: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9_-]{1,64}$',
      description: 'a name of letters, digits, - and _, which the servers have in common',
    }),
  ),
  creds_file: File('Credentials that nsc made.'),
  user: Type.Optional(Type.String({ description: 'Login at NATS, with `password`.' })),
  password: secretKey(Type.Optional(Type.String({ description: 'Of `user`.' }))),
  token: secretKey(
    Type.Optional(Type.String({ description: 'Login at NATS by a token instead.' })),
  ),
  tls: Type.Boolean({ default: false, description: 'Refuse a connection without TLS.' }),
  tls_ca: File('PEM file of the authority.'),
  tls_cert: File("PEM file of this server's certificate."),
  tls_key: File("PEM file of this server's key."),
});

export type NatsConfig = Static<typeof config>;

const CONNECT_MS = 3_000;

/** Returns the options of the client library. Files are read again for each connection: they may have been renewed. */
export async function optionsOf(settings: NatsConfig): Promise<NodeConnectionOptions> {
  const { servers, user, password, token, creds_file, tls, tls_ca, tls_cert, tls_key } = settings;
  const { credsAuthenticator } = await import('@nats-io/transport-node');
  const given = Object.entries({ user, pass: password, token, caFile: tls_ca }).filter(has);
  const { caFile, ...login } = Object.fromEntries(given);
  const files = Object.entries({ caFile, certFile: tls_cert, keyFile: tls_key }).filter(has);
  const secured = tls || files.length > 0;
  return {
    servers: [...servers],
    name: 'svc-server bus',
    // The plugin `bus` connects again.
    reconnect: false,
    timeout: CONNECT_MS,
    noEcho: true,
    noAsyncTraces: true,
    ...login,
    ...(creds_file ? { authenticator: credsAuthenticator(await readFile(creds_file)) } : {}),
    ...(secured ? { tls: Object.fromEntries(files) } : {}),
  };
}

const has = (entry: [string, string | undefined]): entry is [string, string] =>
  entry[1] !== undefined;
