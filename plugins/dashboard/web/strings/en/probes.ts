export const probes = {
  unreadable: 'The probes could not be read.',
  none: 'No probes yet',
  noneHint:
    'A probe measures how fast, and whether, your machines reach a host, a port or a web page.',
  noneCommand: 'Or from the command line:',
  nothing: 'No measurements in this period.',
  kind: 'Kind',
  allKinds: 'All kinds',
  kinds: { ping: 'Ping', tcp_ping: 'TCP', http_ping: 'HTTP' },
  add: {
    open: 'Add a probe',
    action: (count: number) =>
      count === 0
        ? 'Add the probe'
        : count === 1
          ? 'Measure from one machine'
          : `Measure from ${count} machines`,
    kind: 'What to measure',
    kinds: { ping: 'Ping', tcp_ping: 'TCP port', http_ping: 'Web page' },
    kindHints: {
      ping: 'Sends an ICMP echo to a host.',
      tcp_ping: 'Opens a connection to a port.',
      http_ping: 'Fetches an address; any status counts as an answer.',
    },
    target: { ping: 'Host', tcp_ping: 'Host and port', http_ping: 'Address' },
    wrong: {
      ping: 'A host name or an IP address, without spaces.',
      tcp_ping: 'Write it as host:port.',
      http_ping: 'Begin with http:// or https://.',
    },
    often: 'How often',
    every: (seconds: number) =>
      seconds < 60
        ? `Every ${seconds} seconds`
        : seconds === 60
          ? 'Every minute'
          : `Every ${seconds / 60} minutes`,
    load: (count: string) => `${count} measurements a day`,
    name: 'Name of the job',
    nameHint: 'The probe runs as a job. Pause, change or delete it under Jobs.',
    noneReady: 'None of your machines accepts tasks.',
    added: (target: string) => `${target} is being measured.`,
  },
  latency: 'Latency',
  loss: 'Loss',
  answers: (answered: number, all: number) =>
    answered === all
      ? all === 1
        ? 'One machine'
        : `All ${all} machines`
      : `${answered} of ${all} machines`,
  medianOf: (figure: string) => `median ${figure}`,
  slowestIs: (name: string, figure: string) => `slowest ${name} ${figure}`,
  silentCount: (count: number) => `${count} without an answer`,
  awayCount: (count: number) => `${count} away`,
  look: (count: number) => (count === 1 ? 'One needs attention' : `${count} need attention`),
  more: (count: number) => `and ${count} more`,
  silent: 'no answer',
  instead: (now: string, usual: string) => `${now} instead of the usual ${usual}`,
  open: (target: string) => `Show ${target}`,
  close: (target: string) => `Hide ${target}`,
  openMachine: (name: string) => `Show the curve of ${name}`,
  allMachines: 'All machines',
  machine: 'Machine',
  away: 'Away',
  notYet: 'No measurement yet',
  notYetCount: (count: number) => `${count} without a measurement yet`,
  awayHint: 'Nothing was measured there in this period:',
  awayTasksOff: 'Tasks are off there:',
  awayOffline: 'Not connected, so nothing was measured there in this period:',
  reasons: 'Why there was no answer',
  lastAnswer: (time: string) => `Last answer: ${time}`,
  noAnswerToday: 'No answer in the last 24 hours',
  remedies: {
    missing:
      'Install it on the machine (on Debian and Ubuntu: apt install iputils-ping), or measure a TCP port instead.',
    noRight:
      'The agent’s user or its service is not allowed to do this. On the machine, “sh /opt/svc-agent/install.sh --update” gives the service what it needs, or measure a TCP port instead.',
    noName:
      'The machine cannot resolve this name. Check the spelling of the target and the DNS of the machine.',
    refused:
      'The host answers, but nothing listens on this port. Check the port and whether the service runs.',
    noWay: 'The machine has no route to this host. Check its network and firewall.',
    certificate:
      'The machine does not trust the certificate of this address. Check its name, its expiry date and who signed it.',
    noAnswer:
      'The host is down, or something on the way drops the request. Check the host and its firewall.',
  },
  untagged: 'Untagged',
  others: 'The others',
  group: (count: number) => (count === 1 ? 'one machine' : `${count} machines`),
  median: 'Median',
  least: 'Lowest',
  most: 'Highest',
  count: 'Measurements',
  usual: 'Usual',
  usualHint: 'The median at this hour over the last 7 days',
  slower: 'Slower than usual',
  lost: (part: string) => `${part} lost`,
  lostOf: (lost: number, count: number) => `${Math.round(lost)} of ${count} lost`,
  noLoss: 'Nothing was lost in this period.',
  slowest: (shown: number, all: number) => `The curves of the ${shown} slowest of ${all} machines.`,
  byJob: (names: string) => `Job ${names}`,
  turn: {
    one: 'Turn into a monitor',
    all: (count: number) =>
      count === 1 ? 'Turn it into a monitor' : `Turn all ${count} into monitors`,
    hint: 'A monitor knows states, outages and uptime, and sends alerts. The job is switched off, not deleted.',
    status: 'Any answer counts, as before: the condition status < 400 is stricter.',
    done: (name: string) => `${name} is watched by a monitor; its job is off.`,
    doneAll: (count: number) => `${count} monitors made; their jobs are off.`,
  },
  states: {
    up: 'Up',
    degraded: 'Partly down',
    suspect: 'Failing',
    down: 'Down',
    unknown: 'Not known',
    paused: 'Paused',
  },
  failures: {
    status: (status: string) => `answered ${status}`,
    certificate: 'the certificate is not valid',
    noEcho: 'no echo came back',
    noName: 'there is no such name',
    noRecords: (type: string) => `the name has no records of the type ${type}`,
    refused: 'the connection was refused',
    late: (seconds: string) => `timed out after ${seconds} s`,
    exit: (status: string) => `exit status ${status}`,
  },
  places: {
    title: 'Monitors by place',
    server: 'The server',
    count: (count: number, bad: number) =>
      `${count === 1 ? 'one monitor' : `${count} monitors`}${bad === 0 ? ', all well' : `, ${bad} not well`}`,
    more: (count: number) => `and ${count} more`,
  },
};
