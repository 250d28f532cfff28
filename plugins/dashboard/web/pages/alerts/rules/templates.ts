import type { NewRule } from '../model.ts';

type TemplateId =
  | 'blank'
  | 'cpu'
  | 'memory'
  | 'disk'
  | 'diskLeft'
  | 'eachDisk'
  | 'load'
  | 'swap'
  | 'sent'
  | 'received'
  | 'traffic'
  | 'diskSoon'
  | 'gpu'
  | 'gpuHeat'
  | 'processes'
  | 'connections'
  | 'silent'
  | 'contract'
  | 'rebooted'
  | 'monitorDown'
  | 'monitorSlow'
  | 'certificate';

type Template = Pick<NewRule, 'source' | 'condition' | 'clear' | 'for_s' | 'severity'>;

const rule = (
  source: NewRule['source'],
  condition: string,
  rest: Omit<Template, 'source' | 'condition'> = {},
): Template => ({ source, condition, severity: 'warning', ...rest });

/** Rules to begin from; their names and what they are for stand with the texts. */
export const TEMPLATES: { readonly [id in TemplateId]: Template } = {
  cpu: rule('machine', 'avg("cpu_usage", "15m") > 90', { clear: 'avg("cpu_usage", "15m") < 75' }),
  memory: rule('machine', 'memory_used_percent > 90', {
    clear: 'memory_used_percent < 85',
    for_s: 600,
  }),
  disk: rule('machine', 'disk_used_percent > 90', { clear: 'disk_used_percent < 85', for_s: 300 }),
  eachDisk: rule('part', 'disk.used_percent > 90', {
    clear: 'disk.used_percent < 85',
    for_s: 300,
  }),
  diskLeft: rule('machine', 'available_space < GiB(10)', {
    clear: 'available_space > GiB(15)',
    for_s: 300,
    severity: 'critical',
  }),
  diskSoon: rule('machine', 'predict("available_space", "24h") < 0.0'),
  load: rule('machine', 'load_five > 2 * cores', { for_s: 600 }),
  swap: rule('machine', 'swap_used_percent > 60', { clear: 'swap_used_percent < 40', for_s: 600 }),
  sent: rule('machine', 'transmit_speed > 50000000', { for_s: 600 }),
  received: rule('machine', 'receive_speed > 50000000', { for_s: 600 }),
  traffic: rule('machine', 'traffic("month") > GiB(800)', { severity: 'info' }),
  gpu: rule('machine', 'gpu_usage > 95', { for_s: 1_800, severity: 'info' }),
  gpuHeat: rule('part', 'gpu.temperature > 85', { clear: 'gpu.temperature < 80', for_s: 120 }),
  processes: rule('machine', 'process_count > 1000', { for_s: 300 }),
  connections: rule('machine', 'tcp_connections > 10000', { for_s: 300 }),
  silent: rule('presence', 'silent_for > 600', { severity: 'critical' }),
  contract: rule('machine', 'expires_in_days < 14', { severity: 'info' }),
  rebooted: rule('machine', 'uptime_s < 600', { severity: 'info' }),
  monitorDown: rule('monitor', 'state == "down"', { for_s: 300, severity: 'critical' }),
  monitorSlow: rule('monitor', 'ms > 2000', { clear: 'ms < 1500', for_s: 600 }),
  certificate: rule('monitor', 'tls.days_left < 30'),
  blank: rule('machine', 'cpu_usage > 90', { for_s: 300 }),
};

export const TEMPLATE_IDS = Object.keys(TEMPLATES) as readonly TemplateId[];
export const isTemplate = (id: string): id is TemplateId => Object.hasOwn(TEMPLATES, id);
