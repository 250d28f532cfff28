/** 告警相关的公用文字。 */
export const alert = {
  severities: { critical: '严重', warning: '警告', info: '提示' },
  counted: (count: number, severity: 'critical' | 'warning' | 'info') =>
    `${count} 条${{ critical: '严重', warning: '警告', info: '提示' }[severity]}`,
  bell: (count: number) => `告警：${count} 条未恢复`,
  bellNone: '告警：没有未恢复的告警',
  all: '全部告警',
  unacked: (count: number) => `${count} 条无人确认`,
  silenceOne: (rule: string) => `静默 1 小时：${rule}`,
  hourReason: '在控制台中静默一小时',
  silenced: (rule: string, name: string) => `${name} 上的“${rule}”静默 1 小时。`,
  undo: '撤销',
  undone: '已恢复通知。',
  hidden: {
    silence: (name: string) => (name === '' ? '已静默' : `已静默：${name}`),
    window: (name: string) => (name === '' ? '维护中' : `维护中：${name}`),
    subject: (name: string) => (name === '' ? '由其他告警引起' : `由“${name}”引起`),
    frozen: () => '主机无响应：显示最后已知状态',
  },
  back: '已恢复上报',
  daysLeft: (left: number) => {
    const days = Math.floor(Math.abs(left));
    const span = days === 0 ? '不到 1 天' : ` ${days} 天`;
    return left < 0 ? `已过期${span}` : `还剩${span}`;
  },
  away: (duration: string) => `已失联 ${duration}`,
  compared: (value: string, threshold: string) => `${value}（${threshold}）`,
  ending: '正在恢复',
  shipped: {
    offline: '主机失联',
    'disk-almost-full': '磁盘将满',
    'disk-full': '磁盘已满',
    memory: '内存不足',
    refused: '上报被拒绝',
    contract: '主机合约将到期',
    'channel-failing': '渠道故障',
    'database-disk': '数据库磁盘将满',
    'reports-lost': '上报数据丢失',
    'server-dead': '其他服务器失联',
    'cut-off': '服务器断网',
    'monitor-down': '监控项故障',
    'heartbeat-late': '心跳超时或失败',
    certificate: '证书将到期',
    'certificate-critical': '证书即将到期',
    'clock-off': '主机时钟偏差',
    'cpu-busy': 'CPU 繁忙',
    restarted: '主机已重启',
  },
  byLink: '消息中的链接',
  threshold: '阈值',
  since: (time: string) => `自 ${time}`,
  ofMachine: '未恢复的告警',
};
