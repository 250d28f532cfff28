/** Error that the server answered: it refused or failed. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  /** Code of the error, for example 102 (not allowed), 105 and 106 (not found), -32602 (parameters). */
  readonly code: number;
  /** Data that the server adds, as it is on the wire. */
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }

  /** Tells whether what the call names does not exist. An unknown agent is 105 in some methods and 106 in others. */
  get isNotFound(): boolean {
    return this.code === 105 || this.code === 106;
  }
}

/** Error of a call that got no answer, because of the connection. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  /** Tells whether the request had been sent: the server may have run it. */
  readonly sent: boolean;
  /** HTTP status, for an answer that is no JSON-RPC. */
  readonly status: number | undefined;

  constructor(message: string, sent: boolean, status?: number) {
    super(message);
    this.sent = sent;
    this.status = status;
  }
}
