import { fileOnly, type Static, Type } from '@svc/plugin-sdk';

const MOST_MS = 2 ** 31 - 1;

/** The section `[js-worker]`. */
export const config = Type.Object({
  max_threads: Type.Integer({
    minimum: 1,
    maximum: 256,
    default: 8,
    description:
      'Threads for scripts; each runs one at a time. Inline calls may use up to 16 more.',
  }),
  spare_threads: Type.Integer({
    minimum: 0,
    maximum: 256,
    default: 4,
    description:
      'Threads beyond max_threads, one for each token that has no run while the others have them all.',
  }),
  max_contexts: Type.Integer({
    minimum: 1,
    default: 50,
    description: 'Contexts that stay loaded; the one that was idle longest goes first.',
  }),
  max_run_time: Type.Integer({
    minimum: 1,
    maximum: MOST_MS,
    default: 3_600_000,
    description: 'Ceiling of the run time of every worker, ms.',
  }),
  max_heap_size: Type.Integer({
    minimum: 8_388_608,
    maximum: 2 ** 30,
    default: 134_217_728,
    description: 'Ceiling of the heap of every worker, bytes.',
  }),
  max_total_heap: Type.Integer({
    minimum: 8_388_608,
    default: 1_073_741_824,
    description: 'Heap limits of all contexts together, bytes.',
  }),
  max_result_bytes: Type.Integer({
    minimum: 0,
    default: 4_294_967_296,
    description: 'Bytes of the stored results of one worker; 0: no limit.',
  }),
  max_workers_per_owner: Type.Integer({
    minimum: 0,
    default: 1_000,
    description:
      'Workers that a token may have, with all tokens that it created; the Super Token has no such limit. 0: no limit.',
  }),
  max_worker_bytes_per_owner: Type.Integer({
    minimum: 0,
    default: 67_108_864,
    description: 'Bytes of the scripts and environments of those workers together; 0: no limit.',
  }),
  log_bytes_per_minute: Type.Integer({
    minimum: 0,
    default: 10_485_760,
    description: 'Bytes of log lines of one worker in a minute; 0: no limit.',
  }),
  fetch_private: fileOnly(
    Type.Array(Type.String(), {
      default: [],
      description:
        'Private, loopback and link-local targets that scripts may fetch: addresses, networks, host names, each with an optional port; "*" for all.',
    }),
  ),
  fetch_connect_timeout_ms: Type.Integer({
    minimum: 1,
    maximum: MOST_MS,
    default: 10_000,
    description: 'Until a connection of a fetch stands.',
  }),
  fetch_idle_timeout_ms: Type.Integer({
    minimum: 1,
    maximum: MOST_MS,
    default: 60_000,
    description: 'A fetch without a byte for this long fails.',
  }),
  fetch_max_bytes: Type.Integer({
    minimum: 1,
    default: 33_554_432,
    description: 'Largest decoded content of a fetched response.',
  }),
  route_wait_ms: Type.Integer({
    minimum: 1,
    maximum: MOST_MS,
    default: 30_000,
    description: 'A request whose turn has not come by then is answered with 503.',
  }),
  route_errors: Type.Boolean({
    default: false,
    description: 'Callers of routes see why a script failed, with its stack.',
  }),
  route_headers: Type.Array(Type.String(), {
    default: [],
    description:
      'Response headers that routes may send beside the usual ones, for example "location".',
  }),
});
export type Settings = Static<typeof config>;
