export const PLUGINS = [
  'token',
  'kv',
  'agent-uuid',
  'agent',
  'agent-events',
  'task',
  'egress',
  'notify',
  'alert',
];
