// The live page: asks this server alone, writes text as text, and shows nothing as known that is not.
"use strict";

const DASH = "–";
const MOST_PROCESSES = 200;
const SPARK_TICKS = 120;
const GIB = 2 ** 30;
const CHARTS = [
  ["busy_percent", "Busy", 1, "%", 100],
  ["saturated_percent", "Saturated", 1, "%", 100],
  ["tensor_percent", "Matrix units active", 1, "%", 100],
  ["memory_busy_percent", "Memory busy", 1, "%", 100],
  ["memory_bandwidth_percent", "Memory bandwidth used", 1, "%", 100],
  ["memory_used_bytes", "Memory in use", 1 / GIB, "GiB", 1],
  ["temperature_celsius", "Temperature", 1, "°C", 50],
  ["power_watts", "Power", 1, "W", 50],
  ["clock_mhz", "Clock", 1, "MHz", 500],
  ["pcie_sent_bytes_per_second", "Sent over PCIe", 1e-9, "GB/s", 0.1],
  ["pcie_received_bytes_per_second", "Received over PCIe", 1e-9, "GB/s", 0.1],
  ["link_sent_bytes_per_second", "Sent over links", 1e-9, "GB/s", 0.1],
  ["link_received_bytes_per_second", "Received over links", 1e-9, "GB/s", 0.1],
];
const state = { token: sessionStorage.getItem("accel-token"), number: -1, seen: 0, busy: new Map(), chosen: null, span: "recent",
  interval: 1, findings: null, failures: 0 };

const byId = (name) => document.getElementById(name);

function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value !== null && value !== undefined && value !== false) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

