import type { Strings } from '../../strings/index.ts';

export const words: Strings['terminal'] = {
  tasksOff: '此主机已关闭任务功能，而终端属于任务。',
  shellsOff: '此主机不允许打开终端。',
  forbidden: '您的令牌无权在此主机上打开终端。',
  exited: '按回车键打开新的。',
  away: '此主机未连接。',
  choose: '打开终端',
  another: '再打开一个终端',
  find: '按名称、标签或 UUID 查找',
  notFound: '没有匹配的主机。',
  none: '目前没有主机可以打开终端',
  noneHint: '主机的代理已连接并允许终端后，会显示在这里。',
  tabs: '终端',
  screen: '终端。按 Shift 和 Escape 离开。',
  states: { starting: '正在连接…', open: '', ended: '已结束' },
  smaller: '缩小文字 (Ctrl Shift −)',
  larger: '放大文字 (Ctrl Shift +)',
  search: '搜索',
  searchHint: '搜索 (Ctrl Shift F)',
  found: (at, count) => (count === 0 ? '无结果' : `${at} / ${count}`),
  endSearch: '结束搜索',
  more: '此终端的更多操作',
  copy: '复制选中内容 (Ctrl Shift C)',
  copied: '已复制。',
  paste: '粘贴 (Ctrl Shift V)',
  noPaste: '浏览器在此处不允许页面读取剪贴板。请用 Ctrl Shift V 或长按来粘贴。',
  copyOnSelect: '选中即复制',
  address: '供主机使用的地址',
  addressLabel: '主机访问此服务器的地址',
  addressHint: '代理会连接到此地址来打开终端。留空则使用当前页面的地址。',
  addressWrong: '格式如 wss://mon.example.net，必要时加上端口。',
  addressKept: '新的终端将使用此地址。',
  save: '保存',
  closeShell: '关闭',
  closeTitle: '有程序正在运行',
  closeAsk: (machine) =>
    `${machine} 的此终端中有程序正在运行。关闭终端会结束它，未保存的内容将丢失。`,
  closed: (code) =>
    code === 1008
      ? '您的登录或此终端的权限已结束。'
      : code === 1000
        ? 'Shell 已结束。'
        : '连接已断开。',
  endedAt: (clock) => `已于 ${clock} 结束。`,
  anew: '其中运行的程序已结束。新的 Shell 会重新开始；按回车键也可以。',
  never: (address) => `代理没有连接到 ${address}。代理必须能通过此地址访问服务器。`,
  again: '按回车键重试。',
  newShell: '新建 Shell',
  keys: '按键',
};
