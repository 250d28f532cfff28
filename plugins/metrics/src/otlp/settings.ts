import { fileOnly, type Static, secretKey, Type } from '@svc/plugin-sdk';

const Header = Type.String({
  pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]+:[ -~]*$",
  description: '`Name: value`, in ASCII',
});

/** Keys of `[metrics]` about the push to a collector. */
export const otlpKeys = {
  otlp_url: fileOnly(
    secretKey(
      Type.Optional(
        Type.String({
          pattern: '^https?://[^\\s?#]+$',
          description:
            'Address of an OpenTelemetry collector (OTLP over HTTP), for example http://127.0.0.1:4318: /v1/metrics and /v1/traces are added. Absent: nothing is sent.',
        }),
      ),
    ),
  ),
  otlp_encoding: Type.Enum(['protobuf', 'json'], {
    default: 'protobuf',
    description: 'How what is sent is written.',
  }),
  otlp_headers: fileOnly(
    secretKey(
      Type.Array(Header, {
        default: [],
        description: 'Headers of each request, as `Name: value`: credentials of the collector.',
      }),
    ),
  ),
  otlp_interval_s: Type.Integer({
    minimum: 1,
    maximum: 3_600,
    default: 60,
    description: 'Metrics of the server are sent every so many seconds.',
  }),
  otlp_traces: Type.Number({
    minimum: 0,
    maximum: 1,
    default: 0.01,
    description: 'Part of the calls that are sent as spans, chosen at random; 0: none.',
  }),
};

const schema = Type.Object(otlpKeys);
export type OtlpSettings = Static<typeof schema>;