function drawn(name, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

async function asked(path) {
  const headers = state.token ? { Authorization: `Bearer ${state.token}` } : {};
  const answer = await fetch(path, { headers, cache: "no-store" });
  if (answer.status === 401) {
    byId("gate").hidden = false;
    throw new Error("the server wants its token");
  }
  if (!answer.ok) throw new Error(`the server answers ${answer.status}`);
  byId("gate").hidden = true;
  return answer.json();
}

const known = (value) => value !== null && value !== undefined;
const amount = (value, digits, unit) => (known(value) ? `${value.toFixed(digits)} ${unit}` : DASH);
const gib = (value) => (known(value) ? (value / GIB).toFixed(1) : DASH);

function clock(text) {
  const moment = new Date(text);
  return Number.isNaN(moment.getTime()) ? text : moment.toLocaleTimeString();
}

function why(device, readings) {
  const told = device.gaps.filter((gap) => gap.fact.split(", ").some((fact) => readings.includes(fact)));
  return told.length ? told.map((gap) => gap.reason).join("; ") : "not known";
}

function cell(head, text, options) {
  const { share, title, kind, empty } = options || {};
  const parts = [element("span", { class: "amount" }, text)];
  if (known(share)) {
    const fill = element("span", { class: "fill" });
    fill.style.width = `${Math.max(0, Math.min(1, share)) * 100}%`;
    parts.push(element("span", { class: "track", "aria-hidden": "true" }, fill));
  }
  return element("td", { "data-head": head, title, class: [kind, empty ? "empty" : null].filter(Boolean).join(" ") || null },
    element("div", {}, ...parts));
}

function spark(values) {
  const svg = drawn("svg", { class: "spark", viewBox: "0 0 120 24", preserveAspectRatio: "none", "aria-hidden": "true" });
  for (const piece of pieces(values.map((value, place) => [(SPARK_TICKS - values.length + place) * 120 / (SPARK_TICKS - 1), value]))) {
    svg.append(drawn("polyline", { class: "curve", points: piece.map(([x, y]) => `${x.toFixed(1)},${(23 - y * 0.22).toFixed(1)}`).join(" ") }));
  }
  return svg;
}

function pieces(points) {
  const found = [[]];
  for (const [x, y] of points) {
    if (known(y)) found[found.length - 1].push([x, y]);
    else if (found[found.length - 1].length) found.push([]);
  }
  return found.filter((piece) => piece.length).map((piece) => (piece.length === 1 ? [piece[0], [piece[0][0] + 1, piece[0][1]]] : piece));
}

const STATES = { late: "no answer yet", hung: "a call does not return", gone: "gone", failed: "its driver gives nothing" };

function deviceRow(device) {
  const chosen = state.chosen === device.id;
  const button = element("button", { type: "button", class: "device", "aria-expanded": String(chosen), "aria-controls": "past" }, device.id);
  button.dataset.device = device.id;
  const head = element("th", { scope: "row" }, button, element("span", { class: "name", title: device.name }, device.name || ""));
  const row = element("tr", { class: device.parent ? "part" : null }, head);
  if (device.state !== "ok") {
    const reason = device.gaps.length ? `: ${device.gaps[0].reason}` : "";
    row.append(element("td", { "data-head": "state", colspan: "9" }, element("span", { class: "bad" }, (STATES[device.state] || device.state) + reason)));
    return row;
  }
  const memory = known(device.memory_used_bytes) || known(device.memory_total_bytes)
    ? `${gib(device.memory_used_bytes)} / ${gib(device.memory_total_bytes)} GiB` : DASH;
  const memoryShare = known(device.memory_used_bytes) && device.memory_total_bytes ? device.memory_used_bytes / device.memory_total_bytes : null;
  const limit = known(device.power_limit_watts) ? ` / ${device.power_limit_watts.toFixed(0)}` : "";
  const power = known(device.power_watts) ? `${device.power_watts.toFixed(0)}${limit} W` : DASH;
  const powerShare = known(device.power_watts) && device.power_limit_watts ? device.power_watts / device.power_limit_watts : null;
  const down = known(device.clock_event_reasons) ? device.clock_event_reasons.join(", ") || "nothing" : DASH;
  const title = (value, ...facts) => (known(value) ? null : why(device, facts));
  const share = (value) => (known(value) ? value / 100 : null);
  const healths = { ok: "good", warning: "warning", critical: "bad" };
  const lately = element("td", { "data-head": "lately" }, spark(state.busy.get(device.id) || []));
  row.append(
    cell("busy", amount(device.busy_percent, 0, "%"), { share: share(device.busy_percent), title: title(device.busy_percent, "busy_percent") }),
    lately,
    cell("saturated", amount(device.saturated_percent, 0, "%"), { share: share(device.saturated_percent), title: title(device.saturated_percent, "saturated_percent") }),
    cell("memory", memory, { share: memoryShare, title: title(device.memory_used_bytes, "memory_used_bytes") }),
    cell("temperature", amount(device.temperature_celsius, 0, "°C"), { title: title(device.temperature_celsius, "temperature_celsius") }),
    cell("power", power, { share: powerShare, title: title(device.power_watts, "power_watts") }),
    cell("clock", amount(device.clock_mhz, 0, "MHz"), { title: title(device.clock_mhz, "clock_mhz") }),
    cell("held down by", down, { kind: "wide", title: title(device.clock_event_reasons, "clock_event_reasons") }),
    element("td", { "data-head": "health" }, element("span", { class: healths[device.health] || "quiet" }, device.health)),
  );
  return row;
}

function showDevices(devices) {
  const body = byId("device-table").tBodies[0];
  const focused = document.activeElement && document.activeElement.dataset ? document.activeElement.dataset.device : null;
  body.replaceChildren(...devices.map(deviceRow));
  if (focused) {
    const again = [...body.querySelectorAll("button")].find((button) => button.dataset.device === focused);
    if (again) again.focus({ preventScroll: true });
  }
  byId("no-devices").hidden = devices.length > 0;
  byId("device-table").hidden = devices.length === 0;
}

function belongsTo(process) {
  const parts = [];
  if (process.pod) parts.push(`pod ${process.pod_namespace ? `${process.pod_namespace}/` : ""}${process.pod}`);
  if (process.job) parts.push(`${process.scheduler || ""} job ${process.job}`.trim());
  if (process.ray_task) parts.push(`Ray ${process.ray_task}`);
  if (process.container_name || process.container) parts.push(`container ${process.container_name || process.container.slice(0, 12)}`);
  if (process.role) parts.push(process.role);
  if (!parts.length && process.unit) parts.push(process.unit);
  return parts.join(", ");
}

function showProcesses(devices) {
  const rows = devices.flatMap((device) => (device.processes || []).map((process) => [device, process]));
  rows.sort((a, b) => (b[1].memory_bytes || 0) - (a[1].memory_bytes || 0));
  byId("process-table").tBodies[0].replaceChildren(...rows.slice(0, MOST_PROCESSES).map(([device, process]) => element("tr", {},
    element("th", { scope: "row" }, String(process.pid)),
    element("td", { "data-head": "name", class: "wide" }, process.name || DASH),
    element("td", { "data-head": "user" }, process.user || DASH),
    element("td", { "data-head": "device" }, device.id),
    element("td", { "data-head": "memory", class: "amount" }, known(process.memory_bytes) ? `${gib(process.memory_bytes)} GiB` : DASH),
    element("td", { "data-head": "busy", class: "amount" }, amount(process.busy_percent, 0, "%")),
    element("td", { "data-head": "belongs to", class: belongsTo(process) ? "wide" : "wide empty" }, belongsTo(process)))));
  const hidden = devices.filter((device) => device.state === "ok" && !known(device.processes)).map((device) => device.id);
  const told = [];
  if (!rows.length && !hidden.length) told.push("No process is on these devices.");
  if (rows.length > MOST_PROCESSES) told.push(`${rows.length - MOST_PROCESSES} more are not shown.`);
  if (hidden.length) told.push(`Not known for ${hidden.join(", ")}.`);
  byId("process-note").textContent = told.join(" ");
  byId("process-table").hidden = rows.length === 0;
}

function showHappenings(happenings) {
  const items = happenings.slice(-20).reverse().map((one) => element("li", {}, `${clock(one.time)}  ${one.text}`));
  byId("happened").replaceChildren(...(items.length ? items : [element("li", { class: "quiet" }, "Nothing out of the ordinary.")]));
}

function showFindings(diagnosis) {
  const body = byId("findings-body");
  if (!diagnosis.taken_at) {
    body.replaceChildren(element("p", { class: "quiet" }, "No diagnosis yet."));
    return;
  }
  const words = { clear: "No fault found.", faults: "", undecided: "No fault found in what is known, which is not enough." };
  const parts = diagnosis.findings.map((finding) => {
    const kind = finding.severity === "error" ? "finding error" : finding.severity === "warning" ? "finding warning-finding" : "finding";
    const made = element("details", { class: kind }, element("summary", {}, `${finding.severity}: ${finding.title}`));
    const where = finding.devices && finding.devices.length ? ` of ${finding.devices.join(", ")}` : "";
    made.append(element("p", { class: "quiet" }, `${finding.code} ${finding.name}${where}`));
    if (finding.detail) made.append(element("p", {}, finding.detail));
    const remedy = (finding.remedies || [finding.remedy]).find((one) => one);
    if (remedy && remedy.text) made.append(element("p", {}, remedy.text));
    if (remedy && remedy.command) made.append(element("pre", { tabindex: "0", "aria-label": "Command" }, remedy.command));
    return made;
  });
  const serious = diagnosis.findings.filter((finding) => finding.severity !== "info").length;
  byId("summary").hidden = serious === 0;
  byId("summary").textContent = `${serious} ${serious === 1 ? "finding" : "findings"}`;
  if (words[diagnosis.verdict]) parts.push(element("p", {}, words[diagnosis.verdict]));
  parts.push(element("p", { class: "quiet" }, `Diagnosis of ${clock(diagnosis.taken_at)}.`));
  body.replaceChildren(...parts);
}

function nice(value) {
  for (let size = 1e-3; ; size *= 10) {
    for (const step of [1, 2, 5]) if (step * size >= value * 0.999999) return step * size;
  }
}

function chart(title, unit, seconds, series, leastTop, now) {
  const [width, height, left, base] = [360, 150, 52, 126];
  const tops = series.flatMap((one) => [one[2], one[0]]).filter(known);
  const top = nice(Math.max(leastTop, ...tops));
  const [from, to] = [seconds[0], Math.max(seconds[seconds.length - 1], seconds[0] + 1)];
  const x = (moment) => left + (moment - from) / (to - from) * (width - left - 8);
  const y = (value) => base - value / top * (base - 12);
  const means = series.map((one) => one[0]).filter(known);
  const mean = means.length ? means.reduce((sum, value) => sum + value, 0) / means.length : null;
  const words = known(mean) ? `${title}: ${mean.toFixed(1)} ${unit} on average` : `${title}: not known`;
  const svg = drawn("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": words });
  for (const share of [0, 0.5, 1]) {
    const label = drawn("text", { x: left - 6, y: y(top * share) + 4, "text-anchor": "end" });
    label.textContent = `${Number((top * share).toPrecision(3))}`;
    svg.append(drawn("line", { class: "rule", x1: left, x2: width - 8, y1: y(top * share), y2: y(top * share) }), label);
  }
  for (const piece of pieces(series.map((one, place) => [place, one[1]]))) {
    const places = piece.map(([place]) => Math.min(place, series.length - 1)).map(Math.floor);
    const low = places.map((place) => `${x(seconds[place]).toFixed(1)},${y(series[place][1]).toFixed(1)}`);
    const high = places.map((place) => `${x(seconds[place]).toFixed(1)},${y(series[place][2]).toFixed(1)}`).reverse();
    if (series[places[0]][1] !== series[places[0]][0] || piece.length > 2) svg.append(drawn("polygon", { class: "band", points: [...low, ...high].join(" ") }));
  }
  for (const piece of pieces(series.map((one, place) => [x(seconds[place]), one[0]]))) {
    svg.append(drawn("polyline", { class: "curve", points: piece.map(([place, value]) => `${place.toFixed(1)},${y(value).toFixed(1)}`).join(" ") }));
  }
  for (const [moment, anchor] of [[from, "start"], [to, "end"]]) {
    const label = drawn("text", { x: x(moment), y: height - 6, "text-anchor": anchor });
    label.textContent = new Date(new Date(now.time).getTime() - (now.seconds - moment) * 1000).toLocaleTimeString();
    svg.append(label);
  }
  return element("figure", {}, element("figcaption", {}, `${title} (${unit})`), svg);
}

