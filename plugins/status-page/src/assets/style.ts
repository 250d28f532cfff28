/** The sheet of every page, `/svc/status/_/page.css`. Colours mean something: what runs is grey. */
export const style = `:root{color-scheme:light dark;--bg:#f7f7f5;--surface:#fff;--line:#e6e5e1;--text:#1c1c1a;--muted:#63625d;--fine:#aeb4ae;--warn:#b26b00;--warn-text:#8a5300;--bad:#c22f2f;--accent:#2f5bd0}
@media (prefers-color-scheme:dark){:root{--bg:#101113;--surface:#17181b;--line:#2a2c31;--text:#ecebe8;--muted:#a3a29c;--fine:#565c58;--warn:#f0b429;--warn-text:#f0b429;--bad:#ff6b6b;--accent:#7aa2ff}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--text);font:14px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","PingFang SC","Microsoft YaHei","Noto Sans CJK SC",sans-serif;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
header,main,footer{max-width:768px;margin:0 auto;padding:0 24px}
header{display:flex;gap:16px;align-items:center;padding-top:40px;padding-bottom:8px}
header img{height:44px;max-width:160px;object-fit:contain;flex:none}
h1,h2,h3,p,ul{margin:0;padding:0}
h1{font-size:16px;font-weight:600}
header p,.m,.v,footer,figcaption{color:var(--muted)}
h2{font-size:12px;font-weight:600;color:var(--muted);margin:40px 0 8px;letter-spacing:.02em}
h3{font-size:14px;font-weight:600;min-width:0}
a{color:var(--accent);text-underline-offset:2px}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:4px}
.all{font-size:28px;line-height:1.25;font-weight:600;letter-spacing:-.01em;margin:16px 0 0;text-wrap:balance}
.all bdi{display:inline-block;max-width:100%}
.all::before,.k{margin-inline-end:10px}
.troubles{list-style:none;margin:12px 0 0}
.troubles li{padding:2px 0}
.all.down::before,.down>h3::before{content:"";display:inline-block;width:.62em;height:.62em;background:var(--bad)}
.all.degraded::before,.degraded>h3::before{content:"";display:inline-block;width:.72em;height:.64em;background:var(--warn);clip-path:polygon(50% 0,100% 100%,0 100%)}
.all.maintenance::before{content:"";display:inline-block;width:.62em;height:.62em;border:.14em solid var(--accent);border-radius:50%}
.rows{list-style:none;background:var(--surface);border:1px solid var(--line);border-radius:8px}
.rows>li{display:grid;grid-template-columns:minmax(0,1fr) auto;gap:6px 16px;padding:14px 16px 12px;border-top:1px solid var(--line);align-items:baseline;break-inside:avoid}
.rows>li:first-child{border-top:0}
.down>h3::before,.degraded>h3::before{margin-inline-end:8px}
.v{text-align:end}
.down>.v b{color:var(--bad)}
.degraded>.v b{color:var(--warn-text)}
.v b{font-weight:600}
.rows svg{grid-column:1/-1;width:100%;height:30px;display:block}
.rows path{stroke:var(--fine);stroke-width:2.2;stroke-dasharray:.7 .3}
.rows .n{stroke:var(--muted);stroke-width:.22}
.rows .p{stroke:var(--warn);stroke-width:3.1}
.rows .d{stroke:var(--bad);stroke-width:4}
.rows path:hover{opacity:.7}
.rows>li.a:not(:has(+.a))::before,.rows>li.a:not(:has(+.a))::after,.rows>li.b:not(:has(+.b))::before,.rows>li.b:not(:has(+.b))::after{order:1;font-size:12px;color:var(--muted);margin-top:-4px}
.rows>li.a::before{content:var(--a)}.rows>li.a::after{content:var(--z);text-align:end}
.rows>li.b::before{content:var(--b)}.rows>li.b::after{content:var(--y);text-align:end}
.rows>li.a:has(+.a)::before,.rows>li.a:has(+.a)::after,.rows>li.b:has(+.b)::before,.rows>li.b:has(+.b)::after,.rows>li:not(:has(svg))::before,.rows>li:not(:has(svg))::after{content:none!important}
.g{display:flex;flex-wrap:wrap;gap:4px 6px;align-items:center;font-size:12px;color:var(--muted);margin-top:8px}
.g i{width:5px;height:9px;background:var(--fine)}
.g i:not(:first-child){margin-inline-start:10px}
.g .p{height:13px;background:var(--warn)}
.g .d{height:16px;background:var(--bad)}
.r{font-size:12px;color:var(--muted);margin:-4px 0 8px}
.r b{color:var(--text)}
details{grid-column:1/-1;order:2;font-size:12px}
summary{cursor:pointer;color:var(--accent);width:max-content}
details img{display:block;width:100%;height:166px;margin-top:8px}
.i{border-top:1px solid var(--line);padding:14px 0;break-inside:avoid}
h2+.i{border-top:0;padding-top:4px}
.i .t{white-space:pre-line;margin-top:6px;max-width:65ch}
.i .m{font-size:12px}
.i a{color:inherit}
.k{font-weight:600}
.k.down{color:var(--bad)}
.k.degraded{color:var(--warn-text)}
.k.maintenance{color:var(--accent)}
footer{font-size:12px;padding-top:48px;padding-bottom:48px;display:flex;flex-wrap:wrap;gap:4px 16px}
footer p{margin-inline-end:auto}
.banner{background:var(--banner);color:var(--on)}
.banner header{padding-top:20px;padding-bottom:20px}
.banner header p{color:inherit}
.banner+main{padding-top:16px}
@media (max-width:520px){header,main,footer{padding-left:16px;padding-right:16px}.all{font-size:24px}header{padding-top:24px}.rows h3,.v{grid-column:1/-1}.v{text-align:start;margin-top:-6px}}
@media (prefers-reduced-motion:no-preference){.rows path{transition:opacity .15s}}
@media print{:root{color-scheme:light;--bg:#fff;--surface:#fff;--line:#ccc;--text:#000;--muted:#444;--fine:#aeb4ae;--warn:#b26b00;--warn-text:#8a5300;--bad:#c22f2f;--accent:#000}*{print-color-adjust:exact;-webkit-print-color-adjust:exact}details,.r,footer a{display:none}header,main,footer{max-width:none;padding-left:0;padding-right:0}header{padding-top:0}.banner{background:none;color:inherit}h2{break-after:avoid}.i a{text-decoration:none}}
`;
