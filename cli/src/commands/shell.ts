import { randomUUID } from 'node:crypto';
import { loginFor } from '../credentials.ts';
import { Complaint } from '../io.ts';
import { giveBack, lend } from '../lent.ts';
import type { Session } from '../session.ts';

/** Leaves the terminal: Ctrl-]. */
const LEAVE = '\u001d';
/** The longest terminal. */
const LONGEST_HOURS = 24;

/** `svc sh AGENT`: a terminal there, until its shell ends or Ctrl-] is pressed. */
export async function shell(session: Session): Promise<void> {
  const agent_uuid = await session.agent(session.word(0, 'AGENT'));
  const { url, token } = loginFor(session.io, session.flags.server);
  const address = new URL(url);
  address.protocol = address.protocol.replace(/^http/, 'ws');
  const terminal_id = randomUUID();
  // A marker that agents know: they connect to the host of this address.
  const web_shell = { url: new URL('/auto_gen', address).href, terminal_id };
  const task = { target_uuid: agent_uuid, task_type: { web_shell } };
  await session.client.call('task_create_task', task);
  session.close();
  const terminal = new URL('/terminal', address);
  // The only door of the protocol to a terminal takes the credential here, where a proxy may log it.
  const lent = await lend(url, token, { purpose: 'svc sh', hours: LONGEST_HOURS });
  const query = { agent_uuid, terminal_id, token: lent?.token ?? token };
  terminal.search = new URLSearchParams(query).toString();
  try {
    await attach(session, new WebSocket(terminal));
  } finally {
    if (lent) await giveBack(url, lent);
  }
}

function attach({ io }: Session, socket: WebSocket): Promise<void> {
  const { stdin, stdout, stderr } = io;
  socket.binaryType = 'arraybuffer';
  return new Promise((done, fail) => {
    const size = () => {
      const { columns: cols = 80, rows = 24 } = stdout;
      socket.send(JSON.stringify({ type: 'resize', cols, rows }));
    };
    const typed = (data: Buffer) => {
      if (stdin.isTTY && data.includes(LEAVE)) socket.close();
      else socket.send(data);
    };
    socket.onopen = () => {
      if (stdin.isTTY) {
        stderr.write('Ctrl-] leaves the terminal.\r\n');
        stdin.setRawMode?.(true);
        stdout.on('resize', size);
        size();
      }
      stdin.on('data', typed).resume();
    };
    socket.onmessage = ({ data }) => {
      if (typeof data !== 'string') stdout.write(Buffer.from(data));
      else refused(data, fail, stdout);
    };
    socket.onclose = () => {
      stdin.off('data', typed).pause();
      stdout.off('resize', size);
      stdin.setRawMode?.(false);
      done();
    };
    socket.onerror = () => fail(new Complaint('the terminal could not be opened'));
  });
}

/** A refusal of the server comes as text. */
function refused(
  text: string,
  fail: (error: Error) => void,
  stdout: Session['io']['stdout'],
): void {
  const [, message] = /^\{"error_id":\d+,"error_message":"(.*)"\}$/s.exec(text) ?? [];
  if (message === undefined) stdout.write(text);
  else fail(new Complaint(message));
}