async function showPast() {
  byId("past").hidden = state.chosen === null;
  if (state.chosen === null) return;
  const past = await asked(`api/history/${encodeURIComponent(state.chosen)}`);
  byId("past-title").textContent = `Over time: ${past.device}`;
  const told = state.span === "recent" ? past.recent : past.steps;
  const made = [];
  for (const [name, title, factor, unit, leastTop] of CHARTS) {
    const values = told[name];
    if (!values || !told.seconds.length) continue;
    const scaled = (value) => (known(value) ? value * factor : null);
    const series = values.map((value) => (Array.isArray(value) ? value.map(scaled) : [scaled(value), scaled(value), scaled(value)]));
    made.push(chart(title, unit, told.seconds, series, leastTop, past.now));
  }
  const none = state.span === "recent" ? "No reading of it is known." : "Steps of two minutes come with time.";
  byId("charts").replaceChildren(...(made.length ? made : [element("p", { class: "quiet" }, none)]));
}

function remember(readings) {
  const ids = new Set();
  for (const device of readings.devices) {
    ids.add(device.id);
    const values = state.busy.get(device.id) || [];
    values.push(device.busy_percent);
    state.busy.set(device.id, values.slice(-SPARK_TICKS));
  }
  for (const id of state.busy.keys()) if (!ids.has(id)) state.busy.delete(id);
}

