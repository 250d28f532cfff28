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
  byLink: '消息中的链接',
  threshold: '阈值',
  since: (time: string) => `自 ${time}`,
  ofMachine: '未恢复的告警',
};
