import { fileOnly, type Static, Type } from '@svc/plugin-sdk';

/** The section `[enrol]`. */
export const settings = Type.Object({
  url: fileOnly(
    Type.String({
      default: '',
      maxLength: 300,
      pattern: '^(?:https?://[A-Za-z0-9.:\\[\\]/_~-]*[^/])?$',
      description:
        'Address under which machines reach this server, for example "https://fleet.example.net". Empty: the one that the person or the machine asked for.',
    }),
  ),
  pin: fileOnly(
    Type.String({
      default: 'auto',
      pattern: '^(?:auto||sha256//[A-Za-z0-9+/]{43}=)$',
      description:
        'Public key of the certificate that machines see, as sha256//BASE64. auto: that of tls_cert where it is self-signed. Empty: none.',
    }),
  ),
  runtime_path: fileOnly(
    Type.String({
      default: './runtimes/',
      description:
        'Folder of what machines of other platforms get: PLATFORM/node and PLATFORM/pty.node.',
    }),
  ),
  max_codes: Type.Integer({
    default: 1_000,
    minimum: 0,
    maximum: 100_000,
    description:
      'Enrolment codes that all tokens together may have, and as many again the Super Token; they go a week after they have expired.',
  }),
  max_codes_per_owner: Type.Integer({
    default: 200,
    minimum: 0,
    maximum: 100_000,
    description: 'Enrolment codes that a token may have, with all tokens that it created.',
  }),
});

export type Settings = Static<typeof settings>;
