/** Words for alerts of a default rule: `{measured}` is the value with what it was compared with. */
export interface ShippedWords {
  /** Stands for the rule, where several alerts are told. */
  readonly title: string;
  /** States what holds or held, without the value. */
  readonly held: string;
  /** States what holds now. */
  readonly open: string;
}

type Shipped = Readonly<Record<string, ShippedWords>>;

const same = (title: string, held: string, open = held): ShippedWords => ({ title, held, open });

export const shippedEn: Shipped = {
  'disk-almost-full': same(
    'disk almost full',
    '{name}: disk {part}',
    '{name}: disk {part} at {measured}',
  ),
  'disk-full': same('disk full', '{name}: disk {part}', '{name}: disk {part} at {measured}'),
  memory: same('memory pressure', '{name}: memory pressure', '{name}: {value} of memory left'),
  refused: same('reports refused', '{name}: reports refused'),
  contract: same('contract ends', '{name}: contract ends', '{name}: contract ends in {value} days'),
  'channel-failing': same('channel failing', 'Channel {name} fails'),
  'database-disk': same('disk of the database', 'Disk of the database almost full'),
  'reports-lost': same('reports lost', 'Reports lost'),
  'server-dead': same('server dead', 'Server {name} is dead'),
  'cut-off': same('server cut off', 'Server {name} cannot reach the outside'),
  'monitor-down': same('monitor down', '{name} down', '{name} is down'),
  'heartbeat-late': same(
    'heartbeat late or failed',
    'heartbeat of {name} late or failed',
    'heartbeat of {name}: {value},',
  ),
  certificate: same('certificate expiring', 'certificate of {name} expiring'),
  'certificate-critical': same(
    'certificate about to expire',
    'certificate of {name} about to expire',
  ),
  'clock-off': same('clock off', '{name}: clock off', '{name}: clock off by {value}'),
  'cpu-busy': same('CPU busy', '{name}: CPU busy', '{name}: CPU at {measured}'),
  restarted: same('restarted', '{name} restarted', '{name} is up again'),
};

export const shippedZh: Shipped = {
  'disk-almost-full': same(
    '磁盘将满',
    '{name}：磁盘 {part}',
    '{name}：磁盘 {part} 已用 {measured}',
  ),
  'disk-full': same('磁盘已满', '{name}：磁盘 {part}', '{name}：磁盘 {part} 已用 {measured}'),
  memory: same('内存不足', '{name}：内存不足', '{name}：可用内存仅剩 {value}'),
  refused: same('上报被拒绝', '{name}：上报被拒绝'),
  contract: same('合约将到期', '{name}：合约将到期', '{name}：合约将在 {value} 天后到期'),
  'channel-failing': same('通道故障', '通道 {name} 故障'),
  'database-disk': same('数据库磁盘', '数据库磁盘将满'),
  'reports-lost': same('上报数据丢失', '上报数据丢失'),
  'server-dead': same('服务器失联', '服务器 {name} 失联'),
  'cut-off': same('服务器断网', '服务器 {name} 无法访问外部网络'),
  'monitor-down': same('监控项故障', '{name} 故障', '{name} 已故障'),
  'heartbeat-late': same('心跳超时或失败', '{name} 的心跳超时或失败', '{name} 的心跳：{value}'),
  certificate: same('证书将到期', '{name} 的证书将到期'),
  'certificate-critical': same('证书即将到期', '{name} 的证书即将到期'),
  'clock-off': same('时钟偏差', '{name}：时钟有偏差', '{name}：时钟偏差 {value}'),
  'cpu-busy': same('CPU 繁忙', '{name}：CPU 繁忙', '{name}：CPU 使用率 {measured}'),
  restarted: same('已重启', '{name} 已重启', '{name} 已重新启动'),
};