async function refresh() {
  const readings = await asked("api/readings");
  state.interval = readings.interval_seconds;
  if (readings.number === null) {
    byId("status").textContent = "The first readings are being taken.";
    return;
  }
  if (readings.number !== state.number) {
    if (state.number < 0) {
      const past = await asked("api/history");
      state.busy = new Map(Object.entries(past.busy_percent));
    } else {
      remember(readings);
    }
    state.number = readings.number;
    state.seen = Date.now();
    showDevices(readings.devices);
    showProcesses(readings.devices);
    showHappenings(readings.happenings);
    if (state.chosen !== null) await showPast();
  }
  const count = readings.devices.length;
  const away = readings.devices.filter((device) => device.state !== "ok").length;
  const quiet = Date.now() - state.seen > (3 * state.interval + 5) * 1000;
  byId("status").className = quiet ? "bad" : "";
  byId("status").textContent = quiet ? `No new readings since ${clock(readings.time)}.`
    : `${count} ${count === 1 ? "device" : "devices"}${away ? `, ${away} without readings` : ""} · ${clock(readings.time)} · every ${state.interval} s`;
}

async function turn() {
  let pause = Math.max(500, state.interval * 1000);
  if (!document.hidden) {
    try {
      await refresh();
      state.failures = 0;
    } catch (error) {
      state.failures += 1;
      pause = Math.min(15000, pause * 2 ** Math.min(4, state.failures - 1));
      byId("status").className = "bad";
      byId("status").textContent = `Not up to date: ${error.message}.`;
    }
  }
  setTimeout(turn, pause);
}

async function turnFindings() {
  let pause = 30000;
  try {
    const diagnosis = await asked("api/findings");
    if (diagnosis.taken_at !== state.findings) {
      state.findings = diagnosis.taken_at;
      showFindings(diagnosis);
    }
    if (!diagnosis.taken_at) pause = 3000;
  } catch (error) {
    pause = 5000; // the status line says what is wrong
  }
  setTimeout(turnFindings, pause);
}

document.addEventListener("click", (event) => {
  const device = event.target.dataset ? event.target.dataset.device : undefined;
  if (device === undefined) return;
  state.chosen = state.chosen === device ? null : device;
  for (const button of document.querySelectorAll("button.device")) button.setAttribute("aria-expanded", String(button.dataset.device === state.chosen));
  showPast().catch(() => {});
});
for (const span of ["recent", "day"]) {
  byId(`span-${span}`).addEventListener("click", () => {
    state.span = span;
    for (const other of ["recent", "day"]) byId(`span-${other}`).setAttribute("aria-pressed", String(other === span));
    showPast().catch(() => {});
  });
}
byId("gate").addEventListener("submit", (event) => {
  event.preventDefault();
  state.token = byId("token").value;
  sessionStorage.setItem("accel-token", state.token);
  refresh().catch(() => {});
});
if (location.hash.startsWith("#device=")) state.chosen = decodeURIComponent(location.hash.slice(8));
turn();
turnFindings();
