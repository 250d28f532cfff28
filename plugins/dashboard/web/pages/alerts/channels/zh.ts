import type { Words } from '../../../strings/index.ts';
import type { browser as english } from './en.ts';

export const browser: Words<typeof english> = {
  offer: '在此浏览器中通知',
  button: '此浏览器',
  hint: '请在要接收通知的浏览器中点击此按钮：它会填写密钥。',
  asks: '如果浏览器询问是否允许通知，请选择允许。',
  filled: '已填入此浏览器。请发送测试，然后保存。',
  keys: '密钥（由按钮填写）',
  missing: '浏览器的密钥',
  renew: '重新订阅',
  taken: (channel) =>
    channel === undefined
      ? '此浏览器已订阅，用于不在您列表中的渠道。重新订阅后将用于当前渠道，旧渠道不再发出通知。'
      : `此浏览器已订阅，用于渠道 ${channel}。重新订阅后将用于当前渠道，${channel} 不再发出通知：届时请将其删除。`,
  insecure:
    '浏览器只允许 https 页面发送通知。请用 https:// 地址打开控制台（在服务器本机：http://localhost），再回到此处；指南“TLS and proxies”说明如何配置。',
  unable:
    '此浏览器在此处不接收推送消息；隐私窗口以及 iPhone 和 iPad 上的 Safari 也不接收。请在电脑或 Android 上使用 Chrome、Edge 或 Firefox，或选择其他类型的渠道，例如 ntfy。',
  denied:
    '此页面的通知已被阻止。请点击地址左侧的图标允许通知，然后再次点击按钮；隐私窗口始终不允许。',
  unanswered: '浏览器的询问未得到答复。请再次点击并允许通知。',
  noWorker: (message) =>
    `浏览器无法运行控制台的 Service Worker：通常是因为不信任证书。请使用浏览器信任的证书，然后再次点击。${message}`,
  unreachable:
    '浏览器无法连接其推送服务；隐私窗口始终不能。请检查网络和防火墙（Brave：在设置中启用 Google 推送消息服务），然后再次点击。',
};
