/** Brand-bearing identifiers, all from one record (configuration.md §10). */
export interface Brand {
  /** Namespace `<word>-server`, routes `/<word>/…`, KV marker, script globals. */
  readonly word: string;
  /** Outer tag of the server permission kind. */
  readonly permission: string;
  /** Hash prefix. */
  readonly salt: string;
  /** Human name on the HTML page and in texts. */
  readonly title: string;
  /** Request header that tells a worker the peer's address. */
  readonly peer_header: string;
  /** Rewrites a wire name written with the neutral word: `svc-server_hello`, `/svc/rpc`, `__svc_namespace_marker__`. */
  readonly rewrite: (text: string) => string;
}

/** Facts about the running server. */
export interface ServerState {
  /** Lower-case hyphenated. */
  readonly uuid: () => string;
  /** `X.Y.Z` */
  readonly version: string;
  readonly maxResponseBytes: () => number;
  readonly maxRequestBytes: () => number;
  /** JSON-RPC sockets and requests: how many there are, and how many may be. */
  readonly places: () => { readonly used: number; readonly limit: number };
}
