"""The style of a report's page: light and dark, on paper, on a phone. Text contrast is at least 4.5 to 1."""

from typing import Final

STYLE: Final = """\
:root {
  color-scheme: light dark;
  --paper: #ffffff; --card: #f6f8fa; --ink: #1b1f24; --quiet: #57606a; --line: #d0d7de; --link: #0550ae;
  --bad: #a40e26; --warning: #7a4d00; --note: #0550ae; --good: #116329;
  --bad-paper: #ffebe9; --warning-paper: #fff8c5; --note-paper: #ddf4ff; --good-paper: #dafbe1;
  --bar: #6e7781; --chosen: #0969da; --track: #e1e4e8;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #0d1117; --card: #161b22; --ink: #e6edf3; --quiet: #9aa4af; --line: #30363d; --link: #79b8ff;
    --bad: #ff9a92; --warning: #f0c040; --note: #79c0ff; --good: #6bd47f;
    --bad-paper: #3c1214; --warning-paper: #332701; --note-paper: #0c2d4d; --good-paper: #0f2e1a;
    --bar: #8b949e; --chosen: #58a6ff; --track: #262c36;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 1rem 1rem 4rem; max-width: 66rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; overflow-wrap: anywhere;
}
h1 { font-size: 1.15rem; font-weight: 600; color: var(--quiet); margin: .5rem 0; }
h2 { font-size: 1.4rem; margin: 2.5rem 0 .75rem; padding-bottom: .25rem; border-bottom: 1px solid var(--line); }
h3 { font-size: 1.1rem; margin: 1.5rem 0 .5rem; }
h4 { font-size: 1rem; margin: 1.25rem 0 .5rem; }
p, ul, dl, pre, figure { margin: .5rem 0; }
ul { padding-left: 1.25rem; }
a { color: var(--link); }
a:focus-visible, summary:focus-visible, [tabindex]:focus-visible { outline: 3px solid var(--chosen); }
code, pre { font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: .875em; }
.skip { position: absolute; left: -999px; }
.skip:focus { position: static; }
.verdict { font-size: 1.5rem; line-height: 1.3; font-weight: 700; }
.bad, .warning, .note, .good { padding: .5rem 1rem; border-radius: 4px; border-left: 5px solid; }
.bad .mark, .bad .kind { color: var(--bad); }
.warning .mark, .warning .kind { color: var(--warning); }
.note .mark, .note .kind { color: var(--note); }
.good .mark { color: var(--good); }
.quiet, .who, .unknown, .check { color: var(--quiet); }
.unknown { font-style: italic; }
nav ul { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: .25rem 1rem; }
dl { display: grid; grid-template-columns: minmax(6rem, max-content) 1fr; gap: .15rem 1rem; }
dt { color: var(--quiet); }
dd { margin: 0; }
figure:has(.picture) { max-width: none; }
.picture { max-width: 100%; height: auto; }
.fault { margin: 1rem 0; }
.fault dl { grid-template-columns: max-content 1fr; }
.bad { background: var(--bad-paper); border-color: var(--bad); }
.warning { background: var(--warning-paper); border-color: var(--warning); }
.note { background: var(--note-paper); border-color: var(--note); }
.good { background: var(--good-paper); border-color: var(--good); }
.fault h3 { margin: 0; }
.fault .check { margin: 0 0 .5rem; }
.fault .who, .fault .check, .fault dt, .fault .unknown { color: inherit; }
.step { margin-top: .75rem; }
pre { background: var(--paper); border: 1px solid var(--line); border-radius: 4px; padding: .6rem; overflow-x: auto; }
pre code { overflow-wrap: normal; white-space: pre; }
.scroll { overflow-x: auto; margin: .75rem 0; }
table { border-collapse: collapse; font-size: .925rem; }
caption { text-align: left; color: var(--quiet); padding-bottom: .25rem; }
th, td { text-align: left; vertical-align: top; padding: .35rem .75rem .35rem 0; border-bottom: 1px solid var(--line); }
td.words { min-width: 6rem; overflow-wrap: break-word; }
th { font-weight: 600; }
tbody th { font-weight: 500; overflow-wrap: break-word; min-width: 5rem; }
.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(17rem, 100%), 1fr)); gap: 1rem 2rem; }
figure { max-width: 26rem; }
figcaption { font-weight: 600; margin-bottom: .25rem; }
svg { display: block; width: 100%; height: auto; }
svg text { fill: var(--ink); }
svg .track { fill: var(--track); }
svg .bar { fill: var(--bar); }
svg .chosen .bar { fill: var(--chosen); }
svg .chosen text { font-weight: 700; }
svg.topology { width: auto; max-width: none; }
.topology .paper { fill: none; }
.topology .device { fill: var(--note-paper); stroke: var(--line); }
.topology .card { fill: var(--good-paper); stroke: var(--line); }
.topology .fabric { fill: var(--warning-paper); }
.topology .switch { fill: var(--track); }
.topology .node { fill: var(--card); }
.topology .wire { stroke: var(--quiet); }
svg .quiet-text { fill: var(--quiet); }
svg .bad-text { fill: var(--bad); }
.title { font-weight: 600; margin-bottom: 0; }
.title + ul { margin-top: .25rem; }
details { margin: .75rem 0; }
summary { cursor: pointer; color: var(--link); }
@media (max-width: 34rem) {
  .verdict { font-size: 1.2rem; }
  td.words, tbody th { min-width: 10rem; }
}
@media print {
  :root {
    color-scheme: light;
    --paper: #ffffff; --card: #ffffff; --ink: #000000; --quiet: #444444; --line: #999999; --link: #000000;
    --bad: #a40e26; --warning: #7a4d00; --note: #0550ae; --good: #116329;
    --bad-paper: #ffffff; --warning-paper: #ffffff; --note-paper: #ffffff; --good-paper: #ffffff;
    --bar: #777777; --chosen: #333333; --track: #e1e4e8;
  }
  @page { margin: 15mm; }
  body { max-width: none; padding: 0; font-size: 10pt; }
  nav, .skip, .screen { display: none; }
  .fault, figure, tr { break-inside: avoid; }
  h2, h3, h4 { break-after: avoid; }
  .scroll { overflow: visible; }
  pre code { white-space: pre-wrap; overflow-wrap: anywhere; }
  svg { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  details::details-content { content-visibility: visible; display: block; block-size: auto; }
}
"""
