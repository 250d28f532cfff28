import { createClient, isPaged, type Methods, RpcError } from '@svc/client';
import { credentialFile, loginFor, plain, saveLogin } from '../credentials.ts';
import { Complaint, readAll, readSecret } from '../io.ts';
import { lend } from '../lent.ts';
import { type AnyMethods, jsonOf, type Session } from '../session.ts';
import { clean } from '../text.ts';

/** `svc login URL`: asks for the credential, tries it, and keeps it, or a session in the place of a password. */
export async function login(session: Session): Promise<void> {
  const url = plain(session.word(0, 'URL'));
  if (session.words.length > 1)
    throw new Complaint('the credential is no argument, others would see it: it is asked for', 2);
  const question = 'Credential (key:secret, or username|password): ';
  const token = await readSecret(session.io, question);
  const client = createClient(url, { token, transport: 'http', timeout_ms: 10_000 });
  const { token_key, username } = await client.call('token_get');
  const isPassword = !token.includes(':');
  const lent = isPassword ? await lend(url, token) : undefined;
  saveLogin(session.io, lent ? { url, token: lent.token, ends_at: lent.ends_at } : { url, token });
  const until = lent ? ` until ${new Date(lent.ends_at).toISOString().slice(0, 10)}` : '';
  const kept = credentialFile(session.io);
  session.print(`Logged in to ${url} as ${username ?? token_key}${until}; kept in ${kept}\n`);
}

/** Parses JSON; any other text is returned as it is. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // `name=edge 7` needs no quotes.
    return text;
  }
}

/** `svc call METHOD key=value…`; with `-f` the items of a stream, one a line. */
export async function call(session: Session): Promise<void> {
  const [method = '', ...pairs] = [session.word(0, 'METHOD'), ...session.words.slice(1)];
  const params: Record<string, unknown> = {};
  for (const pair of pairs) {
    const at = pair.indexOf('=');
    if (at < 1) throw new Complaint(`'${pair}': write key=value`, 2);
    params[pair.slice(0, at)] = parsed(pair.slice(at + 1));
  }
  if (session.flags.follow) return followed(session, method, params);
  if (isPaged(method, params)) return printRows(session, method, params);
  const result = await session.anyMethod.call(method, params);
  if (method.endsWith(EDIT)) await tellLeft(session, method);
  if (session.flags.json || typeof result !== 'object') session.printJson(result);
  else session.print(`${jsonOf(result, INDENT)}\n`);
}

const INDENT = 2;

/** All rows of a query whose answers hold a part of them, as the array that one answer would be; each is printed as it comes. */
async function printRows(session: Session, method: string, params: Record<string, unknown>) {
  const { json } = session.flags;
  const [before, after] = json ? ['', ''] : ['\n  ', '\n'];
  let count = 0;
  for await (const row of session.anyMethod.rows(method, params, { to: Infinity })) {
    const text = jsonOf(row, json ? 0 : INDENT)?.replaceAll('\n', before);
    await session.printOn(`${count++ === 0 ? '[' : ','}${before}${text}`);
  }
  session.print(count === 0 ? '[]\n' : `${after}]\n`);
}

/** End of the name `svc-server_edit_config`, a method whose answer is `true` whatever the change leaves for a restart. */
const EDIT = '-server_edit_config';

/** Tells what of a changed configuration is not in force. Over HTTP: the reload closes WebSockets. */
async function tellLeft(session: Session, method: string): Promise<void> {
  const { url, token } = loginFor(session.io, session.flags.server);
  const client = createClient<AnyMethods, AnyMethods>(url, {
    token,
    transport: 'http',
    timeout_ms: 10_000,
  });
  const asked = method.replace(EDIT, '-server_config_warnings');
  try {
    const { warnings } = (await client.call(asked, {})) as ConfigWarnings;
    for (const { kind, message } of warnings)
      if (kind !== 'advice') session.printError(`svc: ${clean(message)}\n`);
  } catch (error) {
    // Another kind of server lacks the method.
    if (error instanceof RpcError && error.code === -32601) return;
    const reason = clean((error as Error).message);
    session.printError(
      `svc: the change is stored; whether it needs a restart could not be asked: ${reason}\n`,
    );
  }
}

type ConfigWarnings = Methods['svc-server_config_warnings']['result'];

async function followed(session: Session, method: string, params: Record<string, unknown>) {
  let left = session.flags.count ?? Infinity;
  for await (const item of session.anyMethod.subscribe(method, params)) {
    session.printJson(item);
    if (--left <= 0) return;
  }
}

/** `svc kv get NAMESPACE KEY`, `svc kv set NAMESPACE KEY VALUE` (`-`: from standard input) */
export async function kv(session: Session): Promise<void> {
  const verb = session.word(0, 'get or set');
  const place = { namespace: session.word(1, 'NAMESPACE'), key: session.word(2, 'KEY') };
  if (verb === 'get') {
    const value = await session.client.call('kv_get_value', place);
    if (!session.flags.json && typeof value === 'string') session.print(`${value}\n`);
    else session.printJson(value);
  } else if (verb === 'set') {
    const given = session.word(3, 'VALUE');
    const text = given === '-' ? await readAll(session.io) : given;
    await setValue(session, { ...place, value: parsed(text) });
  } else throw new Complaint(`'${verb}': svc kv get or svc kv set`, 2);
}

/** Sets a value. A machine that has no namespace yet, since nobody enrolled it or gave it a name, gets it. */
async function setValue({ client }: Session, wanted: Methods['kv_set_value']['params']) {
  const { namespace } = wanted;
  try {
    await client.call('kv_set_value', wanted);
  } catch (error) {
    if (!(error instanceof RpcError) || !error.message.endsWith(`'${namespace}' not found`))
      throw error;
    if (!(await isMachine(client, namespace)))
      throw new Complaint(
        `there is no namespace '${clean(namespace)}': svc call kv_create namespace=NAME makes one`,
      );
    await client.call('kv_create', { namespace });
    await client.call('kv_set_value', wanted);
  }
}

/** Tells whether an agent has this UUID, as far as the caller may list agents. */
async function isMachine(client: Session['client'], uuid: string): Promise<boolean> {
  try {
    return (await client.call('agent-uuid_list_all')).includes(uuid.toLowerCase());
  } catch (error) {
    if (error instanceof RpcError) return false;
    throw error;
  }
}

/** `svc logs`, and with `-f` the lines that follow. */
export async function logs(session: Session): Promise<void> {
  const { follow, json, count = Infinity } = session.flags;
  const show = (record: {
    timestamp: string;
    level: string;
    target: string;
    message: string;
    fields: object;
  }) => {
    if (json) return session.printJson(record);
    const fields = Object.entries(record.fields).map(
      ([name, value]) => ` ${name}=${JSON.stringify(value)}`,
    );
    session.print(
      `${record.timestamp} ${record.level} ${record.target}: ${clean(record.message)}${fields.join('')}\n`,
    );
  };
  for (const record of (await session.client.call('svc-server_log')).slice(-count)) show(record);
  if (!follow) return;
  const stream = session.client.subscribe('svc-server_stream_log', { log_filter: 'info' });
  await stream.each(show);
}
