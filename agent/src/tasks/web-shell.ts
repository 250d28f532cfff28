import { homedir } from 'node:os';
import { dial } from '../channel.ts';
import { readObject, readText, readUrl } from '../content.ts';
import type { TaskContext, TaskHandler } from '../task-context.ts';
import { terminalAddress } from '../terminal/address.ts';
import { loadPty, openPty } from '../terminal/pty.ts';
import { TerminalSession } from '../terminal/session.ts';
import { parseUuid } from '../uuid.ts';

/** Open terminals of one agent (clients.md §2.8). */
const MAX_TERMINALS = 8;
const CONNECT_MS = 10_000;

/**
 * Opens a shell and joins it to a WebSocket connection of its own; returns true at the end of the session.
 * @throws Error when 8 terminals are open, when the terminal package is missing, and when the server does not accept the
 * connection within 10 s
 */
export const webShell: TaskHandler = async (content, context) => {
  const { terminals } = context.runtime;
  const { url, terminal_id } = readTask(content);
  if (terminals.has(terminal_id)) throw new Error('a terminal with this id is open');
  if (terminals.size >= MAX_TERMINALS) throw new Error(`${MAX_TERMINALS} terminals are open`);
  terminals.add(terminal_id);
  try {
    await openTerminal(terminalAddress({ ...context, url, terminal_id }), context);
  } finally {
    terminals.delete(terminal_id);
  }
  return true;
};

function readTask(content: unknown): { url: URL; terminal_id: string } {
  const members = readObject(content, 'web_shell');
  const url = readUrl(members['url'], 'url', ['ws', 'wss']);
  const terminal_id = parseUuid(readText(members['terminal_id'], 'terminal_id'));
  if (terminal_id === undefined) throw new Error('malformed task: terminal_id must be a UUID');
  return { url, terminal_id };
}

async function openTerminal(ws_url: string, context: TaskContext): Promise<void> {
  const { runtime, server, signal, log } = context;
  const { clock, config } = runtime;
  const module = await loadPty();
  const { ignore_cert, cert_pin } = server;
  const address = { ws_url, ignore_cert, cert_pin };
  const channel = await dial(address, clock, CONNECT_MS, signal);
  try {
    const pty = openPty(module, config.terminal_shell, homedir());
    await new TerminalSession(channel, pty, clock, log).run(signal);
  } finally {
    channel.terminate();
  }
}
