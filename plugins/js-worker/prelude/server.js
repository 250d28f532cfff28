/** Globals of script workers: calls of this server's methods, other workers, and the log (js-runtime.md §3 to §5). */
(function server({ define, ask, log }, brand) {
  const isRequest = (entry) =>
    typeof entry === 'object' &&
    entry !== null &&
    entry.jsonrpc === '2.0' &&
    'id' in entry &&
    typeof entry.method === 'string';
  const refuse = (reason) => {
    throw new TypeError(`Error converting from js 'jsonrpc_module' into type 'String': ${reason}`);
  };
  function checked(entry) {
    if (!isRequest(entry)) refuse('an entry is no request: jsonrpc, id and method are needed');
    return entry;
  }
  async function call(...args) {
    const [first, params] = args;
    if (args.length === 0 || first === undefined) refuse('no request');
    if (typeof first !== 'string') return batchOr(first);
    const text = first.trim();
    if (args.length === 1 && /^[[{]/.test(text)) return rawCall(text);
    if (args.length === 1 && text === '') refuse('no request');
    if (args.length === 1 && !/^[a-z][\w-]*_\w+$/i.test(text)) refuse('not a request');
    const id = args.length > 2 ? args[2] : randomUUID();
    return single({
      jsonrpc: '2.0',
      method: first,
      ...(params === undefined ? {} : { params }),
      ...(id === undefined ? {} : { id }),
    });
  }
  const single = async (request) =>
    (await ask('rpc', checked(JSON.parse(JSON.stringify(request) ?? 'null')))).value;
  async function batchOr(request) {
    if (!Array.isArray(request)) return single(request);
    const answers = [];
    for (const entry of request) answers.push(await single(entry));
    return answers;
  }
  /** The text goes to the server as it is: no number is rounded on the way. */
  async function rawCall(text) {
    let parsed;
    try {
      parsed = JSON.parse(text);
    } catch (error) {
      refuse(error.message);
    }
    if (Array.isArray(parsed)) return batchOr(parsed);
    checked(parsed);
    return (await ask('rpc', text)).value;
  }
  define(brand, call);

  const helper = async (method, params) => {
    const { result, error } = await call(method, params);
    if (error) throw new Error(error.message);
    return result;
  };
  define('execSql', (token, sql, params) =>
    helper(`${brand}-server_exec_sql`, { token, sql, params: params ?? null }),
  );
  define('getDatabaseType', (token) => helper(`${brand}-server_get_database_type`, { token }));
  define('db', {
    create: (token, name) => helper('db_create', { token, name }),
    read: (token, name) => helper('db_read', { token, name }),
    update: (token, name, newName) => helper('db_update', { token, name, new_name: newName }),
    remove: (token, name) => helper('db_delete', { token, name }),
    list: (token) => helper('db_list', { token }),
    execSql: (token, name, sql, params) =>
      helper('db_exec_sql', { token, name, sql, params: params ?? null }),
  });

  const inlineCall = async function inlineCall(name, params, timeoutSec) {
    // Not `trim`, which strips U+FEFF and leaves U+0085.
    const worker = String(name).replace(/^\p{White_Space}+|\p{White_Space}+$/gu, '');
    if (worker === '') throw new Error('inlineCall js_worker_name cannot be empty');
    const seconds = timeoutSec === null || timeoutSec === undefined ? null : Number(timeoutSec);
    if (seconds !== null && !(Number.isFinite(seconds) && seconds > 0))
      throw new Error('inlineCall timeout_sec must be a positive finite number');
    let text;
    try {
      text = JSON.stringify(params) ?? 'null';
    } catch (error) {
      throw new Error(`inlineCall params is not JSON-serializable: ${error?.message ?? error}`);
    }
    return (await ask('inline', { worker, seconds, params: text })).value;
  };
  define('inlineCall', inlineCall);

  const spaceOf = (space) =>
    space === null || space === undefined || space === '' ? 'default' : String(space);
  const logger = {};
  for (const level of ['trace', 'debug', 'info', 'warn', 'error']) {
    logger[level] = (space, message) => log(level, spaceOf(space), String(message));
  }
  logger.log = logger.info;
  define(`${brand}Log`, logger);

  return {
    contextOf: ({ runType, workerName, inlineCaller }) => ({
      runType,
      workerName,
      inlineCall,
      inlineCaller,
    }),
  };
});
