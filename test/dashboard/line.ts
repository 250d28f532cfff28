/** The line between a page and its server, for tests: it can be cut and mended, it can hide a plugin, and it knows what was refused. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Page, WebSocketRoute } from 'playwright-core';

export interface Line {
  readonly attach: (page: Page) => Promise<void>;
  /** Calls that were denied, or that the server lacks. */
  readonly refused: string[];
  /** Until no call has waited for its answer for a moment. */
  quiet(): Promise<void>;
  cut(): Promise<void>;
  mend(): void;
  /** Keeps answers back until `letGo`. */
  hold(): void;
  letGo(): void;
  /** Every answer from now on, or every one of this method, is a failure with these words; undefined: no more. */
  fail(words: string | undefined, method?: string): void;
}

/** Namespaces of plugins, where they are not the plugin's name. */
const NAMESPACES: Readonly<Record<string, readonly string[]>> = {
  agent: ['agent_'],
  'agent-events': ['agent_events', 'agent_uptime'],
  series: ['agent_query_series', 'task_query_series'],
  crontab: ['crontab_', 'crontab-result_'],
  'js-worker': ['js-worker_', 'js-result_'],
  retention: [],
};
/** Denied, unknown method, parameters that do not fit. */
const REFUSALS = [102, -32601, -32602];
const QUIET_MS = 60;
const LONGEST_MS = 10_000;

interface Call {
  readonly id?: number;
  method: string;
  readonly params?: { readonly method?: string };
}
interface Answer {
  readonly id?: number;
  error?: { readonly code: number; readonly message: string };
  result?: { plugins?: { readonly name: string }[] };
}

const listOf = <T>(message: string | Buffer): readonly T[] => {
  const read = JSON.parse(String(message));
  return Array.isArray(read) ? read : [read];
};

/** @param off this plugin is not in the server's list, and its methods are unknown to it */
export function lineOf(off?: string): Line {
  const waiting = new Map<unknown, string>();
  const refused: string[] = [];
  const open = new Set<WebSocketRoute>();
  let isCut = false;
  let changedAt = Date.now();
  let failure: string | undefined;
  let failing: string | undefined;
  /** Answers that are kept back, as what sends them. */
  let held: (() => void)[] | undefined;
  const hidden = off === undefined ? [] : (NAMESPACES[off] ?? [`${off}_`]);
  const sent = (message: string | Buffer): string => {
    const calls = listOf<Call>(message);
    for (const call of calls) {
      if (call.id !== undefined)
        waiting.set(call.id, `${call.method} ${call.params?.method ?? ''}`.trim());
      if (hidden.some((prefix) => call.method.startsWith(prefix))) call.method = 'nobody_has_it';
    }
    changedAt = Date.now();
    return JSON.stringify(Array.isArray(JSON.parse(String(message))) ? calls : calls[0]);
  };
  const came = (message: string | Buffer): string => {
    const answers = listOf<Answer>(message);
    for (const answer of answers) {
      const { id } = answer;
      const method = waiting.get(id);
      if (!waiting.delete(id)) continue;
      if (failure !== undefined && (failing ?? method) === method) {
        delete answer.result;
        answer.error = { code: 999, message: failure };
      }
      const { error, result } = answer;
      changedAt = Date.now();
      if (error && REFUSALS.includes(error.code)) refused.push(`${method}: ${error.message}`);
      if (result?.plugins) result.plugins = result.plugins.filter(({ name }) => name !== off);
    }
    return JSON.stringify(Array.isArray(JSON.parse(String(message))) ? answers : answers[0]);
  };
  const attach = (page: Page) =>
    page.routeWebSocket(/\/rpc$/, (socket) => {
      if (isCut) return void socket.close();
      open.add(socket);
      const server = socket.connectToServer();
      socket.onMessage((message) => server.send(sent(message)));
      server.onMessage((message) => {
        const pass = () => socket.send(came(message));
        if (held) held.push(pass);
        else pass();
      });
    });
  return {
    attach,
    refused,
    async quiet() {
      const begun = Date.now();
      const isQuiet = () => waiting.size === 0 && Date.now() - changedAt > QUIET_MS;
      await pause(QUIET_MS / 2);
      while (!isQuiet()) {
        if (Date.now() - begun > LONGEST_MS)
          throw new Error(`no answer to ${[...waiting.values()].join(', ')}`);
        await pause(10);
      }
    },
    async cut() {
      isCut = true;
      waiting.clear();
      await Promise.all([...open].map((socket) => socket.close()));
      open.clear();
    },
    mend() {
      isCut = false;
    },
    hold() {
      held = [];
    },
    letGo() {
      const passes = held ?? [];
      held = undefined;
      for (const pass of passes) pass();
    },
    fail(words, method) {
      failure = words;
      failing = method;
    },
  };
}
