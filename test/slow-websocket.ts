/**
 * Makes the agent of `examples/agent` as slow as agents of the field, and lets it do tasks: `node --import THIS agent.mjs`.
 * It keeps 32 messages, takes one each 25 ms, and drops the oldest when more come (clients.md §2.5). It prints
 * `took ID before N` for each task, N messages lay before it when it came, and `lost ID` for each that was dropped.
 * Pings are never answered, as where the agent may not send ICMP.
 */
const RING = 32;
const TAKES_MS = 25;
/** A longer pause is the machine's: messages that came meanwhile cost the agent nothing. */
const HELD_UP_MS = 4 * TAKES_MS;

const { SVC_TOKEN, SVC_AGENT_UUID } = process.env;
const WORDS =
  'binary_type cargo_version git_branch git_commit_sha git_commit_date git_commit_message build_time cargo_target_triple rustc_channel rustc_version rustc_commit_date rustc_commit_hash rustc_llvm_version';
const results: Record<string, unknown> = {
  execute: 'echo',
  tcp_ping: 7.9,
  version: Object.fromEntries(WORDS.split(' ').map((name) => [name, 'x'])),
};
const say = (text: string) => process.stdout.write(`${text}\n`);
const taskOf = (event: MessageEvent) => JSON.parse(event.data).params?.result;

class SlowWebSocket extends WebSocket {
  readonly #ring: { readonly event: MessageEvent; readonly before: number }[] = [];
  #handler: ((event: MessageEvent) => void) | undefined;
  #lastTake = performance.now();
  /** Messages that it would have taken while the machine held it up. */
  #missed = 0;
  #isRegistered = false;

  constructor(url: string | URL) {
    super(url);
    this.addEventListener('message', (event) => this.#arrives(event));
    const timer = setInterval(() => this.#takeDue(), TAKES_MS);
    this.addEventListener('close', () => clearInterval(timer));
  }

  override set onmessage(handler: any) {
    this.#handler = handler;
  }

  #arrives(event: MessageEvent): void {
    this.#takeDue();
    const ring = this.#ring;
    const dropped = ring.push({ event, before: ring.length }) > RING ? ring.shift() : undefined;
    const { task_id } = (dropped && taskOf(dropped.event)) ?? {};
    if (task_id) say(`lost ${task_id}`);
    for (; this.#missed > 0 && ring.length > 0; this.#missed--) this.#take();
  }

  #takeDue(): void {
    const now = performance.now();
    const passed_ms = now - this.#lastTake;
    if (passed_ms < TAKES_MS) return;
    let due = Math.floor(passed_ms / TAKES_MS);
    this.#lastTake += due * TAKES_MS;
    for (; due > 0 && this.#ring.length > 0; due--) this.#take();
    this.#missed = passed_ms > HELD_UP_MS ? due : 0;
  }

  #take(): void {
    const { event, before } = this.#ring.shift()!;
    this.#handler?.(event);
    if (!this.#isRegistered) {
      this.#isRegistered = true;
      this.#call('task_register_task', [SVC_TOKEN, SVC_AGENT_UUID]);
    }
    const { task_id, task_token, task_event_type: type } = taskOf(event) ?? {};
    if (!task_id) return;
    say(`took ${task_id} before ${before}`);
    const kind = typeof type === 'string' ? type : Object.keys(type)[0]!;
    if (kind === 'ping') return;
    const task_event_result = { [kind]: results[kind] };
    const ids = { task_id, task_token, agent_uuid: SVC_AGENT_UUID };
    const answer = { ...ids, timestamp: Date.now(), success: true, task_event_result };
    this.#call('task_upload_task_result', [SVC_TOKEN, answer]);
  }

  #call(method: string, params: unknown): void {
    this.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
  }
}

globalThis.WebSocket = SlowWebSocket;
