import type { Brand } from '@svc/plugin-sdk';

/** The table `[brand]` (configuration.md §1). */
export type BrandConfig = Omit<Brand, 'rewrite'>;

export interface ListenAddress {
  /** An IP address, without brackets. */
  readonly host: string;
  /** 0: a free one. */
  readonly port: number;
}

/** Part of a configuration that the kernel reads. Sizes in bytes, times in ms. */
export interface Head {
  /** Lower-case, hyphenated. */
  readonly server_uuid: string;
  readonly listen: ListenAddress;
  /** The certificate chain and its key, PEM; undefined: no TLS. */
  readonly tls: { readonly cert: Buffer; readonly key: Buffer } | undefined;
  /** Path of the Unix socket; undefined: none. */
  readonly unix_socket_path: string | undefined;
  readonly jsonrpc_max_connections: number;
  readonly jsonrpc_max_batch_entries: number;
  readonly max_request_body_size: number;
  readonly max_response_body_size: number;
  /** Running calls get this long at a stop. */
  readonly shutdown_timeout_ms: number;
  /** The table `[database]`, for the driver. */
  readonly database: { readonly database_url: string; readonly [key: string]: unknown };
  readonly brand: BrandConfig;
}
