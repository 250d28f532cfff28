/** Values of which a machine's configuration is made. */
export interface AgentConfig {
  readonly uuid: string;
  readonly server_uuid: string;
  /** `key:secret` */
  readonly token: string;
  /** `wss://fleet.example.net:2211/svc/rpc` */
  readonly ws_url: string;
  /** Word of the server's names; `svc` is what agents expect. */
  readonly brand: string;
  /** Pin of the server's certificate; undefined: an authority vouches for it. */
  readonly pin: string | undefined;
  /** Tells whether the server stores reports: without the plugin `agent` it does not. */
  readonly reports: boolean;
}

/**
 * The whole file (clients.md §2.3), for agents of any make: those that do not know `brand` and `cert_pin` skip them. Nothing is allowed
 * in it: what tasks the machine takes is written there by its own people.
 */
export const agentConfig = ({
  uuid,
  server_uuid,
  token,
  ws_url,
  brand,
  pin,
  reports,
}: AgentConfig) =>
  `log_level = "info"
agent_uuid = "${uuid}"
ntp_server = ""

[[server]]
name = "main"
server_uuid = "${server_uuid}"
token = "${token}"
ws_url = "${ws_url}"
${brand === 'svc' ? '' : `brand = "${brand}"\n`}${reports ? '' : 'allow_report = false\n'}allow_task = false
ignore_cert = ${pin !== undefined}
${pin === undefined ? '' : `cert_pin = "${pin}"\n`}`;
