/** Doubles for the agent program's tests: time, a server that does what a test says, a certificate. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import type { Clock } from '../agent/src/clock.ts';
import type { AgentConfig, ServerConfig } from '../agent/src/config.ts';
import { createLogger, type Logger } from '../agent/src/log.ts';

export const AGENT = '0b6f1c52-7a35-4d0e-9c1b-52d3a8e0f411';
export const SERVER = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff';
export const TOKEN = 'k7Qe:s3cr3t';

/** So that a busy machine has its time: nothing is measured with it. */
const LIMIT_MS = 120_000;

/** The promise, or an error that says what did not come. */
export async function soon<T>(what: string, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} did not come`)), LIMIT_MS);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

interface Timer {
  label: string;
  due: number;
  ms: number;
  run: () => void;
}

/** Time that moves only when told. */
export class FakeClock implements Clock {
  readonly #timers = new Set<Timer>();
  readonly #watchers = new Set<() => void>();
  #at = 0;

  now(): number {
    return 1_781_000_000_000 + this.#at;
  }

  steady(): number {
    return this.#at;
  }

  after(label: string, ms: number, run: () => void): () => void {
    const timer = { label, ms, due: this.#at + ms, run };
    this.#timers.add(timer);
    for (const watcher of this.#watchers) watcher();
    return () => this.#timers.delete(timer);
  }

  labels(): string[] {
    return [...this.#timers].map(({ label }) => label).sort();
  }

  /** The length in ms of the timer with this label, as soon as there is one. */
  async timer(label: string): Promise<number> {
    const find = () => [...this.#timers].find((timer) => timer.label === label)?.ms;
    let watcher = () => {};
    const found = new Promise<number>((resolve) => {
      watcher = () => {
        const ms = find();
        if (ms !== undefined) resolve(ms);
      };
      watcher();
      this.#watchers.add(watcher);
    });
    try {
      return await soon(`timer "${label}"`, found);
    } finally {
      this.#watchers.delete(watcher);
    }
  }

  /** Moves time and runs what falls due, in order. */
  async advance(ms: number): Promise<void> {
    const end = this.#at + ms;
    for (;;) {
      await turn();
      const [next] = [...this.#timers].sort((a, b) => a.due - b.due);
      if (!next || next.due > end) break;
      this.#at = Math.max(this.#at, next.due);
      this.#timers.delete(next);
      next.run();
    }
    this.#at = end;
    await turn();
  }
}

/** One connection as the server sees it. */
export class Peer {
  readonly headers: Record<string, unknown>;
  readonly closed: Promise<number>;
  readonly pinged: Promise<unknown>;
  readonly #socket: WebSocket;
  readonly #messages: any[] = [];
  #wake = () => {};

  constructor(socket: WebSocket, headers: Record<string, unknown>) {
    this.#socket = socket;
    this.headers = headers;
    socket.on('error', () => socket.terminate());
    socket.on('message', (data: RawData, isBinary: boolean) => {
      this.#messages.push(isBinary ? data : JSON.parse(String(data)));
      this.#wake();
    });
    this.closed = new Promise((resolve) => socket.on('close', resolve));
    this.pinged = once(socket, 'ping');
  }

  get received(): number {
    return this.#messages.length;
  }

  /** The next request, parsed. */
  async next(): Promise<any> {
    while (this.#messages.length === 0) {
      await soon('a message', new Promise<void>((resolve) => (this.#wake = resolve)));
    }
    return this.#messages.shift();
  }

  send(message: unknown): void {
    const isRaw = typeof message === 'string' || message instanceof Uint8Array;
    this.#socket.send(isRaw ? message : JSON.stringify(message));
  }

  result(result: unknown): void {
    this.send({ jsonrpc: '2.0', id: 1, result });
  }

  ping(): void {
    this.#socket.ping();
  }

  /** Resolves when the other side has read every frame before. */
  async hasHeard(): Promise<void> {
    const heard = once(this.#socket, 'pong');
    this.#socket.ping();
    await soon('a pong', heard);
  }

  close(code: number): void {
    this.#socket.close(code);
  }

  terminate(): void {
    this.#socket.terminate();
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }
}

/** A WebSocket server on loopback whose every answer is given by the test. */
export class ScriptedServer {
  connections = 0;
  readonly #http: Server;
  readonly #sockets = new Set<Socket>();
  readonly #peers: Peer[] = [];
  #wake = () => {};

  private constructor(http: Server, autoPong: boolean) {
    this.#http = http;
    const ws = new WebSocketServer({ server: http, autoPong });
    http.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
    ws.on('connection', (socket, request) => {
      this.connections += 1;
      this.#peers.push(new Peer(socket, request.headers));
      this.#wake();
    });
  }

  static async open({
    http = createServer(),
    autoPong = true,
    port = 0,
  }: {
    http?: Server;
    autoPong?: boolean;
    port?: number;
  } = {}): Promise<ScriptedServer> {
    const server = new ScriptedServer(http, autoPong);
    http.listen(port, '127.0.0.1');
    await once(http, 'listening');
    return server;
  }

  get port(): number {
    return (this.#http.address() as AddressInfo).port;
  }

  get url(): string {
    return `ws://127.0.0.1:${this.port}/svc/rpc`;
  }

  async accept(): Promise<Peer> {
    while (this.#peers.length === 0) {
      await soon('a connection', new Promise<void>((resolve) => (this.#wake = resolve)));
    }
    return this.#peers.shift()!;
  }

  /** Takes a connection and answers its UUID call. */
  async welcome(): Promise<Peer> {
    const peer = await this.accept();
    await peer.next();
    peer.result(SERVER);
    return peer;
  }

  async stop(): Promise<void> {
    this.#http.close();
    for (const socket of this.#sockets) socket.destroy();
    if (this.#http.listening) await once(this.#http, 'close');
  }
}

export const serverConfig = (ws_url: string, extra: Partial<ServerConfig> = {}): ServerConfig => ({
  name: 'main',
  server_uuid: SERVER,
  token: TOKEN,
  ws_url,
  allow_report: true,
  allow_sensors: false,
  allow_containers: false,
  allow_task: false,
  allow_monitor: false,
  allowed_tasks: new Set(),
  execute_only: null,
  ignore_cert: false,
  ...extra,
});

export const agentConfig = (
  servers: readonly ServerConfig[],
  extra: Partial<AgentConfig> = {},
): AgentConfig => ({
  log_level: 'info',
  agent_uuid: AGENT,
  dynamic_summary_report_interval_ms: 1000,
  dynamic_report_interval_ms: 1000,
  static_report_interval_ms: 300_000,
  connect_timeout_ms: 1000,
  exec_max_character: 10_000,
  terminal_shell: 'sh',
  ip_provider: 'cloudflare',
  ip_provider_urls: [],
  ntp_server: '',
  dynamic_summary_select_disk: [],
  dynamic_summary_select_network_interface: [],
  buffer_mb: 0,
  buffer_hours: 24,
  buffer_dir: '',
  container_socket: '',
  servers,
  ...extra,
});

/** A logger that keeps its lines. */
export function memoryLog(): { log: Logger; lines: string[] } {
  const lines: string[] = [];
  return { log: createLogger('trace', (line) => lines.push(line)), lines };
}
