// Lanes over one time: microseconds of the board. Each lane has `times`, rising, and
// `values`; kinds are "analog", "digital", "words" and "marks". Those of a `file` have
// the name of their `signal` there, samples of a plant their `stamps` and `words`, too.

const TRANSCRIPT_LINE = /^ *(\d+\.\d+) (fw->|->fw|--  ) (.*)$/s;

/** Read a transcript; what is no line of one (a cut) has no time. */
function transcriptLines(text) {
  if (!text) return [];
  return text
    .replace(/\n$/, "")
    .split("\n")
    .map((line) => {
      const found = TRANSCRIPT_LINE.exec(line);
      if (!found) return { at_us: null, way: "", text: line };
      return { at_us: Math.round(parseFloat(found[1]) * 1e6), way: found[2].trim(), text: found[3] };
    });
}

function transcriptLanes(name, lines) {
  const ways = [["fw->", "from firmware"], ["->fw", "to firmware"]];
  return ways
    .map(([way, words]) => {
      const own = lines.filter((line) => line.way === way && line.at_us !== null);
      return {
        name: name ? name + ": " + words : words,
        kind: "marks",
        times: own.map((line) => line.at_us),
        values: own.map((line) => line.text),
      };
    })
    .filter((lane) => lane.times.length);
}

/** Return how plant time in ms becomes board time in us. */
function clockOf(record, file) {
  const moments = (record && record.plant_clocks && record.plant_clocks[file] || {}).moments;
  if (!Array.isArray(moments) || moments.length !== 2) return (ms) => ms * 1000;
  const [[first_ms, first_us], [last_ms, last_us]] = moments;
  const rate = last_ms > first_ms ? (last_us - first_us) / (last_ms - first_ms) : 1000;
  return (ms) => first_us + (ms - first_ms) * rate;
}

function traceLanes(text, file, record, prefix) {
  const rows = text.trim().split("\n").map((line) => line.split(","));
  const head = rows.shift() || [];
  const clock = clockOf(record, file);
  const about = (record && record.plant_clocks && record.plant_clocks[file]) || {};
  const stamps = rows.map((row) => Number(row[0]));
  const times = stamps.map(clock);
  const lanes = head.slice(1).map((name, index) => {
    const words = rows.map((row) => row[index + 1]);
    const lane = { name: prefix + name, file, signal: name, times, stamps, words, thresholds: [] };
    if (words.every((word) => word === "True" || word === "False")) {
      return { ...lane, kind: "digital", values: words.map((word) => (word === "True" ? "1" : "0")) };
    }
    const values = words.map(Number);
    if (words.some((word) => word === "" || Number.isNaN(Number(word)))) {
      return { ...lane, kind: "words", values: words };
    }
    return { ...lane, kind: "analog", values, thresholds: (about.thresholds || {})[name] || [] };
  });
  const injected = about.injected || [];
  if (injected.length) {
    lanes.push({
      name: prefix + "injected", kind: "marks",
      times: injected.map((each) => each[0]), values: injected.map((each) => each[1]),
    });
  }
  return lanes;
}

const UNITS_US = { s: 1e6, ms: 1e3, us: 1, ns: 1e-3, ps: 1e-6, fs: 1e-9 };

/** Read a value change dump of single wires. */
function waveLanes(text, file, prefix) {
  const scale = /\$timescale\s+(\d+)\s*(\w+)\s+\$end/.exec(text);
  const step_us = scale ? Number(scale[1]) * (UNITS_US[scale[2]] || 1) : 1;
  const lanes = new Map();
  let at_us = 0;
  for (const line of text.split("\n")) {
    if (line.startsWith("$var")) {
      const [, , , code, name] = line.split(/\s+/);
      lanes.set(code, { name: prefix + name, file, signal: name, kind: "digital", times: [], values: [] });
    } else if (line[0] === "#") {
      at_us = Number(line.slice(1)) * step_us;
    } else if ("01xzXZ".includes(line[0]) && lanes.has(line.slice(1))) {
      const lane = lanes.get(line.slice(1));
      lane.times.push(at_us);
      lane.values.push(line[0].toLowerCase());
    }
  }
  for (const lane of lanes.values()) lane.ends_us = at_us;
  return [...lanes.values()].filter((lane) => lane.times.length);
}

/** Return all lanes of a test, in the order in which they are drawn. */
function allLanes(evidence) {
  const traces = Object.entries(evidence.traces || {});
  const waves = Object.entries(evidence.waves || {});
  const talks = Object.entries(evidence.logs || {}).filter(([name]) => isTranscript(name));
  return [
    ...traces.flatMap(([name, text]) =>
      traceLanes(text, name, evidence.record, traces.length > 1 ? name + ": " : "")),
    ...waves.flatMap(([name, text]) => waveLanes(text, name, waves.length > 1 ? name + ": " : "")),
    ...talks.flatMap(([name, text]) =>
      transcriptLanes(talks.length > 1 ? name : "", transcriptLines(text))),
  ];
}

function isTranscript(name) {
  return /(^|\/)(transcript[^/]*|console-[^/]*)\.log$/.test(name);
}

/** Return the index of the last entry at or before a time; -1 before the first. */
function lastAt(times, at_us) {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] <= at_us) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Return in words what a lane says at a time. */
function valueAt(lane, at_us) {
  const index = lastAt(lane.times, at_us);
  if (index < 0) return "-";
  const value = lane.values[index];
  return lane.kind === "analog" ? number(value) : levelWords(value);
}

function levelWords(level) {
  return { 0: "low", 1: "high", z: "floating", x: "contention" }[level] || printable(level);
}
